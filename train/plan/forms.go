package plan

import (
	"parley/internal/plainfile"
	"parley/internal/usererror"
	"parley/model/form/lexicon"
	"parley/recipe"
	"parley/rl/rollout"
)

// Forms are what the answers of agents are texts of, as package form reads them.
type Forms struct {
	named []string // of the agents with names
	team  string   // of all others
}

// Of is what the answers of an agent are texts of; empty: any.
func (f Forms) Of(agent int) string {
	if agent < len(f.named) {
		return f.named[agent]
	}
	return f.team
}

// ReadForms reads the schemas of a recipe.
func ReadForms(r *recipe.Recipe) (f Forms, err error) {
	agents := 0
	if !r.OneModel() {
		agents = len(r.Team.Agents.Named)
	}
	f.named = make([]string, agents)
	for agent := range f.named {
		if f.named[agent], err = formOf(r, agent); err != nil {
			return f, err
		}
	}
	f.team, err = formOf(r, agents)
	return f, err
}

// formOf is what the answers of an agent are texts of, as package form reads it; empty: any.
func formOf(r *recipe.Recipe, agent int) (string, error) {
	f := Agent(r, agent).Form(r.Sampling)
	var data []byte
	if name := f.File(); name != "" {
		var err error
		if data, err = plainfile.Read(name); err != nil {
			return "", usererror.Errorf("%s: %w", f.Key, err)
		}
	}
	text, err := f.Text(data)
	if err != nil {
		return "", &usererror.Error{Err: err}
	}
	return text, nil
}

// FormKey is the key of a recipe that says what the answers of an agent are texts of.
func FormKey(r *recipe.Recipe, agent int) string { return Agent(r, agent).Form(r.Sampling).Key }

// CheckForm asks whether an agent can give an answer of its form: whether a base of this name has the tokens for it, and an answer so many.
func (f Forms) CheckForm(r *recipe.Recipe, agent int, base string, tokens *lexicon.Lexicon) error {
	text := f.Of(agent)
	texts, err := tokens.Open(text)
	if err != nil {
		return usererror.Errorf("%s, for model %s: %w", FormKey(r, agent), base, err)
	}
	draw := rollout.Draw{MaxTokens: r.Sampling.MaxTokens}
	if own := Draw(r, agent, true, text); own != nil {
		draw = own(draw)
	}
	if least := texts.Start().Shortest() + 1; draw.MaxTokens < least {
		where := "sampling.max_tokens"
		if own := Agent(r, agent); own.Sampling.MaxTokens != nil {
			where = "team.agents." + own.Name + ".sampling.max_tokens"
		}
		return usererror.Errorf("%s is %d; the shortest text of the schema may take %d tokens", where, draw.MaxTokens, least)
	}
	return nil
}
