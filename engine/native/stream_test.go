package native

import (
	"errors"
	"slices"
	"testing"

	"parley/engine"
)

// Stream hands out the tokens of Sample, in order, and an error of the watcher ends it.
func TestStream(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	lively(t, e)
	reqs := []engine.SampleRequest{
		{Prompt: []int{1, 2}, Sampling: engine.Sampling{Temperature: 1}, MaxTokens: 20, Seed: 1},
		{Prompt: []int{1, 2, 3}, Sampling: engine.Sampling{Temperature: 1}, MaxTokens: 5, Seed: 2},
		{Prompt: []int{1}, MaxTokens: 0},
	}
	want, err := e.Sample(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	seen := make([][]int, len(reqs))
	got, err := e.Stream(t.Context(), reqs, func(i, token int) error { seen[i] = append(seen[i], token); return nil })
	if err != nil {
		t.Fatal(err)
	}
	for i := range reqs {
		if !slices.Equal(got[i].Tokens, want[i].Tokens) || !slices.Equal(seen[i], want[i].Tokens) {
			t.Errorf("request %d: streamed %v, returned %v, want %v", i, seen[i], got[i].Tokens, want[i].Tokens)
		}
	}
	enough, calls := errors.New("enough"), 0
	_, err = e.Stream(t.Context(), reqs, func(int, int) error { calls++; return enough })
	if !errors.Is(err, enough) || calls != 1 {
		t.Errorf("error %v after %d calls", err, calls)
	}
}
