package train

import (
	"context"
	"testing"

	"parley/credit"
	"parley/engine"
	"parley/engine/tabular"
	"parley/learn"
	"parley/learn/algorithms"
	"parley/recipe"
	"parley/rollout"
	"parley/task"
	"parley/team"
	"parley/train/lineup"
	"parley/train/score"
)

// phrases are what a model of few words can say: an answer for both agents, with and without the tags that keep their parts apart.
var phrases = []string{"north south", "<agent_1>north</agent_1><agent_2>south</agent_2>", "<agent_1>north</agent_1><agent_2>north</agent_2>",
	"<agent_1>north</agent_1>", "<agent_2>south</agent_2>", "south"}

// phrasebook is a codec whose tokens are phrases.
type phrasebook struct{}

func (phrasebook) Prompt([]team.Message) ([]int, error) { return []int{0}, nil }
func (phrasebook) Text(tokens []int) string             { return phrases[tokens[0]] }
func (phrasebook) Stop() []int                          { return nil }

// meeting pays 2 for agents who say the same, 1 for others.
type meeting struct{ task.Task }

func (meeting) Name() string                     { return "meeting" }
func (meeting) Range() (least, greatest float64) { return 0, 2 }
func (meeting) Score(_ task.Problem, responses []string) (task.Score, error) {
	if responses[0] == responses[1] {
		return task.Score{Reward: 2}, nil
	}
	return task.Score{Reward: 1}, nil
}

// TestCentralLearns: one model that answers for two agents learns to keep their parts apart, and then what pays most.
func TestCentralLearns(t *testing.T) {
	ctx := context.Background()
	for _, algorithm := range []recipe.Algorithm{recipe.MAGRPO, recipe.MARLOO} {
		r := lang.Defaults()
		r.Algorithm, r.Reward.Source, r.Team.Protocol, r.Team.Turns = algorithm, "joint", "central", 1
		r.Optimizer.LR, r.Optimizer.Decay, r.Optimizer.Warmup, r.Group.Size = 0.1, "none", 0, 8
		protocol, err := team.NewCentral(team.Settings{Agents: 2, Turns: 1, Prompts: team.Prompts{First: "?"}})
		if err != nil {
			t.Fatal(err)
		}
		scorer, err := score.New(ctx, r, meeting{}, score.Parts{})
		if err != nil {
			t.Fatal(err)
		}
		e := tabular.NewTabular(len(phrases))
		if err := e.NewPolicy(ctx, "policy", engine.PolicySpec{}); err != nil {
			t.Fatal(err)
		}
		runner := &rollout.Runner{Protocol: protocol, Scorer: scorer, Seed: 1,
			Actors:   []rollout.Actor{{Engine: e, Codec: phrasebook{}, Policy: func(int) engine.Policy { return "policy" }}},
			Settings: rollout.Settings{Group: r.Group.Size, Joint: credit.Aligned, Sampling: engine.Sampling{Temperature: 1}, MaxTokens: 1}}
		l, err := algorithms.New(lineup.Lineup{Resources: &lineup.Resources{}, Recipe: r, Protocol: protocol}.Learning(runner.Actors))
		if err != nil {
			t.Fatal(err)
		}
		for update := range 150 {
			episodes, err := runner.Run(ctx, "train", update, []task.Problem{{ID: "p"}})
			if err != nil {
				t.Fatal(err)
			}
			stats := new(learn.Stats)
			if err := l.Credit(ctx, episodes, stats); err != nil {
				t.Fatal(err)
			}
			if err := l.Learn(ctx, update, episodes, stats); err != nil {
				t.Fatal(err)
			}
		}
		p, err := e.Probabilities("policy")
		if err != nil || p[2] < 0.9 {
			t.Errorf("%s: probabilities %v, want the third phrase", algorithm, p)
		}
	}
}
