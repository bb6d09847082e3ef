package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"parley/engine"
	"parley/internal/sysmem"
	"parley/rl/rollout/harness"
	"parley/runs"
	"parley/train/timeline"
)

// Timing is one line of timing.jsonl.
type Timing struct {
	Update           int     `json:"update"`
	Seconds          float64 `json:"seconds"`
	SampleSeconds    float64 `json:"sample_seconds"` // the rollout, scoring included
	ScoreSeconds     float64 `json:"score_seconds"`  // of the rollout: judging, and opening the next turn
	LearnSeconds     float64 `json:"learn_seconds"`
	SaveSeconds      float64 `json:"save_seconds"`
	PanelSeconds     float64 `json:"panel_seconds,omitempty"` // measuring held-out problems; 0: none were measured
	IdleShare        float64 `json:"idle_share"`              // of the update: no engine computes
	TokensPerSecond  float64 `json:"tokens_per_second"`       // generated tokens over the whole update
	SampledPerSecond float64 `json:"sampled_per_second"`      // generated tokens over the time of the rollout
	HeapMiB          float64 `json:"heap_mib"`
	PeakMiB          float64 `json:"peak_mib"`              // most memory of the program so far; 0 where the system does not say
	SplitCalls       int     `json:"split_calls,omitempty"` // calls of training in which one policy's data took more than one pass
	// Computed counts the tokens that went through the nets of the agents' engines; nil where no engine says.
	Computed *engine.Computed `json:"computed,omitempty"`
	// Harness is what is timed of the team's program; nil: it works in none.
	Harness *harness.Timing `json:"harness,omitempty"`
	// Apart is how far, in nats, samples of a cluster are from what this machine computes for them; nil where none was scored again.
	Apart *float64 `json:"apart,omitempty"`
}

// NewTiming adds up the spans of the update of m.
func NewTiming(m *Metrics, spans []timeline.Span) *Timing {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	phase := func(name string) float64 { return timeline.Seconds(spans, "phase", name) }
	whole, score := timeline.Seconds(spans, "update", ""), phase(timeline.Score)
	rollout := phase(timeline.Sample) + score
	t := &Timing{
		Computed: timeline.Computed(spans), Apart: timeline.Apart(spans),
		Update: m.Update, Seconds: whole, SampleSeconds: rollout, ScoreSeconds: score, LearnSeconds: phase(timeline.Train), SaveSeconds: phase(timeline.Save),
		PanelSeconds:    phase(timeline.Panel),
		IdleShare:       1 - timeline.Covered(spans, "engine")/whole,
		TokensPerSecond: float64(m.Tokens) / whole, SampledPerSecond: float64(m.Tokens) / rollout, HeapMiB: float64(mem.HeapInuse) / (1 << 20),
		PeakMiB: float64(sysmem.Peak()) / (1 << 20),
	}
	if h := m.Harness; h != nil {
		t.Harness = &h.Timing
	}
	return t
}

// A HarnessLog appends what programs of a team write in episodes that fail to a file of the run's folder, which is made with the first entry, and gets no
// more than a bound.
type HarnessLog struct{ Dir string }

const longestLog = 1 << 20

// Write implements [io.Writer].
func (h HarnessLog) Write(data []byte) (int, error) {
	file, left := h.file(), int64(longestLog)
	switch there, err := os.Stat(file); {
	case err == nil && !there.Mode().IsRegular():
		return 0, fmt.Errorf("%s is no file", file) // to open a pipe would wait for who reads it
	case err == nil:
		left = max(0, left-there.Size())
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	n, err := f.Write(data[:min(int64(len(data)), left)])
	return n, errors.Join(err, f.Close())
}

func (h HarnessLog) file() string { return filepath.Join(h.Dir, "harness.log") }

// Named is the error of a run with the name of the file, where there is one.
func (h HarnessLog) Named(err error) error {
	if _, none := os.Stat(h.file()); none != nil {
		return err
	}
	return fmt.Errorf("%w\nwhat the program wrote in episodes that failed is in %s", err, h.file())
}

// TrainSeconds adds up the updates of the run in dir, those before an interruption too.
func TrainSeconds(dir string) (float64, error) {
	sum := 0.0
	err := runs.ReadLines(dir, "timing.jsonl", func(data []byte) error {
		var t Timing
		err := json.Unmarshal(data, &t)
		sum += t.Seconds
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("add up training time: %w", err)
	}
	return sum, nil
}
