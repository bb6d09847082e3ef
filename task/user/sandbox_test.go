//go:build sandbox

package user

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// rewardFile is a file with one way to score for every first response.
const rewardFile = `import os, sys, time, math

seen = []

def inner(responses):
    return responses[7]

def reward(item, responses):
    how = responses[0]
    if how == "prints":
        for i in range(10**6):
            print(i)
            print(i, file=sys.stderr)
    if how == "raises":
        return inner(responses)
    if how == "hangs":
        while True:
            time.sleep(0.1)
    if how == "hangs on":
        while True:
            try:
                while True: pass
            except Exception:
                pass
    if how == "leaks":
        while True:
            seen.append(bytearray(1 << 24))
    if how == "dies":
        os._exit(3)
    if how == "exits":
        sys.exit("enough")
    if how == "crashes":
        os.kill(os.getpid(), 11)
    if how == "nan":
        return math.nan
    if how == "none":
        return None
    if how == "text":
        return "0.5"
    if how == "typo":
        return {"rewards": 1}
    if how == "counts":
        seen.append(how)
        return len(seen) / 10
    if how == "parts":
        return {"reward": 0.75, "parts": {"truth": item["truth"] == "yes", "other": 0.5}, "flags": ["odd"]}
    return 0.5
`

func pythonFile(t *testing.T, source string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "reward.py")
	if err := os.WriteFile(name, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestPython scores the same calls in the sandbox and in a child, one after the other: what went wrong with one leaves the next
// as it was.
func TestPython(t *testing.T) {
	for _, isolated := range []bool{true, false} {
		within := func(deadline time.Duration) *Reward {
			return open(t, Settings{Python: pythonFile(t, rewardFile), Isolated: isolated, Deadline: deadline, Memory: 256 << 20})
		}
		brief, patient := within(2*time.Second), within(time.Minute)
		dead := map[bool]string{true: "exit code 3 instead of returning", false: "exit status 3"}[isolated]
		crashed := map[bool]string{true: "signal 11 ended it", false: "segmentation fault"}[isolated]
		for _, c := range []struct {
			response string
			want     any
		}{
			{"plain", 0.5},
			{"parts", 0.75},
			{"nan", "expected a finite number"},
			{"none", "reward returned None, expected a number"},
			{"text", "expected a number"},
			{"typo", "the key rewards"},
			{"raises", "reward.py\", line 15, in reward\n    return inner(responses)"},
			{"raises", "line 6, in inner\n    return responses[7]"},
			{"raises", "IndexError: list index out of range"},
			{"hangs", "line 18, in reward\n    time.sleep(0.1)"},
			{"hangs on", "No reward before the deadline"},
			{"leaks", "MemoryError"},
			{"dies", dead},
			{"crashes", crashed},
			{"exits", "SystemExit: enough"},
			{"plain", 0.5},
		} {
			r := patient
			if strings.HasPrefix(c.response, "hangs") {
				r = brief
			}
			t.Run(c.response, func(t *testing.T) { wantRewards(t, score(t, r, c.response), c.want) })
		}
	}
}

// TestPythonPrints: a million lines on both streams are in nobody's way.
func TestPythonPrints(t *testing.T) {
	for _, isolated := range []bool{true, false} {
		r := open(t, Settings{Python: pythonFile(t, rewardFile), Isolated: isolated})
		wantRewards(t, score(t, r, "prints", "plain"), 0.5, 0.5)
	}
}

// TestPythonState: calls in the sandbox know nothing of each other; a child keeps its variables, such as a model that it loaded.
func TestPythonState(t *testing.T) {
	for isolated, want := range map[bool][]any{true: {0.1, 0.1, 0.1}, false: {0.1, 0.2, 0.3}} {
		r := open(t, Settings{Python: pythonFile(t, rewardFile), Isolated: isolated})
		wantRewards(t, score(t, r, "counts", "counts", "counts"), want...)
	}
}

// TestPythonHostFiles: only a child sees the host.
func TestPythonHostFiles(t *testing.T) {
	source := "def reward(item, responses):\n    return open(" + quoted(pythonFile(t, "x")) + ").read() == 'x'\n"
	wantRewards(t, score(t, open(t, Settings{Python: pythonFile(t, source), Isolated: true}), "x"), "FileNotFoundError")
	wantRewards(t, score(t, open(t, Settings{Python: pythonFile(t, source)}), "x"), 1.0)
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "\\'") + "'" }

// TestPythonFiles that define no reward.
func TestPythonFiles(t *testing.T) {
	for source, want := range map[string]string{"def reward(item:\n": "SyntaxError", "x = 1\n": "defines no function reward(item, responses)", "import nothing_such\n": "line 1, in <module>\n    import nothing_such"} {
		for _, isolated := range []bool{true, false} {
			wantRewards(t, score(t, open(t, Settings{Python: pythonFile(t, source), Isolated: isolated}), "x"), want)
		}
	}
}
