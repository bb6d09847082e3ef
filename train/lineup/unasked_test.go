package lineup_test

import (
	"context"
	"testing"

	"parley/engine/native"
	"parley/recipe"
	"parley/train/lineup"
	"parley/train/shortrun"
)

// TestUnasked opens teams whose rewards, verifiers, environments and sandboxes are not there: who does not ask them does not need them.
func TestUnasked(t *testing.T) {
	world := []string{
		"task.name=environment", "task.path=../../examples/own-world/loads.jsonl", "reward.source=joint", "team.protocol=workflow", "group.rollout=episodes",
		`team.workflow=[{ask: [agent1, agent2], prompt: "{{.Observation}}"}, {act: [agent1, agent2]}]`,
	}
	user := []string{"reward.source=user"}
	filter := []string{"task.filter.samples=2", "task.filter.min_pass_rate=0.1"}
	for name, c := range map[string]struct {
		preset string
		sets   [][]string
	}{
		"reward of a server":        {"magrpo-tiny", [][]string{user, {"reward.user.url=http://127.0.0.1:1/", "reward.user.key_env=PARLEY_TEST_UNSET"}}},
		"reward of a program":       {"magrpo-tiny", [][]string{user, {"reward.user.command=[parley-test-none]"}}},
		"reward in Python":          {"magrpo-tiny", [][]string{user, {"reward.user.python=none.py", "reward.user.isolated=false"}}},
		"reward in a sandbox":       {"magrpo-tiny", [][]string{user, {"reward.user.python=none.py"}}},
		"reward by pass rates":      {"magrpo-tiny", [][]string{user, filter, {"reward.user.url=http://127.0.0.1:1/", "reward.user.key_env=PARLEY_TEST_UNSET"}}},
		"verifier of a server":      {"debate-sums", [][]string{{"reward.source=server", "reward.scoring.url=http://127.0.0.1:1/", "reward.scoring.model=m", "reward.scoring.key_env=PARLEY_TEST_UNSET"}}},
		"verifier that is trained":  {"debate-sums", [][]string{{"reward.source=trained", "reward.scoring.folders=[none]"}}},
		"environment of a server":   {"magrpo-tiny", [][]string{world, {"task.environment.url=http://127.0.0.1:1/", "task.environment.key_env=PARLEY_TEST_UNSET"}}},
		"environment that is kept":  {"magrpo-tiny", [][]string{world, {"task.environment.command=[parley-test-none]", "task.environment.stateful=true"}}},
		"environment in Python":     {"magrpo-tiny", [][]string{world, {"task.environment.python=none.py"}}},
		"sandbox of humaneval":      {"magrpo-humaneval", [][]string{{"model=parley-base", "task.train=2"}}},
		"sandbox of classeval":      {"magrpo-classeval-tiny", nil},
		"sandbox of code, filtered": {"magrpo-humaneval", [][]string{{"model=parley-base", "task.train=2"}, filter}},
		"sandbox of speedup":        {"magrpo-tiny", [][]string{{"task.name=speedup"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", t.TempDir()) // no bubblewrap
			sets := []string{"eval.problems=2", "training.updates=1"}
			for _, more := range c.sets {
				sets = append(sets, more...)
			}
			r := shortrun.Load(t, c.preset, sets...)
			if l, err := lineup.Open(t.Context(), r, native.Backend{}); err == nil {
				l.Close()
				t.Fatal("it can be trained: what the test lacks is there")
			}
			for name, open := range map[string]func(context.Context, *recipe.Recipe, lineup.Backend) (lineup.Lineup, error){
				"talk": lineup.OpenToTalk, "replay": lineup.OpenToReplay,
			} {
				l, err := open(t.Context(), r, native.Backend{})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if err := l.Close(); err != nil {
					t.Errorf("%s: close: %v", name, err)
				}
			}
		})
	}
}
