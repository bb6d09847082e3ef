package resuming_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/model"
	"parley/recipe/language"
	"parley/train"
	"parley/train/shortrun"
)

// A counting backend counts what its engines are asked for, and interrupts once they have been asked so often; 0: never.
type counting struct {
	native.Backend
	interrupt context.CancelFunc
	after     int64
	asked     *atomic.Int64 // calls of engines
	requests  *atomic.Int64
}

// A countingEngine has the abilities of the engine that it counts for.
type countingEngine struct {
	*native.Engine
	counting
}

func (b counting) Open(ctx context.Context, m *model.Model, o engine.Options) (engine.Engine, error) {
	e, err := b.Backend.Open(ctx, m, o)
	if err != nil {
		return nil, err
	}
	return &countingEngine{e.(*native.Engine), b}, nil
}

func (e *countingEngine) count(n int) {
	e.requests.Add(int64(n))
	if e.asked.Add(1) == e.after {
		e.interrupt()
	}
}

func (e *countingEngine) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	e.count(len(reqs))
	return e.Engine.Sample(ctx, reqs)
}

func (e *countingEngine) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	e.count(len(reqs))
	return e.Engine.Stream(ctx, reqs, each)
}

// evaluation is one of a recipe that counts, interrupted after so many calls of its engines.
func evaluation(t *testing.T, o train.Options, after int) (context.Context, train.Options, *atomic.Int64) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	c := counting{interrupt: cancel, after: int64(after), asked: new(atomic.Int64), requests: new(atomic.Int64)}
	o.Backend, o.Language, o.Version = c, language.New(), "test"
	return ctx, o, c.requests
}

// report is what an evaluation reports, as text.
func report(ctx context.Context, t *testing.T, o train.Options) (string, error) {
	t.Helper()
	result, err := train.Evaluate(ctx, o)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(result.Report)
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + result.Text, nil
}

func evaluatedRecipe(t *testing.T, name string, sets []string) train.Options {
	t.Helper()
	return train.Options{Recipe: shortrun.Load(t, name, append(append([]string{}, shortrun.Small...), sets...)...), MaxUpdates: -1}
}

// TestEvaluationGoesOn: an evaluation that is interrupted wherever it is goes on, reports the same, byte for byte, asks its engines for less than a whole one,
// and leaves nothing behind. TestLongEvaluationGoesOn shows so for more systems.
func TestEvaluationGoesOn(t *testing.T) {
	evaluationGoesOn(t, "corex-review-tiny", []string{"eval.problems=24", "eval.baselines=[single, majority-vote]"})
}

func evaluationGoesOn(t *testing.T, name string, sets []string) {
	t.Helper()
	ctx, whole, _ := evaluation(t, evaluatedRecipe(t, name, sets), 0)
	want, err := report(ctx, t, whole)
	if err != nil {
		t.Fatal(err)
	}
	ctx, whole, all := evaluation(t, evaluatedRecipe(t, name, sets), 0)
	whole.Kept, whole.Answers = filepath.Join(t.TempDir(), "kept"), filepath.Join(t.TempDir(), "answers.jsonl.zst")
	if got, err := report(ctx, t, whole); err != nil || got != want {
		t.Fatalf("keeping: %v\n%s\nwant\n%s", err, got, want)
	}
	calls := int(whole.Backend.(counting).asked.Load())
	for _, after := range []int{calls/2 + 1, calls} {
		dir := filepath.Join(t.TempDir(), "kept")
		ctx, broken, _ := evaluation(t, evaluatedRecipe(t, name, sets), after)
		broken.Kept = dir
		_, err := report(ctx, t, broken)
		if !errors.Is(err, train.ErrInterrupted) || !strings.Contains(err.Error(), "parley eval --resume "+dir) {
			t.Fatalf("interrupted after %d calls of %d: %v", after, calls, err)
		}
		ctx, further, left := evaluation(t, train.Options{MaxUpdates: -1, Kept: dir, Resume: true, Answers: whole.Answers + ".again"}, 0)
		got, err := report(ctx, t, further)
		if err != nil {
			t.Fatal(err)
		}
		if answers := filepath.Dir(whole.Answers); !bytes.Equal(shortrun.File(t, answers, "answers.jsonl.zst"), shortrun.File(t, answers, "answers.jsonl.zst.again")) {
			t.Errorf("interrupted after %d calls of %d: the answers differ", after, calls)
		}
		if got != want {
			t.Errorf("interrupted after %d calls of %d: the report differs:\n%s\nwant\n%s", after, calls, got, want)
		}
		if left.Load() >= all.Load() {
			t.Errorf("interrupted after %d calls of %d: %d answers of %d were asked for again", after, calls, left.Load(), all.Load())
		}
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("the folder is left behind: %v", err)
		}
	}
}

// TestEvaluationIsRefused: a folder that is none, that another process writes to, that was made over other files, or whose recipe was changed.
func TestEvaluationIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	goOn := train.Options{Kept: dir, Resume: true, MaxUpdates: -1}
	refused := func(what string) {
		t.Helper()
		ctx, o, asked := evaluation(t, goOn, 0)
		if _, err := report(ctx, t, o); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %q", err, what)
		}
		if asked.Load() > 0 {
			t.Error("something was played")
		}
	}
	refused("no interrupted evaluation")
	ctx, o, _ := evaluation(t, evaluatedRecipe(t, "corex-review-tiny", []string{"eval.problems=24"}), 7)
	o.Kept = dir
	if _, err := report(ctx, t, o); !errors.Is(err, train.ErrInterrupted) {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "evaluation.json")
	origin, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{"max_tokens: 48", "max_tokens: 47", "damaged"},
		{`"parley": "test"`, `"parley": "another"`, "damaged"},
	} {
		if err := os.WriteFile(name, []byte(strings.Replace(string(origin), c[0], c[1], 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		refused(c[2])
	}
	if err := os.WriteFile(name, origin, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, o, _ = evaluation(t, goOn, 0)
	o.Version = "another"
	if _, err := report(ctx, t, o); err == nil || !strings.Contains(err.Error(), "changed since the evaluation was interrupted") {
		t.Errorf("another parley: %v", err)
	}

	// The last line of a process that was killed may be torn, and a line may be damaged: what is behind it is played again.
	lines := filepath.Join(dir, "evaluation", "off-the-shelf.jsonl")
	data, err := os.ReadFile(lines)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lines, data[:len(data)-9], 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, o, _ = evaluation(t, goOn, 0)
	got, err := report(ctx, t, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, o, _ = evaluation(t, evaluatedRecipe(t, "corex-review-tiny", []string{"eval.problems=24"}), 0)
	if want, err := report(ctx, t, o); err != nil || got != want {
		t.Errorf("behind a torn line: %v\n%s\nwant\n%s", err, got, want)
	}
}

// A folder that cannot be made keeps nothing: it is said, and the evaluation goes on.
func TestEvaluationKeepsNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, o, _ := evaluation(t, evaluatedRecipe(t, "corex-review-tiny", []string{"eval.problems=4"}), 0)
	said := 0
	o.Kept, o.Observe = filepath.Join(file, "kept"), func(e train.Event) {
		if strings.Contains(e.Message, "finished problems are not kept") {
			said++
		}
	}
	if _, err := report(ctx, t, o); err != nil || said != 1 {
		t.Errorf("%v, said %d times", err, said)
	}
}
