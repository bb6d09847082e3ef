package group_test

import (
	"context"
	"testing"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/learn/group"
	"parley/rl/learn/learntest"
	"parley/rl/rollout"
	"parley/rl/tabular"
	"parley/task"
	"parley/team"
	"parley/team/protocols"
)

// phrases are what a model of few words can say: an answer for both agents, with and without the tags that keep their parts apart.
var phrases = []string{
	"north south", "<agent_1>north</agent_1><agent_2>south</agent_2>", "<agent_1>north</agent_1><agent_2>north</agent_2>",
	"<agent_1>north</agent_1>", "<agent_2>south</agent_2>", "south",
}

// phrasebook is a codec whose tokens are phrases.
type phrasebook struct{}

func (phrasebook) Prompt([]team.Message) ([]int, error) { return []int{0}, nil }
func (phrasebook) Text(tokens []int) string             { return phrases[tokens[0]] }
func (phrasebook) Stop() []int                          { return nil }

// meeting pays 2 for agents who say the same and 1 for others; nothing where their parts cannot be told apart.
type meeting struct{}

func (meeting) Score(_ context.Context, turn []rollout.ScoreItem) error {
	for _, item := range turn {
		n := item.Node
		for _, action := range n.Joint {
			reward := 0.0
			if parts, ok := team.Split(n.Agents[0].Completions[action[0]].Text, 2); ok {
				if reward = 1; parts[0] == parts[1] {
					reward = 2
				}
			}
			n.Rewards = append(n.Rewards, reward)
		}
	}
	return nil
}

// TestCentralLearns: one model that answers for two agents learns to keep their parts apart, and then what pays most (MAGRPO §5).
func TestCentralLearns(t *testing.T) {
	protocol, err := protocols.Central().Open(team.Settings{Agents: 2, Turns: 1, Prompts: team.Prompts{First: "?"}})
	if err != nil {
		t.Fatal(err)
	}
	settings := learn.Group{Size: 8, Joint: "aligned", CrossCredit: "mean", Rollout: "tree", Reduction: "seq_sum", LogprobsAt: "sampled", Padding: "exact", RatioCap: 2}
	for _, a := range []learn.Algorithm{group.MAGRPO(), group.MARLOO()} {
		e := tabular.NewTabular(len(phrases))
		if err := e.NewPolicy(t.Context(), "policy", engine.PolicySpec{}); err != nil {
			t.Fatal(err)
		}
		runner := &rollout.Runner{
			Protocol: protocol, Scorer: meeting{}, Seed: 1,
			Actors:   []rollout.Actor{{Engine: e, Codec: phrasebook{}, Policy: func(int) engine.Policy { return "policy" }}},
			Settings: rollout.Settings{Group: settings.Size, Joint: credit.Aligned, Sampling: engine.Sampling{Temperature: 1}, MaxTokens: 1},
		}
		l, err := a.New(learn.Config{
			Settings: []any{settings}, Seed: 1, Updates: 150, Turns: 1, Actors: runner.Actors, Steps: learn.StepCounts{}, Tops: learn.StepCounts{}, Sharing: learn.Sharing{Bases: []int{0}},
			Optimizer: learn.Optimizer{LR: 0.1, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8},
		})
		if err != nil {
			t.Fatal(err)
		}
		for update := range 150 {
			episodes, err := runner.Run(t.Context(), "train", update, []task.Problem{{ID: "p"}})
			if err != nil {
				t.Fatal(err)
			}
			learntest.Update(t, l, update, episodes)
		}
		p, err := e.Probabilities("policy")
		if err != nil || p[2] < 0.9 {
			t.Errorf("%s: probabilities %v, want the third phrase", a.Name, p)
		}
	}
}
