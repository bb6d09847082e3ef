package servecmd

import (
	"net/http"
	"slices"
	"strings"

	"parley/serve"
)

// A program is what served teams have of the programs that they work in. Its zero value has none.
type program struct {
	names map[string][]string // by the ID of an agent's model
	teams map[string][]string // the models of agents, by the name that their team would have
}

// knows says by which names an agent of a team is asked.
func (p *program) knows(team, model string, names []string) {
	if p.names == nil {
		p.names, p.teams = map[string][]string{}, map[string][]string{}
	}
	p.names[model], p.teams[team] = names, append(p.teams[team], model)
}

// among adds to models those of agents by their bare names. A name that another model has, or that two agents have, is nobody's.
func (p *program) among(models []serve.Model) []serve.Model {
	taken := map[string]int{}
	for _, m := range models {
		taken[m.ID]++
		for _, name := range p.names[m.ID] {
			taken[name]++
		}
	}
	out := slices.Clip(models)
	for _, m := range models {
		for _, name := range p.names[m.ID] {
			if taken[name] == 1 {
				bare := m
				bare.ID = name
				out = append(out, bare)
			}
		}
	}
	return out
}

// named tells who asks for a team that there is none without its program.
func (p *program) named(name string) (*serve.Model, *serve.Failure) {
	agents, ok := p.teams[name]
	if !ok {
		return nil, nil
	}
	return nil, serve.Fail(http.StatusNotFound, "the team of %s is a program, which asks its agents: run it, or ask one of %s", name, strings.Join(agents, ", ")).Of("model").Coded("model_not_found")
}
