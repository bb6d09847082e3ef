package harness_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/engine"
	"parley/rl/rollout/harness"
)

// gone waits until the process whose number a file has is there no more, or is a zombie that only its parent could free.
func gone(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%s/stat", data))
	if err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("process %s is still there: %s", data, stat)
	}
}

// TestFaults: what a program does wrong is why its episodes have failed, and the others are as they are without.
func TestFaults(t *testing.T) {
	_, r := setting(t, harness.Settings{Command: self(t, "pair")})
	want := run(t, r, 3)
	for _, c := range []struct {
		fault string
		stays string // why the episodes of a process that stays have failed, where that is something else
		why   string // empty: they have not
		s     harness.Settings
		notes bool // the program leaves a file
		once  bool // of a process an episode alone
	}{
		{fault: "exit 3", why: "the program: it ended (exit status 3), after these words on stderr:\nno more memory"},
		{fault: "exit at once", why: "the program: it ended (exit status 3)"},
		{fault: "hang", why: "it took longer than team.harness.seconds, 6 s (1 calls, the last of writer ", s: harness.Settings{Time: 6 * time.Second}},
		{fault: "flood", why: "the program: it printed 10485760 bytes that end with no result: an answer has at most 262144", stays: `which is no JSON object`},
		{fault: "flood with a result", stays: `the program: it wrote "spam spam spam spam", which is no JSON object`},
		{fault: "fork and stay", notes: true},
		{fault: "report twice"},
		{fault: "not a number", why: "something else rewards the answer", once: true, s: harness.Settings{}},
		{fault: "nobody", why: "the harness asked no agent"},
		{fault: "unknown model", why: "no agent is called gpt-4o\n  404 model_not_found"},
		{fault: "after the end"},
		{fault: "65 calls", s: harness.Settings{Calls: 64}},
		{fault: "another's key", why: "401 invalid_api_key"},
		{fault: "own error", why: "the site was down"},
		{fault: "silent", stays: `the program: it wrote "nonsense", which is no JSON object`},
		{fault: "leaves"},
	} {
		for _, kind := range []string{"fault", "stay, fault"} {
			note := filepath.Join(t.TempDir(), "note")
			s := c.s
			if s.Command, s.Keep = self(t, kind, c.fault, note), kind != "fault"; s.Keep && c.once {
				continue
			}
			if c.fault == "65 calls" {
				s.Command = s.Command[:3]
			}
			why := c.why
			if s.Keep && c.stays != "" {
				why = c.stays
			}
			if c.fault == "not a number" {
				why = "" // the line is no JSON, and so it is the answer
			}
			t.Run(kind+" "+c.fault, func(t *testing.T) {
				t.Parallel()
				h, r := setting(t, s)
				got := run(t, r, 3)
				if stored(t, got[:1]) != stored(t, want[:1]) || stored(t, got[2:]) != stored(t, want[2:]) {
					t.Error("the other episodes are different")
				}
				f := failures(got)
				if (why != "") != (len(f) == 2) {
					t.Errorf("failed: %q, want %q", f, why)
				}
				for _, reason := range f {
					if !strings.Contains(reason, why) {
						t.Errorf("it failed because %q, want %q", reason, why)
					}
				}
				if err := h.Close(); err != nil {
					t.Error(err)
				}
				if _, err := os.Stat(note); (err == nil) != c.notes {
					t.Errorf("the program has left a note: %v, want %v", err == nil, c.notes)
				}
				if c.notes {
					gone(t, note)
				}
			})
		}
	}
}

// TestLimitIsTheReason: a program that fails once it may not ask any more has failed because of that.
func TestLimitIsTheReason(t *testing.T) {
	h, r := setting(t, harness.Settings{Command: self(t, "fault", "65 calls", "and fail"), Calls: 64})
	for _, why := range failures(run(t, r, 2)) {
		if why != "it asked more than team.harness.calls, 64, times" {
			t.Error(why)
		}
	}
	if m := h.Take(3); m.Limited != 2 {
		t.Errorf("%+v", m)
	}
	_, r = setting(t, harness.Settings{Command: self(t, "results", `{"error":"it was told 403"}`), Calls: 1})
	if f := failures(run(t, r, 1)); len(f) == 0 || f[0] != "it asked more than team.harness.calls, 1, times" {
		t.Errorf("of one that says so: %q", f)
	}
}

// TestBehindAnswer: what a process that stays does behind its answer fails no other episode.
func TestBehindAnswer(t *testing.T) {
	_, r := setting(t, harness.Settings{Command: self(t, "pair")})
	want := stored(t, run(t, r, 3))
	for _, does := range []string{"half", "end"} {
		_, r := setting(t, harness.Settings{Command: self(t, "stay for one", does), Keep: true, Parallel: 1})
		if got := stored(t, run(t, r, 3)); got != want {
			t.Errorf("%s: %s\nwant %s", does, got, want)
		}
	}
}

// TestUnstarted: what cannot be started fails every episode, and says so.
func TestUnstarted(t *testing.T) {
	for _, keep := range []bool{false, true} {
		_, r := setting(t, harness.Settings{Command: []string{filepath.Join(t.TempDir(), "none")}, Keep: keep})
		f := failures(run(t, r, 2))
		if len(f) != 4 || !strings.Contains(f[0], "the program: start it: ") {
			t.Errorf("%q", f)
		}
	}
}

// TestLines: a line of a process that stays which is no result says what is wrong with it.
func TestLines(t *testing.T) {
	for does, why := range map[string]string{"long line": "its line has more than 1048576 bytes", "id as text": `expected a result with "id": 3, the number`} {
		_, r := setting(t, harness.Settings{Command: self(t, "stay, fault", does), Keep: true, Parallel: 1})
		if f := failures(run(t, r, 2)); len(f) != 2 || !strings.Contains(f[0], why) {
			t.Errorf("%s: %.300q", does, f)
		}
	}
}

// TestNoArgument: a question that can be no argument of a program fails its episodes, and says so.
func TestNoArgument(t *testing.T) {
	_, r := setting(t, harness.Settings{Command: self(t, "pair", "{{.Question}}")})
	list := problems(1)
	list[0].Question = "a\x00b"
	episodes, err := r.Run(t.Context(), "train", 3, list)
	if f := failures(episodes); err != nil || len(f) != 2 || !strings.Contains(f[0], "team.harness.command[2]: the problem has the character U+0000") {
		t.Errorf("%q, %v", f, err)
	}
}

// TestLeft: an answer whose client has gone is no message.
func TestLeft(t *testing.T) {
	h, r := setting(t, harness.Settings{Command: self(t, "fault", "leaves")})
	for _, n := range run(t, r, 2)[1].Nodes {
		if n.Agents[0].Messages[0].Content != "first" {
			t.Errorf("%+v", n.Agents[0])
		}
	}
	m := h.Take(3)
	if data, err := json.Marshal(m); err != nil || m.Timing.Left != 2 || strings.Contains(string(data), "left") {
		t.Errorf("%+v: %s, %v", m, data, err)
	}
}

// TestLog: what failed episodes print is kept, and no more than a bound.
func TestLog(t *testing.T) {
	var log strings.Builder
	s := harness.Settings{Command: self(t, "fault", "exit 3"), Log: &log}
	_, r := setting(t, s)
	run(t, r, 2)
	if text := log.String(); strings.Count(text, "no more memory") != 4 || !strings.Contains(text, " t3-1-0: the program: it ended (exit status 3)") || strings.Contains(text, "t3-0-") {
		t.Errorf("%s", text)
	}
	log.Reset()
	s.Command = self(t, "fault", "noise")
	_, r = setting(t, s)
	r.Settings.Episodes = 70
	run(t, r, 2)
	if n := log.Len(); n != 1<<20 {
		t.Errorf("%d bytes", n)
	}
}

// TestBroken: an engine that fails ends the rollout with its error.
func TestBroken(t *testing.T) {
	_, r := setting(t, harness.Settings{Command: self(t, "pair")})
	broken := errors.New("out of memory")
	r.Actors[0].Engine = &dice{fails: broken}
	if _, err := r.Run(t.Context(), "train", 1, problems(4)); !errors.Is(err, broken) || !strings.Contains(err.Error(), "sample answers") {
		t.Error(err)
	}
}

// TestTooLong: a prompt that an engine refuses fails nobody but who asked.
func TestTooLong(t *testing.T) {
	_, r := setting(t, harness.Settings{Command: self(t, "pair")})
	r.Actors[0].Engine = &dice{fails: fmt.Errorf("prompt: %w", engine.ErrTooLong)}
	for _, e := range run(t, r, 1) {
		if e.Failed() != "" || len(e.Nodes) != 2 || !strings.HasPrefix(e.Nodes[0].Agents[0].Messages[0].Content, "Better: 502") {
			t.Errorf("%v, %d nodes", e.Failures(), len(e.Nodes))
		}
	}
}

// TestInterrupted: when the run ends, so do its episodes, and their processes.
func TestInterrupted(t *testing.T) {
	for _, s := range []harness.Settings{{Command: self(t, "pair")}, {Command: self(t, "stay"), Keep: true}} {
		h, r := setting(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		r.Actors[1].Engine = &waiting{cancel: cancel}
		if _, err := r.Run(ctx, "train", 1, problems(8)); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}

// waiting is an engine that never answers; the run ends when it is asked.
type waiting struct {
	engine.Engine
	once   sync.Once
	cancel func()
}

func (w *waiting) Sample(ctx context.Context, _ []engine.SampleRequest) ([]engine.Sample, error) {
	w.once.Do(w.cancel)
	<-ctx.Done()
	return nil, ctx.Err()
}
