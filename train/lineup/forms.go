package lineup

import (
	"parley/internal/usererror"
	"parley/model/form/lexicon"
	"parley/rl/rollout"
	"parley/train/plan"
)

// forms are what the answers of agents are texts of, as package form reads them.
type forms struct {
	named []string // of the agents with names
	team  string   // of all others
}

func (f forms) of(agent int) string {
	if agent < len(f.named) {
		return f.named[agent]
	}
	return f.team
}

// openForms reads the schemas of the recipe, and refuses those that a base has no tokens for, or that answers are too short for.
func (l *Lineup) openForms() error {
	if !l.Recipe.Forced() || l.purpose == toReplay { // what was drawn is on record
		return nil
	}
	agents := 0
	if !l.Recipe.OneModel() {
		agents = len(l.Recipe.Team.Agents.Named)
	}
	var err error
	if l.forms.team, err = plan.Form(l.Recipe, agents); err != nil {
		return err
	}
	for agent := range agents {
		text, err := plan.Form(l.Recipe, agent)
		if err != nil {
			return err
		}
		l.forms.named = append(l.forms.named, text)
	}
	known := map[*Base]*lexicon.Lexicon{}
	for agent := range l.Protocol.Agents() {
		if err := l.checkForm(agent, known); err != nil {
			return err
		}
	}
	return nil
}

// checkForm asks whether an agent can give an answer of its form.
func (l *Lineup) checkForm(agent int, known map[*Base]*lexicon.Lexicon) error {
	text, b, key := l.forms.of(agent), l.BaseOf(agent), plan.Agent(l.Recipe, agent).Form(l.Recipe.Sampling).Key
	if text == "" || l.speakerOf(agent) != nil {
		return nil
	}
	if known[b] == nil {
		tokens, err := b.Model.Lexicon()
		if err != nil {
			return usererror.Errorf("%s: %w", key, err)
		}
		known[b] = tokens
	}
	texts, err := known[b].Open(text)
	if err != nil {
		return usererror.Errorf("%s, for model %s: %w", key, b.Name, err)
	}
	draw := rollout.Draw{MaxTokens: l.Recipe.Sampling.MaxTokens}
	if own := plan.Draw(l.Recipe, agent, true, text); own != nil {
		draw = own(draw)
	}
	if least := texts.Start().Shortest() + 1; draw.MaxTokens < least {
		where := "sampling.max_tokens"
		if own := plan.Agent(l.Recipe, agent); own.Sampling.MaxTokens != nil {
			where = "team.agents." + own.Name + ".sampling.max_tokens"
		}
		return usererror.Errorf("%s is %d; the shortest text of the schema may take %d tokens", where, draw.MaxTokens, least)
	}
	return nil
}
