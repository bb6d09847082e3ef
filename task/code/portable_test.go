//go:build portable

package code

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/turn"
	"parley/task"
	"parley/task/code/gaming"

	"parley/task/sandbox"
	"parley/task/sandbox/wasm"
)

func TestMain(m *testing.M) {
	wasm.ServeIfChild()
	os.Exit(m.Run())
}

// TestGamingInWebAssembly runs what every scorer of code must survive (§7.3) in the portable sandbox: none of it hangs, breaks the
// sandbox or outlives its test. What ends the program or uses something up passes no test, and the robust reward pays nothing more than
// it is worth. An honest pair behind it earns all. Where programs start twenty times as slowly as under bubblewrap, which runs all of it
// (TestGaming), what reaches for the sandbox is run whole, and of what only the way of scoring decides some of each kind.
func TestGamingInWebAssembly(t *testing.T) {
	t.Setenv(sandbox.BackendVariable, wasm.Name)
	l, err := OpenSandboxes(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, scorer := range []task.RewardVariant{task.Standard, task.Robust} {
		sc := Scorer{Sandboxes: l, Variant: scorer, PerTest: 2 * time.Second}
		for _, c := range sampled(scorer) {
			start := time.Now()
			if c.Name == "honest" { // which ends by itself, however slow the machine is
				sc.PerTest = time.Minute
			}
			r, err := sc.Score(t.Context(), Submission{Entry: "f", Prompt: gamedPrompt, Tests: c.Tests, Aux: c.Aux, Main: c.Main})
			if err != nil || r.Reward() > mostOf(c, scorer)+1e-9 || c.Name != "honest" && time.Since(start) > 5*time.Minute {
				t.Errorf("%s: %s reward %v after %v, %v", c.Name, scorer, r.Reward(), time.Since(start), err)
			}
			if ends(c) && r.Passed > 0 {
				t.Errorf("%s passes %d tests of the %s scorer", c.Name, r.Passed, scorer)
			}
			if c.Name == "honest" && r.Reward() < 4-1e-9 {
				t.Errorf("an honest pair earns %v: %+v", r.Reward(), r)
			}
			t.Logf("%s, %s: %v in %v", c.Name, scorer, r.Reward(), time.Since(start))
		}
	}
}

// sampled is what a scorer is tried with here, an honest pair last.
func sampled(scorer task.RewardVariant) []gaming.Game {
	var list []gaming.Game
	for _, kind := range []struct {
		games []gaming.Game
		every map[task.RewardVariant]int // of which one is run; 0: none, since the standard scorer decides by the program's text
	}{
		{gaming.UselessHelpers(), map[task.RewardVariant]int{task.Robust: 9}},
		{gaming.Wrappers(), map[task.RewardVariant]int{task.Robust: 4}},
		{gaming.Forgeries(), map[task.RewardVariant]int{task.Standard: 1, task.Robust: 4}},
		{gaming.Endings(), map[task.RewardVariant]int{task.Standard: 1, task.Robust: 4}},
	} {
		if every := kind.every[scorer]; every > 0 {
			for some := range slices.Chunk(kind.games, every) {
				if turn.Has(some[0].Name) {
					list = append(list, some[0])
				}
			}
		}
	}
	return append(list, gaming.All()[0])
}

func mostOf(c gaming.Game, scorer task.RewardVariant) float64 {
	if scorer == task.Robust {
		return c.Most
	}
	return Most
}

// ends reports whether a program ends itself or uses something up.
func ends(c gaming.Game) bool {
	fatal := []string{"exit", "code out of", "every descriptor", "loop", "recursion", "huge output", "huge result", "memory", "deep result"}
	return c.Name != "ends the test's loop" && slices.ContainsFunc(fatal, func(word string) bool { return strings.Contains(c.Name, word) })
}
