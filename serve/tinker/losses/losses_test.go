package losses

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine/tinker/wire"
)

// TestVectors compares values and slopes of every loss with those of the shared file, or of the copy of its part.
func TestVectors(t *testing.T) {
	dir := os.Getenv("PARLEY_VECTORS")
	if dir == "" {
		dir = "testdata"
	}
	data, err := os.ReadFile(filepath.Join(dir, "tinker.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Losses struct {
			Inputs struct {
				P          []float64 `json:"p"`
				Q          []float32 `json:"logprobs_q"`
				Advantages []float32 `json:"advantages"`
				Weights    []float32 `json:"weights"`
			}
			Cases []struct {
				Loss   string             `json:"loss_fn"`
				Config map[string]float64 `json:"loss_fn_config"`
				Values []float64          `json:"elementwise"`
				Slopes []float64          `json:"grad_wrt_p"`
			}
		} `json:"loss_vectors"`
	}
	if err := json.Unmarshal(data, &file); err != nil || len(file.Losses.Cases) == 0 {
		t.Fatalf("%d cases, %v", len(file.Losses.Cases), err)
	}
	in := file.Losses.Inputs
	d := &Datum{Weights: in.Weights, Logprobs: in.Q, Advantages: in.Advantages, K: 1}
	for _, c := range file.Losses.Cases {
		l, err := New(c.Loss, c.Config)
		if err != nil {
			t.Fatalf("%s: %v", c.Loss, err)
		}
		for i, p := range in.P {
			loss, slope := l.At(d, i, p)
			if math.Abs(loss-c.Values[i]) > 1e-9 || math.Abs(slope-c.Slopes[i]) > 1e-9 {
				t.Errorf("%s %v at %d: %.12g with the slope %.12g, want %.12g and %.12g", c.Loss, c.Config, i, loss, slope, c.Values[i], c.Slopes[i])
			}
		}
	}
}

// TestSlopes: the slope of every loss is that of its value, on both sides of every bound.
func TestSlopes(t *testing.T) {
	d := &Datum{Weights: []float32{-2}, Logprobs: []float32{-1}, Advantages: []float32{0}, K: 1}
	const h = 1e-6
	for name, config := range map[string]map[string]float64{"cross_entropy": nil, "importance_sampling": nil, "ppo": nil, "dro": {"beta": 0.3}} {
		l, err := New(name, config)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []float32{-1.5, 0, 2} {
			for p := -2.0; p < 0; p += 0.13 {
				d.Advantages[0] = a
				up, _ := l.At(d, 0, p+h)
				down, _ := l.At(d, 0, p-h)
				if _, slope := l.At(d, 0, p); math.Abs((up-down)/(2*h)-slope) > 1e-6 {
					t.Errorf("%s at %g with A = %g: the slope %g, differences say %g", name, p, a, slope, (up-down)/(2*h))
				}
			}
		}
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		loss   string
		config map[string]float64
		want   string
	}{
		"name":     {"gspo", nil, "there is no loss"},
		"setting":  {"ppo", map[string]float64{"beta": 1}, "no such setting"},
		"number":   {"ppo", map[string]float64{"clip_low_threshold": math.NaN()}, "expected a number"},
		"negative": {"cispo", map[string]float64{"clip_high_threshold": -1}, "expected a number"},
		"order":    {"ppo", map[string]float64{"clip_low_threshold": 2}, "is above"},
		"beta":     {"dro", nil, "beta is missing"},
	} {
		if _, err := New(c.loss, c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestHostileData: what does not fit is refused, by words that say what.
func TestHostileData(t *testing.T) {
	limits := Limits{Vocab: 10, Context: 5}
	three, ids := []int32{1, 2, 3}, wire.IntsOf([]int64{2, 3, 4})
	ones := wire.FloatsOf([]float32{1, 1, 1})
	read := func(loss string, tokens []int32, inputs map[string]wire.Tensor) error {
		l, err := New(loss, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = l.Read(&wire.Datum{Tokens: tokens, Inputs: inputs}, limits)
		return err
	}
	type in = map[string]wire.Tensor
	for name, c := range map[string]struct {
		loss   string
		tokens []int32
		inputs in
		want   string
	}{
		"no targets":      {"cross_entropy", three, in{"weights": ones}, "has no target_tokens"},
		"no advantages":   {"ppo", three, in{"target_tokens": ids, "logprobs": ones}, "has no advantages"},
		"unknown name":    {"cross_entropy", three, in{"target_tokens": ids, "mask": ones}, "does not read"},
		"weights of ppo":  {"ppo", three, in{"target_tokens": ids, "logprobs": ones, "advantages": ones, "weights": ones}, "does not read"},
		"short weights":   {"cross_entropy", three, in{"target_tokens": ids, "weights": wire.FloatsOf([]float32{1})}, "weights has the shape"},
		"short targets":   {"cross_entropy", three, in{"target_tokens": wire.IntsOf([]int64{1})}, "target_tokens has the shape"},
		"NaN":             {"cross_entropy", three, in{"target_tokens": ids, "weights": wire.FloatsOf([]float32{1, float32(math.NaN()), 1})}, "weights has NaN"},
		"infinite":        {"ppo", three, in{"target_tokens": ids, "logprobs": ones, "advantages": wire.FloatsOf([]float32{1, 1, float32(math.Inf(1))})}, "advantages has"},
		"float targets":   {"cross_entropy", three, in{"target_tokens": ones}, "no whole numbers"},
		"foreign target":  {"cross_entropy", three, in{"target_tokens": wire.IntsOf([]int64{1, 2, 10})}, "the vocabulary has 10"},
		"negative target": {"cross_entropy", three, in{"target_tokens": wire.IntsOf([]int64{1, -2, 1})}, "no token"},
		"huge target":     {"cross_entropy", three, in{"target_tokens": wire.IntsOf([]int64{1, 1 << 40, 1})}, "no token"},
		"foreign token":   {"cross_entropy", []int32{1, -1, 2}, in{"target_tokens": ids}, "the vocabulary has 10"},
		"no tokens":       {"cross_entropy", nil, in{"target_tokens": wire.IntsOf(nil)}, "no tokens"},
		"too long":        {"cross_entropy", []int32{1, 2, 3, 4, 5}, in{"target_tokens": wire.IntsOf([]int64{1, 2, 3, 4, 5})}, "context of 5"},
		"three axes":      {"cross_entropy", three, in{"target_tokens": {DType: wire.Int64, Ints: []int64{1, 2, 3}, Shape: []int64{3, 1, 1}}}, "the shape"},
		"many targets":    {"cross_entropy", three, in{"target_tokens": {DType: wire.Int64, Shape: []int64{3, 1 << 40}, Rows: []int64{0, 0, 0, 0}, Cols: []int64{}}}, "1 to 256 targets"},
		"several for ppo": {"ppo", three, in{"target_tokens": {DType: wire.Int64, Ints: []int64{1, 2, 3}, Shape: []int64{3, 1}}, "logprobs": ones, "advantages": ones}, "cross_entropy alone"},
	} {
		if err := read(c.loss, c.tokens, c.inputs); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestSparse: an array that leaves zeros out says the same as one that has them.
func TestSparse(t *testing.T) {
	l, err := New("cross_entropy", nil)
	if err != nil {
		t.Fatal(err)
	}
	rows, cols := []int64{0, 0, 1, 2}, []int64{0, 2}
	d, err := l.Read(&wire.Datum{Tokens: []int32{1, 2, 3}, Inputs: map[string]wire.Tensor{
		"target_tokens": {DType: wire.Int64, Ints: []int64{7, 8}, Shape: []int64{3, 4}, Rows: rows, Cols: cols},
		"weights":       {DType: wire.Float32, Floats: []float32{1, 0.5}, Shape: []int64{3, 4}, Rows: rows, Cols: cols},
	}}, Limits{Vocab: 10, Context: 10})
	if err != nil {
		t.Fatal(err)
	}
	if d.K != 4 || d.Targets[4] != 7 || d.Targets[10] != 8 || d.Weights[4] != 1 || d.Weights[10] != 0.5 || d.Weights[0] != 0 || len(d.Targets) != 12 {
		t.Errorf("%+v", d)
	}
}
