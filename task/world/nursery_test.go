package world

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/task"
)

// slow takes longer to import than a call may, and notes each time that it does.
const slow = `
import random, sys, time
FORK = %s
time.sleep(4 if FORK else 0)
with open(%q, "a") as f:
    f.write("imported\n")
seen = []

def reset(item):
    seen.append(1)
    return {"state": 0, "observations": "%%d %%r" %% (len(seen), random.random())}

def step(state, actions):
    if actions["a"] == "hang":
        import threading
        threading.Event().wait()
    if actions["a"] == "die":
        print("a last word", file=sys.stderr, flush=True)
        import os, signal
        os.kill(os.getpid(), signal.SIGKILL)
    return {"state": 0, "observations": "on", "done": actions["a"] == "end"}
`

// TestNursery: a file is imported once for all episodes, which know nothing of each other and draw numbers of their own; the time of a call does not count
// the import.
func TestNursery(t *testing.T) {
	forks := runtime.GOOS == "linux"
	for _, fork := range []bool{true, false} {
		imports := filepath.Join(t.TempDir(), "imports")
		deadline := 3 * time.Second
		if !fork || !forks {
			deadline = time.Minute // an import is part of the first call of a fresh process
		}
		e := openStateful(t, External{Python: file(t, fmt.Sprintf(slow, map[bool]string{true: "True", false: "False"}[fork], imports)), Deadline: deadline})
		var mu sync.Mutex
		said := map[string]bool{}
		var wait sync.WaitGroup
		for range 5 {
			wait.Go(func() {
				o, err := e.Reset(t.Context(), task.Problem{Question: "{}"})
				if err == nil {
					_, err = e.Step(t.Context(), o.State, map[string]string{"a": "end"})
				}
				mu.Lock()
				defer mu.Unlock()
				if said[o.All] = true; err != nil || !strings.HasPrefix(o.All, "1 0.") {
					t.Errorf("%+v, %v", o, err)
				}
			})
		}
		wait.Wait()
		data, err := os.ReadFile(imports)
		want := 1
		if !fork || !forks {
			want = 5
		}
		if n := strings.Count(string(data), "imported"); err != nil || n < want || n > want+1 || len(said) != 5 {
			t.Errorf("fork %t: %d imports, %v, episodes %v", fork, n, err, said)
		}
	}
}

// TestNurseryEnds: an episode that is over has no process, one that dies says so, and others go on.
func TestNurseryEnds(t *testing.T) {
	imports := filepath.Join(t.TempDir(), "imports")
	e := openStateful(t, External{Python: file(t, fmt.Sprintf(slow, "True", imports)), Deadline: time.Minute})
	begin := func() (o []byte) {
		out, err := e.Reset(t.Context(), task.Problem{Question: "{}"})
		if err != nil {
			t.Fatal(err)
		}
		return out.State
	}
	first, second, third := begin(), begin(), begin()
	if _, err := e.Step(t.Context(), first, map[string]string{"a": "die"}); err == nil || !strings.Contains(err.Error(), "it ended while answers were waiting") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := e.Step(ctx, second, map[string]string{"a": "hang"}); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	if o, err := e.Step(t.Context(), third, map[string]string{"a": "go"}); err != nil || o.All != "on" {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestNurseryLoads: a file that cannot be loaded fails every episode, with its traceback.
func TestNurseryLoads(t *testing.T) {
	for text, want := range map[string]string{
		"import nothing_of_this_name":                   "ModuleNotFoundError: No module named 'nothing_of_this_name'",
		"def reset(item):\n  return {}":                 "defines no function step(state, actions)",
		"raise KeyboardInterrupt":                       "KeyboardInterrupt",
		"import os, signal\nos.kill(0, 0)\nos._exit(4)": "its process ended",
	} {
		e := openStateful(t, External{Python: file(t, text), Deadline: 5 * time.Second})
		for range 2 {
			if _, err := e.Reset(t.Context(), task.Problem{Question: "{}"}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	e := openStateful(t, External{Python: file(t, "import time\ntime.sleep(60)"), Deadline: time.Second})
	began := time.Now()
	if _, err := e.Reset(ctx, task.Problem{Question: "{}"}); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 10*time.Second {
		t.Errorf("a long import: %v after %v", err, time.Since(began))
	}
}
