package train_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"parley/train"
)

// written is a line of decoding.jsonl.
type written struct {
	Problem, Text      string
	Tokens             []int
	Worth              float64
	Switches, Rollouts int
	Spans              []struct {
		Agent, Text string
		Tokens      int
	}
}

func traces(t *testing.T, dir string) (out []written) {
	t.Helper()
	lines := json.NewDecoder(bytes.NewReader(runFile(t, dir, "decoding.jsonl")))
	for lines.More() {
		var w written
		if err := lines.Decode(&w); err != nil {
			t.Fatal(err)
		}
		out = append(out, w)
	}
	return out
}

// TestTogetherOwnRuns: agents have what runs have learned, each by its folder, and stay as they are; a run over another base is refused, and so are
// runs of several policies, agents of several vocabularies, and rewards of two texts.
func TestTogetherOwnRuns(t *testing.T) {
	one := quick(t, "single-tiny", "training.updates=1", "policies.rank=2", "optimizer.lr=0.1")
	two := quick(t, "magrpo-tiny", "training.updates=1", "policies.rank=2")
	for _, o := range []train.Options{one, two} {
		if _, err := train.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	measured := func(sets ...string) (*train.Result, error) {
		o := quick(t, "collab-tiny", append([]string{"eval.problems=2", "collab.candidates=1"}, sets...)...)
		o.Dir = ""
		return train.Evaluate(context.Background(), o)
	}
	adapter := filepath.Join(one.Dir, "adapters", "policy-turn1")
	before := runFile(t, adapter, "adapter_model.safetensors")
	result, err := measured("collab.adapters=[" + one.Dir + ", '']")
	if err != nil {
		t.Fatal(err)
	}
	byFolder, err := measured("collab.adapters=[" + adapter + ", '']")
	if err != nil {
		t.Fatal(err)
	}
	bare, err := measured("collab.adapters=[]")
	if err != nil {
		t.Fatal(err)
	}
	tokens := func(r *train.Result, system string) float64 {
		row, _ := r.Report.Row(system)
		return row.TokensPerProblem
	}
	if a, b, c := tokens(result, "alone-explains"), tokens(byFolder, "alone-explains"), tokens(bare, "alone-explains"); a != b || a == c {
		t.Errorf("alone: %v tokens with a run, %v with its adapter, %v with neither", a, b, c)
	}
	if a, b := tokens(result, "alone-plain"), tokens(bare, "alone-plain"); a != b {
		t.Errorf("the agent without an adapter: %v and %v tokens", a, b)
	}
	if !bytes.Equal(before, runFile(t, adapter, "adapter_model.safetensors")) {
		t.Error("the adapter has changed")
	}
	for name, c := range map[string]struct{ sets, want string }{
		"vocabularies": {"models=[parley-base, parley-games] collab.adapters=[]", "explains speaks with parley-base and plain with parley-games, which cannot write one text"},
		"base":         {"model=testdata/tiny-base collab.adapters=[" + one.Dir + ",'']", "was trained over parley-base, but explains speaks with "},
		"policies":     {"collab.adapters=[" + two.Dir + ",'']", "has the policies policy-agent1, policy-agent2: name the folder of one"},
		"nothing":      {"collab.adapters=[nowhere,'']", "collab.adapters: explains: "},
	} {
		if _, err := measured(strings.Split(strings.ReplaceAll(c.sets, ", ", ","), " ")...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}
