// Package together opens a team whose agents write one text, token by token (algorithm collab), and measures it beside what the same agents do at the
// same cost in other ways. Nothing is trained.
//
//	together.go  the team: who writes, with which adapter, and whether their vocabularies are one
//	adapters.go  what agents have learned
//	write.go     one text for a problem, and what texts are worth
//	spans.go     who wrote what, for people to read
//	once.go      what an interrupted evaluation has kept
//	systems.go   what is measured: the team, each agent alone, the best of many texts, a vote
//	rival.go     another model that writes joint responses beside a team in training, for pairs to compare (MAGRPO §5): each agent's by itself, or
//	             one text for all of them, taken apart
//
// The agents are those of team.agents, each with its base, its prompt and its adapter. The reward is the recipe's, of one response.
package together

import (
	"context"
	"errors"

	"parley/engine"
	"parley/internal/usererror"
	"parley/model"
	"parley/recipe"
	"parley/rl/rollout"
	"parley/systems/collab"
	"parley/train/lineup"
	"parley/train/plan"
)

// A Team is one whose agents write together.
type Team struct {
	lineup   lineup.Lineup
	settings collab.Settings
	draw     rollout.Settings // how long texts may be, and how a single agent draws
	actors   []rollout.Actor
	names    []string
}

// Open loads what the agents have learned. The lineup stays the caller's.
func Open(ctx context.Context, l lineup.Lineup) (*Team, error) {
	r := l.Evaluation(false)
	t := &Team{lineup: l, settings: recipe.Section[collab.Settings](l.Recipe), draw: r.Settings, actors: r.Actors}
	t.draw.Sampling = plan.Sampling(l.Recipe)
	for agent := range t.actors {
		t.names = append(t.names, l.Recipe.AgentName(agent))
	}
	if err := errors.Join(t.canDecode(), t.sameVocabulary()); err != nil {
		return nil, err
	}
	if kind := l.Recipe.TaskType(); kind.Pair() && l.Recipe.Reward.OfTask() {
		return nil, usererror.Errorf("task %s rewards two texts, and the agents of algorithm collab write one: take reward.source user, or another task", l.Recipe.Task.Name)
	}
	return t, t.loadAdapters(ctx)
}

// canDecode refuses agents who cannot say what they would write next.
func (t *Team) canDecode() error {
	for agent, a := range t.actors {
		if a.Speaker != nil {
			return usererror.Errorf("%s speaks by its %s, which says no distributions of the next token: agents of algorithm collab are models", t.names[agent], a.Speaker.Kind())
		}
		if _, can := engine.As[engine.Distributor](a.Engine); !can {
			return usererror.Errorf("the engine of %s says no distributions of the next token (engine.Distributor), which algorithm collab needs", t.names[agent])
		}
	}
	return nil
}

// sameVocabulary refuses bases that cannot continue each other's tokens, by name.
func (t *Team) sameVocabulary() error {
	first := t.lineup.BaseOf(0)
	for agent := range t.actors {
		b := t.lineup.BaseOf(agent)
		if b == first {
			continue
		}
		if err := collab.SameVocabulary([][]string{vocabulary(first.Model), vocabulary(b.Model)}); err != nil {
			return usererror.Errorf("%s speaks with %s and %s with %s, which cannot write one text: of these two, %w", t.names[0], first.Name, t.names[agent], b.Name, err)
		}
	}
	return nil
}

// vocabulary lists the tokens of a model by their ids.
func vocabulary(m *model.Model) []string {
	out := make([]string, m.Tokenizer.Size())
	for id := range out {
		out[id], _ = m.Tokenizer.Token(id)
	}
	return out
}

// Notes say what a user should know of what is measured.
func (t *Team) Notes() []string {
	if t.lineup.Recipe.Reward.Source == "label" {
		return []string{"reward.source is label: the text is chosen by the right answer, which nobody knows in use; the scores are bounds from above"}
	}
	return nil
}
