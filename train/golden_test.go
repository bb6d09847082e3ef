package train_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"parley/engine/native/kernel"
	"parley/train/shortrun"
)

var update = flag.Bool("update", false, "rewrite the metrics in testdata/metrics")

// tiny are changes that make two updates of a shipped recipe a matter of half a second.
var tiny = []string{"training.updates=2", "training.problems=4", "eval.problems=1", "eval.baselines=[]", "eval.examples=0", "experiment.seeds=[]", "engine.threads=1"}

// goldens are the recipes whose metrics are kept, with the changes that they need beside tiny. Of experiments one variant is kept
// that no other recipe covers. Recipes that run programs and need bubblewrap are in golden_sandbox_test.go.
var goldens = map[string][]string{
	"atgrpo-tiny":             nil,
	"bfcl-tiny":               nil,
	"bids-tiny":               nil,
	"c3-tiny":                 nil,
	"ccpo-tiny":               {"credit.alternate=1", "group.size=4", "credit.solo.lambda=0.2", "credit.solo.baseline=paired"},
	"chain-tiny":              nil,
	"debate-sums":             nil,
	"debate-sums-feedback":    nil,
	"debate-sums-mixed":       {"models=[parley-base, testdata/tiny-base]"},
	"debate-sums-per-agent":   nil,
	"debate-sums-shared":      nil,
	"debate-verifier":         nil,
	"divide-tiny":             {"task.play_every=2", "task.games=10", "group.size=2"},
	"drmamr-tiny":             nil,
	"drmas-tiny":              {"loss.per=agents"},
	"fuse-tiny":               {"task.train=8", "fuse.epochs=1", "fuse.minibatches=2", "fuse.schedule=linear"},
	"iac-tiny":                nil,
	"kuhn-selfplay-tiny":      {"opponents.every=1", "task.play_every=1", "group.size=3", "group.buffer=0", "group.train_batch=0"},
	"leader-tiny":             nil,
	"maac-tiny":               nil,
	"leduc-selfplay-tiny":     {"opponents.every=1", "task.play_every=2", "group.size=2", "group.buffer=0", "group.train_batch=0"},
	"madpo-tiny":              {"preference.iterations=2"},
	"magrpo-arxiv-tiny":       {"group.size=2", "sampling.max_tokens=160"},
	"magrpo-housebuild-tiny":  nil,
	"magrpo-strbuild-tiny":    nil,
	"magrpo-tiny":             nil,
	"magrpo-tldr-tiny":        nil,
	"magrpo-tiny-cross":       nil,
	"maporl-e1-tiny":          {"experiment.variants={}", "reward.incentives.alpha1=2"},
	"maporl-e4-tiny":          {"experiment.variants={}", "models=[parley-base, testdata/tiny-base]"},
	"maporl-e5-tiny":          {"experiment.variants={}", "algorithm=sft", "sft.pool=run", "sft.keep=0.1", "sft.epochs=2"},
	"maporl-g7-tiny":          {"experiment.variants={}", "reward.source=final-label"},
	"malt-tiny":               nil,
	"mareinforce-tiny":        nil,
	"maremax-tiny":            nil,
	"marlhf-tiny":             {"reward.model.problems=8"},
	"marloo-tiny":             nil,
	"mgrpo-tiny":              {"credit.calls=sample"},
	"mlpo-tiny":               {"task.train=12"},
	"mutual-tiny":             {"experiment.variants={}", "mutual.teacher_every=8"},
	"matrix-chicken-tiny":     {"task.play_every=2", "group.size=2"},
	"path-tiny":               nil,
	"rae-tiny":                nil,
	"read-j-tiny":             {"read.repeats=1"},
	"read-s-tiny":             {"read.repeats=1"},
	"review-tiny":             nil,
	"single-tiny":             nil,
	"sweet-tiny":              {"task.train=4", "group.size=4", "sweet.pairs=best", "task.need=0"},
	"tictactoe-selfplay-tiny": {"opponents.every=1", "task.play_every=2", "task.games=10", "group.size=2"},
	"tiny-hanabi-tiny":        {"task.play_every=2"},
	"tool-sums-tiny":          nil,
	"tournament-tiny":         nil,
	"travel-tiny":             nil,
	"vote-tiny":               nil,
}

// quickest are the goldens that every run of the tests compares: families of learners, workflows, tools, games, phases.
var quickest = []string{
	"chain-tiny", "debate-sums", "iac-tiny", "kuhn-selfplay-tiny", "madpo-tiny", "magrpo-tiny", "read-s-tiny", "tool-sums-tiny",
}

// TestMetricsGolden trains two updates of tiny recipes and compares metrics.jsonl with the one that is kept: a change that is meant to change no number
// changes none. TestLongMetricsGolden does so with all of [goldens]. -update rewrites the files of all; commit them only where every difference is meant.
//
// Numbers depend on how the kernels round, so there is a file for each numeric kind (see package kernel), and a run is compared with
// that of its own; PARLEY_CPU=generic runs the other. On amd64 the bytes are equal. The compiler of other processors fuses
// multiplications with additions, so that last digits differ there.
func TestMetricsGolden(t *testing.T) {
	names := quickest
	if *update {
		names = slices.Sorted(maps.Keys(goldens))
	}
	metricsGolden(t, names)
}

func metricsGolden(t *testing.T, names []string) {
	t.Helper()
	kind := numericKind(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := shortrun.Load(t, name, append(slices.Clone(tiny), goldens[name]...)...)
			result, _ := shortrun.Run(t, r)
			compareMetrics(t, filepath.Join("testdata", "metrics", kind, name+".jsonl"), metricsFile(t, result.Dir))
		})
	}
}

// numericKind is that of the kernels that runs take here. Over float32 weights, such as those of the shipped base, tiles are fused.
func numericKind(t *testing.T) string {
	t.Helper()
	k, err := kernel.New(os.Getenv("PARLEY_CPU"), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	if k.Kind() == "tiles" {
		return "fused"
	}
	return k.Kind()
}

func compareMetrics(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; make it with -update", err)
	}
	if bytes.Equal(got, want) {
		return
	}
	for _, d := range differences(t, want, got) {
		t.Errorf("%s: %s", file, d)
	}
}

// differences lists the fields in which two metrics.jsonl differ.
func differences(t *testing.T, want, got []byte) (list []string) {
	t.Helper()
	wanted, gotten := bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))
	if len(wanted) != len(gotten) {
		return []string{fmt.Sprintf("%d lines, want %d", len(gotten)-1, len(wanted)-1)}
	}
	for i := range wanted {
		list = append(list, fieldDifferences(t, fmt.Sprintf("line %d", i+1), wanted[i], gotten[i])...)
	}
	if len(list) == 0 && runtime.GOARCH == "amd64" {
		list = append(list, "the order or the form of fields changed")
	}
	return list
}

func fieldDifferences(t *testing.T, place string, want, got []byte) (list []string) {
	t.Helper()
	a, b := leaves(t, want), leaves(t, got)
	for key, x := range a {
		if y, ok := b[key]; !ok || !same(x, y) {
			list = append(list, fmt.Sprintf("%s, %s: %v, want %v", place, key, b[key], x))
		}
	}
	for key, y := range b {
		if _, ok := a[key]; !ok {
			list = append(list, fmt.Sprintf("%s, %s: %v, which is new", place, key, y))
		}
	}
	slices.Sort(list)
	return list
}

// same reports whether two values are equal, on processors other than amd64 up to what another order of rounding does.
func same(x, y any) bool {
	a, ok := x.(float64)
	b, both := y.(float64)
	if !ok || !both || runtime.GOARCH == "amd64" {
		return x == y
	}
	return math.Abs(a-b) <= 1e-6*max(1, math.Abs(a))
}

// leaves are the values of a JSON object under their paths.
func leaves(t *testing.T, line []byte) map[string]any {
	t.Helper()
	out := map[string]any{}
	if len(line) == 0 {
		return out
	}
	var v any
	if err := json.Unmarshal(line, &v); err != nil {
		t.Fatal(err)
	}
	var walk func(path []string, v any)
	walk = func(path []string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, x := range v {
				walk(append(path[:len(path):len(path)], key), x)
			}
		case []any:
			for i, x := range v {
				walk(append(path[:len(path):len(path)], fmt.Sprint(i)), x)
			}
		default:
			out[strings.Join(path, ".")] = v
		}
	}
	walk(nil, v)
	return out
}
