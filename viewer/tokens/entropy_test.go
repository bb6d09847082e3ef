package tokens

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/rl/rollout"
)

// TestEntropy: of four tokens with probabilities 1/2, 1/4, 1/8, 1/8, whose entropy is 1.75 bits, masks and cuts leave some, which share all
// probability.
func TestEntropy(t *testing.T) {
	const ln2 = math.Ln2
	for name, c := range map[string]struct {
		sampling engine.Sampling
		mask     engine.Mask
		place    int
		want     float64
	}{
		"whole":              {engine.Sampling{Temperature: 1}, engine.Mask{}, 0, 1.75 * ln2},
		"top_k 2":            {engine.Sampling{Temperature: 1, TopK: 2}, engine.Mask{}, 0, -(2.0/3*math.Log(2.0/3) + 1.0/3*math.Log(1.0/3))},
		"top_k, ties":        {engine.Sampling{Temperature: 1, TopK: 3}, engine.Mask{}, 0, -(4.0/7*math.Log(4.0/7) + 2.0/7*math.Log(2.0/7) + 1.0/7*math.Log(1.0/7))},
		"top_p reached":      {engine.Sampling{Temperature: 1, TopP: 0.5}, engine.Mask{}, 0, 0},
		"top_p behind it":    {engine.Sampling{Temperature: 1, TopP: 0.75}, engine.Mask{}, 0, -(2.0/3*math.Log(2.0/3) + 1.0/3*math.Log(1.0/3))},
		"top_k, then top_p":  {engine.Sampling{Temperature: 1, TopK: 2, TopP: 0.6}, engine.Mask{}, 0, 0}, // 2/3 of what top_k leaves
		"never":              {engine.Sampling{Temperature: 1}, engine.Mask{Never: [][2]int{{0, 2}}}, 0, ln2},
		"early":              {engine.Sampling{Temperature: 1}, engine.Mask{Early: []int{0}, Least: 1}, 0, 1.5 * ln2},
		"early, behind that": {engine.Sampling{Temperature: 1}, engine.Mask{Early: []int{0}, Least: 1}, 1, 1.75 * ln2},
		"greedy":             {engine.Sampling{TopK: 1}, engine.Mask{}, 0, 1.75 * ln2},
		"ids of others":      {engine.Sampling{Temperature: 1}, engine.Mask{Never: [][2]int{{-1, 0}, {4, 9}}, Early: []int{7}, Least: 1}, 0, 1.75 * ln2},
	} {
		logprobs := []float32{}
		for _, p := range []float64{0.5, 0.25, 0.125, 0.125} {
			logprobs = append(logprobs, float32(math.Log(p)))
		}
		if got := entropy(logprobs, c.sampling, c.mask, c.place); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
}

// TestRead: the newest whole line of an episode counts, however long others are.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	if r, err := Read(dir, 1, 0); r.Result != nil || err != nil {
		t.Errorf("a run without results: %v, %v", r, err)
	}
	long := `{"update":1,"index":1,"created":"` + strings.Repeat("x", 1<<18) + `","answers":[]}`
	none := []Answer{}
	if err := keep(dir, []Result{{Update: 1, Created: "a", Answers: none}, {Update: 10, Created: "b", Answers: none}, {Update: 1, Created: "c", Answers: none}}); err != nil {
		t.Fatal(err)
	}
	add := func(text string) {
		f, err := os.OpenFile(filepath.Join(dir, File), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	add(long + "\n" + `{"update":1,"index":0,"created":"cut o`)
	if r, err := Read(dir, 1, 0); err != nil || r.Result == nil || r.Created != "c" {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := Read(dir, 1, 1); err != nil || r.Result == nil || len(r.Created) != 1<<18 {
		t.Errorf("a long line: %v", err)
	}
	if err := keep(dir, []Result{{Update: 1, Created: "d", Answers: none}}); err != nil {
		t.Fatal(err)
	}
	if r, err := Read(dir, 1, 0); err != nil || r.Result == nil || r.Created != "d" {
		t.Errorf("behind a line that was cut off: %+v, %v", r, err)
	}
	add("no result\n\n" + `{"update":2,"index":0,"created":` + "\n")
	r, err := Read(dir, 2, 0)
	if want := []string{"tokens.jsonl:7", "tokens.jsonl:9"}; err != nil || r.Result != nil || !slices.Equal(r.Damaged, want) {
		t.Errorf("damaged lines: %+v, %v, want %q", r, err, want)
	}
	if why := r.Strip(nil, &rollout.Completion{Tokens: []int{1}}, Place{}).Missing[0].Why; !strings.Contains(why, "(tokens.jsonl:7, tokens.jsonl:9: damaged") {
		t.Errorf("the strip does not say it: %s", why)
	}
}

// FuzzRead: whatever stands in the file, no result is of another episode, and reading ends.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"update":1,"index":0,"answers":[{"node":0,"entropy":[1e999]}]}` + "\n"))
	f.Add([]byte("{\"update\":1,\"index\":0,\n\n\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, File), data, 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := Read(dir, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if r.Result != nil && r.Index != 0 {
			t.Errorf("a result of episode %d", r.Index)
		}
		lines := bufio.NewScanner(strings.NewReader(string(data)))
		lines.Buffer(nil, 1<<20)
		some := false
		for lines.Scan() {
			some = some || strings.HasPrefix(lines.Text(), `{"update":1,"index":0,`)
		}
		if r.Result != nil && !some {
			t.Errorf("a result of nothing: %+v", r)
		}
	})
}
