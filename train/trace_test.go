package train_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/engine/native"
	"parley/recipe/language"
	"parley/runs"
	"parley/train"
)

// An event is one of trace.json, as a viewer reads it.
type event struct {
	Name string  `json:"name"`
	Cat  string  `json:"cat"`
	Ph   string  `json:"ph"`
	At   float64 `json:"ts"`
	Dur  float64 `json:"dur"`
	Pid  int     `json:"pid"`
	Tid  int     `json:"tid"`
	Args struct {
		Update int `json:"update"`
	} `json:"args"`
}

func readTrace(t *testing.T, dir string) []event {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "trace.json"))
	if err != nil {
		t.Fatal(err)
	}
	var events []event
	if err := json.Unmarshal(data, &events); err != nil {
		t.Fatalf("trace.json: %v", err)
	}
	return events
}

// wantNested checks that the events of each track nest: one that begins inside another ends there too.
func wantNested(t *testing.T, events []event) {
	t.Helper()
	const tolerance = 0.51 // of a microsecond: times since 1970 leave a float64 a quarter of one
	byTrack := map[int][]event{}
	for _, e := range events {
		if e.Ph != "X" || e.Pid != 1 || e.Dur < 0 {
			t.Errorf("event %+v", e)
		}
		byTrack[e.Tid] = append(byTrack[e.Tid], e)
	}
	for track, list := range byTrack {
		slices.SortStableFunc(list, func(a, b event) int {
			if a.At != b.At {
				return int(math.Copysign(1, a.At-b.At))
			}
			return int(math.Copysign(1, b.Dur-a.Dur))
		})
		var open []event
		for _, e := range list {
			for len(open) > 0 && open[len(open)-1].At+open[len(open)-1].Dur <= e.At+tolerance {
				open = open[:len(open)-1]
			}
			if len(open) > 0 && e.At+e.Dur > open[len(open)-1].At+open[len(open)-1].Dur+tolerance {
				t.Errorf("track %d: %s %v+%v reaches out of %s", track, e.Name, e.At, e.Dur, open[len(open)-1].Name)
			}
			open = append(open, e)
		}
	}
}

// TestTrace: trace.json of a run that was interrupted and resumed holds every update once, its events nest, and they add up to the
// times of timing.jsonl. TestLongTrace looks at runs that nothing but a task scores.
func TestTrace(t *testing.T) {
	tracedRuns(t, map[string]traced{"marlhf-tiny": {[]string{"preference.candidates=4", "reward.model.problems=8", "training.problems=2"}, true}})
}

// traced is how a run is made, of which trace.json is read.
type traced struct {
	sets   []string
	scores bool // by an engine
}

func tracedRuns(t *testing.T, cases map[string]traced) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := quick(t, name, append(c.sets, "training.checkpoint=2")...)
			if _, err := train.Run(stopAfter(&o, train.Updated, 3), o); err == nil {
				t.Fatal("the run was not interrupted")
			}
			if _, err := train.Run(context.Background(), train.Options{Backend: native.Backend{}, Language: language.New(), Dir: o.Dir, Resume: true, MaxUpdates: -1}); err != nil {
				t.Fatal(err)
			}
			events := readTrace(t, o.Dir)
			wantNested(t, events)
			checkTimings(t, o.Dir, events)
			if got := within(events, "forward", "score"); c.scores != (got > 0) {
				t.Errorf("%d forward passes of engines in scoring", got)
			}
		})
	}
}

// within counts the calls of engines that lie inside a phase.
func within(events []event, call, phase string) int {
	n := 0
	for _, p := range events {
		for _, e := range events {
			if p.Cat == "phase" && p.Name == phase && e.Cat == "engine" && e.Name == call && p.At <= e.At && e.At+e.Dur <= p.At+p.Dur+1 {
				n++
			}
		}
	}
	return n
}

// checkTimings compares each line of timing.jsonl with the events of its update.
func checkTimings(t *testing.T, dir string, events []event) {
	t.Helper()
	updates := 0
	err := runs.ReadLines(dir, "timing.jsonl", func(line []byte) error {
		var timing train.Timing
		if err := json.Unmarshal(line, &timing); err != nil {
			return err
		}
		updates++
		sums := map[string]float64{}
		for _, e := range events {
			if e.Args.Update == timing.Update {
				sums[e.Cat+" "+e.Name] += e.Dur / 1e6
				sums[e.Cat] += e.Dur / 1e6
			}
		}
		for what, want := range map[string]float64{
			"update": timing.Seconds, "phase": timing.Seconds, "phase sample": timing.SampleSeconds - timing.ScoreSeconds,
			"phase score": timing.ScoreSeconds, "phase train": timing.LearnSeconds, "phase save": timing.SaveSeconds,
			"engine": (1 - timing.IdleShare) * timing.Seconds,
		} {
			if math.Abs(sums[what]-want) > 1e-6*(1+want) {
				t.Errorf("update %d: events of %s take %v s, timing.jsonl says %v", timing.Update, what, sums[what], want)
			}
		}
		if sums["writer episodes"] <= 0 || sums["engine sample"] <= 0 || sums["engine step"] <= 0 || timing.IdleShare <= 0 || timing.IdleShare >= 1 {
			t.Errorf("update %d: %v, idle share %v", timing.Update, sums, timing.IdleShare)
		}
		return nil
	})
	if err != nil || updates != 4 {
		t.Errorf("%d updates, %v", updates, err)
	}
}
