package chatsession

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/rl/rollout/gather"

	"parley/engine"
	"parley/rl/rollout"
	"parley/task"
	"parley/team"
	"parley/train"
	"parley/train/lineup"
	"parley/train/plan"
)

// A Loaded is a team, loaded to talk to.
type Loaded struct {
	Team
	lineup lineup.Lineup
	acts   bool // in an environment
}

// OpenTeam loads the team of a run, or of a recipe, to talk to: see [train.OpenTeam]. Answers are drawn as its evaluation draws them. The caller closes it.
func OpenTeam(ctx context.Context, o train.Options) (*Loaded, error) {
	s, trained, err := train.OpenTeam(ctx, o)
	if err != nil {
		return nil, err
	}
	return TeamOf(ctx, s, trained)
}

// TeamOf makes the team of a lineup one to talk to, trained or as its bases are, and owns the lineup from then on. Its speakers may answer several
// at a time: they share their engines.
func TeamOf(ctx context.Context, s lineup.Lineup, trained bool) (*Loaded, error) {
	r := s.Evaluation(trained)
	t := &Loaded{lineup: s, acts: r.World != nil}
	if s.Recipe.AlgorithmType().Decodes() {
		if err := t.writeTogether(ctx, r); err != nil {
			return nil, errors.Join(err, t.Close())
		}
		return t, nil
	}
	t.Protocol, t.Names = r.Protocol, s.Sharing.Names
	if answerer := s.Scorer.Answerer(); answerer != nil {
		t.Final = answerer.Answer
	}
	t.Settings = Settings{Sampling: r.Settings.Sampling, MaxTokens: r.Settings.MaxTokens, MinTokens: r.Settings.MinTokens, Stop: s.Recipe.Sampling.Stop}
	voices := make([]Speaker, len(r.Actors))
	shared := map[engine.Streamer]engine.Streamer{}
	for i, actor := range r.Actors {
		v, err := SpeakerOf(actor)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", t.Called(i), err), t.Close())
		}
		if shared[v.Engine] == nil {
			shared[v.Engine] = gather.Batched(v.Engine)
		}
		v.Engine = shared[v.Engine]
		voices[i] = v
	}
	t.Own = func(agent int, s Settings) Settings {
		if own := r.Actors[agent].Own; own != nil {
			d := own(rollout.Draw{Sampling: s.Sampling, MaxTokens: s.MaxTokens, MinTokens: s.MinTokens})
			s.Sampling, s.MaxTokens, s.MinTokens, s.Form = d.Sampling, d.MaxTokens, d.MinTokens, d.Form
		}
		if stop := plan.Agent(t.lineup.Recipe, agent).Sampling.Stop; len(stop) > 0 {
			s.Stop = stop
		}
		return s
	}
	t.Speaker = func(turn, agent int) Voice {
		v, actor := voices[agent], r.Actors[agent]
		v.Policy = actor.Policy(turn)
		return VoiceOf(actor.Speaker, actor.Name, v)
	}
	return t, nil
}

// InProgram are the names by which the program that the team works in asks each agent, by their numbers from 0: the agent's own is the first. nil: it works in none.
func (t *Loaded) InProgram() (names [][]string) {
	r := t.lineup.Recipe
	if !r.Harnessed() {
		return nil
	}
	for _, name := range r.Team.Agents.Names() {
		own := []string{name}
		for _, x := range r.Team.Harness.Models {
			if x.Agent == name {
				own = append(own, x.Model)
			}
		}
		names = append(names, own)
	}
	return names
}

// ShowsScores reports whether prompts of later turns quote a verifier's scores, which a conversation does not have.
func (t *Loaded) ShowsScores() bool {
	return t.lineup.Recipe.Team.RewardFeedback && t.Protocol.Turns() > 1
}

// Free says why the team cannot work on a question that somebody types; nil: it can. Its agents can be asked alone all the same.
func (t *Loaded) Free() error {
	switch {
	case t.ShowsScores():
		return errors.New("the team's prompts quote a verifier's scores, which a typed question does not have")
	case t.lineup.Recipe.Harnessed():
		return fmt.Errorf("the team works in a program of its own, which asks the agents: ask one of them, %s", strings.Join(t.lineup.Recipe.Team.Agents.Names(), ", "))
	case t.acts:
		return errors.New("the team acts in an environment, and a typed question has none")
	}
	protocol := t.Protocol
	if s, draws := protocol.(team.Seeded); draws {
		protocol = s.Seed(0)
	}
	if _, err := protocol.Next(task.Problem{ID: "question", Question: "?"}, nil); err != nil {
		return fmt.Errorf("the team's prompts need fields that the problems of its task have; a typed question has only its text: %w", err)
	}
	return nil
}

// Numbered is the number, from 0, of an agent that is given by its name or by its number from 1.
func (t *Loaded) Numbered(word string) (int, error) {
	if at := slices.Index(t.Names, word); at >= 0 {
		return at, nil
	}
	n, err := strconv.Atoi(word)
	switch agents := t.Protocol.Agents(); {
	case err == nil && n >= 1 && n <= agents:
		return n - 1, nil
	case err != nil && len(t.Names) > 0:
		return 0, fmt.Errorf("there is no agent %s; the agents are %s", word, strings.Join(t.Names, ", "))
	case agents == 1:
		return 0, fmt.Errorf("there is no agent %s; the team has 1 agent", word)
	default:
		return 0, fmt.Errorf("there is no agent %s; the team has %d agents", word, agents)
	}
}

// Close gives the team's memory back.
func (t *Loaded) Close() error {
	return t.lineup.Close()
}
