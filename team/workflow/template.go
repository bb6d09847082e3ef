package workflow

import (
	"fmt"
	"strings"

	"parley/internal/bounded"
	"parley/team"
)

// A view is what a template sees. It holds nothing of the problem's truth.
type view struct {
	Question    string
	Fields      map[string]string
	Agent       any // the agent's name, or its number where agents have none
	Role        string
	Turn        int // from 1
	Round       int // of the innermost loop, from 1
	ShowScores  bool
	Last        map[string]string // by agent: the last text; empty: it was silent so far
	All         []said            // everything, oldest first
	Own         said              // the agent's last answer
	Others      []said            // what the other agents said in the turn before, in agent order
	Report      string            // what the agent is told about its last answer
	Notes       []string          // what steps have noted, oldest first
	Observation string            // what the agent observes in the environment
}

// said is an answer as a template sees it.
type said struct {
	Agent    any
	Number   int // among those of a list, from 1
	Turn     int // from 1
	Text     string
	Score    string // empty unless scores are shown
	Feedback string // the score in words
	Report   string
	by       int // the agent, from 0
}

// A prompt is a template with its place.
type prompt struct {
	place string
	t     *bounded.Prompt
}

func parsePrompt(place, source string) (*prompt, error) {
	t, err := bounded.ParsePrompt(place, source)
	if err != nil {
		return nil, team.TemplateError(err)
	}
	return &prompt{place, t}, nil
}

func (p *prompt) render(v view) (string, error) {
	out, err := p.t.Fill(v)
	if err != nil {
		return "", team.TemplateError(err)
	}
	return out, nil
}

// view is what a template of an agent sees in a turn, after the first n things that were said and these notes.
func (k *walk) view(agent, n, turn, round int, notes []string, boxed bool) view {
	a := k.spec.Agents[agent]
	v := view{
		Question: k.problem.Question, Fields: k.spec.Hidden.Open(k.problem.Fields, a.Name), Agent: k.shown(agent), Role: a.Role,
		Turn: turn + 1, Round: round + 1, Notes: notes, ShowScores: k.spec.ShowScores, Last: make(map[string]string, len(k.spec.Agents)),
	}
	for _, a := range k.spec.Agents {
		v.Last[a.Name] = ""
	}
	for _, s := range k.said[:n] {
		if s.Agent == team.World {
			v.Observation = at(s.Observed.Texts, agent)
		}
	}
	v.All = k.heardBy(agent, n, boxed)
	for _, s := range v.All {
		v.Last[k.spec.Agents[s.by].Name] = s.Text
		switch {
		case s.by == agent:
			v.Own, v.Report = s, s.Report
			v.Own.Number = 0
		case s.Turn == turn:
			s.Number = len(v.Others) + 1
			v.Others = append(v.Others, s)
		}
	}
	return v
}

// heardBy is what an agent knows of the first n things that were said: a list that grows with the walk, one for all agents who hear everything.
func (k *walk) heardBy(agent, n int, boxed bool) []said {
	list, count := heard{boxed: boxed}, 0
	if k.spec.OwnOnly {
		list.by = agent
	}
	for _, s := range k.said[:n] {
		if s.Agent == team.World || k.spec.OwnOnly && s.Agent != agent {
			continue
		}
		if count++; count > len(k.heard[list]) {
			k.heard[list] = append(k.heard[list], k.answered(s, count, boxed))
		}
	}
	return k.heard[list][:count:count]
}

// read is the text of an answer as a prompt shows it.
func read(a team.Answer, boxed bool) string {
	if boxed {
		return string(a.Shown())
	}
	return a.Text
}

// answered is an answer as templates see it.
func (k *walk) answered(a team.Answer, number int, boxed bool) said {
	s := said{Agent: k.shown(a.Agent), Number: number, Turn: a.Turn + 1, Text: strings.TrimSpace(read(a, boxed)), Report: a.Report, by: a.Agent}
	if k.spec.ShowScores {
		s.Score, s.Feedback = fmt.Sprintf("%.3f", a.Score), k.spec.Feedback(a.Score)
	}
	return s
}

// shown is what an agent is called in prompts.
func (w *Workflow) shown(agent int) any {
	if w.spec.Numbered {
		return agent + 1
	}
	return w.spec.Agents[agent].Name
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}
