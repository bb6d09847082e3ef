package bench

import (
	"errors"
	"strings"
	"testing"

	"parley/engine"
)

func openTiny(t *testing.T) *Bench {
	t.Helper()
	b, err := Open("random:tiny", "f32", engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	b.Runs = Runs{Count: 2}
	return b
}

// wantTokens checks the real and the computed tokens of each row.
func wantTokens(t *testing.T, rows []Row, err error, want map[string][2]int) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(want) {
		t.Errorf("%d rows, want %d", len(rows), len(want))
	}
	for _, r := range rows {
		if w := want[r.Name]; r.Tokens != w[0] || r.Computed != w[1] {
			t.Errorf("%s: %d tokens, %d computed; want %v", r.Name, r.Tokens, r.Computed, w)
		}
		if len(r.All) != 2 || !(r.Seconds > 0) || !(r.GFLOPs > 0) {
			t.Errorf("%s: %+v", r.Name, r)
		}
	}
}

// TestWork runs every kind of work on the smallest model.
func TestWork(t *testing.T) {
	t.Run("train", func(t *testing.T) {
		rows, err := openTiny(t).Train(t.Context(), Training{Batch: 3, Length: Span{4, 8}, Rank: 2})
		wantTokens(t, rows, err, map[string][2]int{"train": {4 + 6 + 8, 3 + 5 + 7}})
	})
	t.Run("generate", func(t *testing.T) {
		rows, err := openTiny(t).Generate(t.Context(), []int{2}, 5, 3)
		wantTokens(t, rows, err, map[string][2]int{"batch 2": {6, 14}, "batch 2, first token": {2, 10}, "batch 2, decoding": {4, 4}})
	})
	t.Run("group", func(t *testing.T) {
		rows, err := openTiny(t).Group(t.Context(), Group{Samples: 3, Prompt: 7, New: Span{2, 4}, Rank: 2})
		wantTokens(t, rows, err, map[string][2]int{"sample": {9, 7 + 6}, "train": {3*7 + 9, 7 + 6}})
	})
	t.Run("step", func(t *testing.T) {
		rows, err := openTiny(t).Step(t.Context(), Step{Agents: 2, Group: 3, Prompt: 7, New: 4, Rank: 2})
		wantTokens(t, rows, err, map[string][2]int{"step": {24, 2 * 2 * (7 + 9)}})
	})
	t.Run("adapters", func(t *testing.T) {
		w := Adapters{Counts: []int{1, 2}, Sampling: Sampling{2, 5, 3}, Training: Training{Batch: 2, Length: Span{6, 6}}}
		rows, err := openTiny(t).Adapters(t.Context(), w)
		wantTokens(t, rows, err, map[string][2]int{"sample, 1 adapters": {6, 14}, "sample, 2 adapters": {6, 14}, "train, 1 adapters": {12, 10}, "train, 2 adapters": {12, 10}})
		if rows[0].Ratio != 1 || rows[1].Ratio != 1 || !(rows[2].Ratio > 0) {
			t.Errorf("ratios %v %v %v", rows[0].Ratio, rows[1].Ratio, rows[2].Ratio)
		}
	})
	t.Run("gemm", func(t *testing.T) {
		rows, need, err := Products{M: 40}.Measure(t.Context(), "random:tiny", "f32", engine.Options{}, Limits{}, Runs{Count: 2})
		if err != nil || len(rows) != 2*9 || need < 32<<20 || need > 64<<20 {
			t.Errorf("%d rows, %d bytes, %v", len(rows), need, err)
		}
		rows, _, err = Products{M: 2, N: 48, K: 32}.Measure(t.Context(), "random:tiny", "f32", engine.Options{}, Limits{}, Runs{Count: 2})
		if err != nil || len(rows) != 1 || rows[0].Name != "48x32" || !(rows[0].GBs > 0) {
			t.Errorf("%+v, %v", rows, err)
		}
	})
}

// TestShapeErrors checks that work that cannot be done is refused as a mistake in its shape.
func TestShapeErrors(t *testing.T) {
	b := openTiny(t)
	for name, measure := range map[string]func() ([]Row, error){
		"length":    func() ([]Row, error) { return b.Train(t.Context(), Training{Batch: 1, Length: Span{1, 1}, Rank: 1}) },
		"batch":     func() ([]Row, error) { return b.Train(t.Context(), Training{Length: Span{4, 4}, Rank: 1}) },
		"rank":      func() ([]Row, error) { return b.Train(t.Context(), Training{Batch: 1, Length: Span{4, 4}}) },
		"context":   func() ([]Row, error) { return b.Generate(t.Context(), []int{1}, 500, 13) },
		"one token": func() ([]Row, error) { return b.Generate(t.Context(), []int{1}, 5, 1) },
		"samples":   func() ([]Row, error) { return b.Group(t.Context(), Group{Prompt: 4, New: Span{2, 2}, Rank: 1}) },
		"agents":    func() ([]Row, error) { return b.Step(t.Context(), Step{Group: 2, Prompt: 4, New: 2, Rank: 1}) },
		"too many tokens": func() ([]Row, error) {
			return b.Train(t.Context(), Training{Batch: 1 << 24, Length: Span{8, 8}, Rank: 1})
		},
		"too many samples":  func() ([]Row, error) { return b.Generate(t.Context(), []int{1, 1 << 24}, 4, 2) },
		"too large a group": func() ([]Row, error) { return b.Group(t.Context(), Group{1 << 24, 4, Span{2, 2}, 1}) },
		"too large a team":  func() ([]Row, error) { return b.Step(t.Context(), Step{1 << 24, 1 << 24, 4, 2, 1}) },
		"too many agents":   func() ([]Row, error) { return b.Step(t.Context(), Step{1 << 20, 1, 4, 2, 1}) },
		"too many adapters": func() ([]Row, error) {
			return b.Adapters(t.Context(), Adapters{[]int{4}, Sampling{2, 4, 4}, Training{2, Span{4, 4}, 1}})
		},
		"n without k": func() ([]Row, error) {
			rows, _, err := Products{M: 1, N: 4}.Measure(t.Context(), "random:tiny", "f32", engine.Options{}, Limits{}, Runs{})
			return rows, err
		},
	} {
		var shape *ShapeError
		if _, err := measure(); !errors.As(err, &shape) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTooLittleMemory checks that a base and work for which the system has too little left are refused before they take it.
func TestTooLittleMemory(t *testing.T) {
	left := 1e12
	options := engine.Options{Available: func() float64 { return left }}
	b, err := Open("random:tiny", "f32", options)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	b.Runs = Runs{Count: 1}
	training := Training{Batch: 2, Length: Span{8, 8}, Rank: 2}
	if _, err := b.Train(t.Context(), training); err != nil || b.Predicted == 0 {
		t.Errorf("%v; predicted %d bytes", err, b.Predicted)
	}
	left = 500e6
	if _, err := b.Generate(t.Context(), []int{1 << 19}, 2, 2); err == nil || !strings.Contains(err.Error(), "are free") {
		t.Errorf("half a million requests: %v", err)
	}
	left = 1e4
	for name, measure := range map[string]func() error{
		"limits": func() error { _, _, _, err := Machine(options); return err },
		"base":   func() error { _, err := Open("random:tiny", "f32", options); return err },
		"step": func() error {
			_, err := b.Step(t.Context(), Step{Agents: 3, Group: 2, Prompt: 4, New: 2, Rank: 2})
			return err
		},
		"generate": func() error { _, err := b.Generate(t.Context(), []int{2}, 5, 3); return err },
		"gemm": func() error {
			_, _, err := Products{M: 40}.Measure(t.Context(), "random:tiny", "f32", options, Limits{}, Runs{Count: 1})
			return err
		},
	} {
		var shape *ShapeError
		if err := measure(); !errors.As(err, &shape) || !strings.Contains(err.Error(), "are free") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
