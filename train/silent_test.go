package train_test

import (
	"strings"
	"testing"

	"parley/internal/shortrun"
	"parley/recipe/language"
)

// TestSilentAgents: agents who do not speak in every turn learn and are measured under every kind of algorithm. Each has a policy of its own,
// which takes steps; turns are reported by those who spoke, and no answer has moved from one to the next.
func TestSilentAgents(t *testing.T) {
	debate := "name: x\ntask: {name: sums}\nteam: {protocol: pipeline, agents: 2, turns: 2}\npolicies: {sharing: per-agent, rank: 4}\n" +
		"reward: {penalties: {min_tokens: 0}}\nsampling: {max_tokens: 24}\ntraining: {updates: 1, problems: 6}\neval: {problems: 6}\n"
	pair := strings.Replace(debate, "{name: sums}", "{name: duet}", 1)
	for name, c := range map[string]struct {
		recipe string
		sets   []string
		turns  int // in the report of a labelled task; 0: rewards are joint
	}{
		"pipeline, mappo":                     {debate, []string{"algorithm=mappo", "ppo.epochs=1", "ppo.minibatches=1"}, 2},
		"leader, mappo":                       {debate, []string{"algorithm=mappo", "ppo.epochs=1", "ppo.minibatches=1", "team.protocol=leader"}, 2},
		"pipeline, iac":                       {pair, []string{"algorithm=iac", "reward.source=joint", "group.size=1"}, 0},
		"leader, maac":                        {pair, []string{"algorithm=maac", "reward.source=joint", "group.size=1", "team.protocol=leader"}, 0},
		"pipeline, magrpo that may end early": {pair, []string{"algorithm=magrpo", "reward.source=joint", "group.size=2", "group.terminate=0"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := language.New().Parse("f", []byte(c.recipe), c.sets)
			if err != nil {
				t.Fatal(err)
			}
			result, metrics := shortrun.Run(t, r)
			for _, policy := range []string{"policy-agent1", "policy-agent2"} {
				if _, ok := metrics[0].GradNorm[policy]; !ok {
					t.Errorf("%s has no step among %v", policy, metrics[0].GradNorm)
				}
			}
			if row, _ := result.Report.Row("trained"); len(row.Turns) != c.turns || row.Transitions != nil {
				t.Errorf("%d turns in the report, want %d, and transitions %v", len(row.Turns), c.turns, row.Transitions)
			}
		})
	}
}
