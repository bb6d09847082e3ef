//go:build portable

package code

import (
	"os"
	"strings"
	"testing"
	"time"

	"parley/sandbox"
	"parley/sandbox/wasm"
	"parley/task/words"
)

func TestMain(m *testing.M) {
	wasm.ServeIfChild()
	os.Exit(m.Run())
}

// TestGamingInWebAssembly runs what every scorer of code must survive (§7.3) in the portable sandbox: none of it hangs, breaks the
// sandbox or outlives its test, and what ends the program or uses something up passes no test. An honest pair behind it earns all.
func TestGamingInWebAssembly(t *testing.T) {
	t.Setenv(sandbox.BackendVariable, wasm.Name)
	l, err := OpenLab(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	j := Judge{Lab: l, Scorer: words.Standard, PerTest: 500 * time.Millisecond}
	fatal := []string{"exit", "loop", "recursion", "huge output", "huge result", "memory", "deep result"}
	for _, c := range append(Gaming[1:len(Gaming):len(Gaming)], Gaming[0]) {
		start := time.Now()
		r, err := j.Judge(t.Context(), Submission{Entry: "f", Prompt: GamedPrompt, Tests: c.Tests, Aux: c.Aux, Main: c.Main})
		if err != nil || r.Reward() > 4 || time.Since(start) > 5*time.Minute {
			t.Errorf("%s: standard reward %v after %v, %v", c.Name, r.Reward(), time.Since(start), err)
		}
		for _, word := range fatal {
			if strings.Contains(c.Name, word) && c.Name != "ends the test's loop" && r.Passed > 0 {
				t.Errorf("%s passes %d tests", c.Name, r.Passed)
			}
		}
		if c.Name == "honest" && r.Reward() < 4-1e-9 {
			t.Errorf("an honest pair earns %v: %+v", r.Reward(), r)
		}
		t.Logf("%s: %v in %v", c.Name, r.Reward(), time.Since(start))
	}
}
