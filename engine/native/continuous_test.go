package native

import (
	"slices"
	"testing"

	"parley/engine"
)

// TestArrivingNets: requests of a policy with weights of its own wait for those in flight, and the other way round; all get what they get alone.
func TestArrivingNets(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	lively(t, e)
	if err := e.NewPolicy(t.Context(), "whole", engine.PolicySpec{Full: true}); err != nil {
		t.Fatal(err)
	}
	var reqs []engine.SampleRequest
	for i, p := range []engine.Policy{"", "whole", "whole", "", "", "whole"} {
		reqs = append(reqs, engine.SampleRequest{Policy: p, Prompt: []int{1, 2}, MaxTokens: 4 + i, Seed: uint64(i), Sampling: engine.Sampling{Temperature: 1}})
	}
	want, err := e.Sample(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	var order []int
	got := make([]engine.Sample, len(reqs))
	step := 0
	err = e.SampleArriving(t.Context(), func() (all []engine.Arrival) {
		for ; step < len(reqs) && len(all) < 2; step++ {
			i := step
			all = append(all, engine.Arrival{SampleRequest: reqs[i], Done: func(s engine.Sample, err error) {
				if err != nil {
					t.Error(err)
				}
				got[i] = s
				order = append(order, i)
			}})
		}
		return all
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(order, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("requests ended in the order %v", order)
	}
	for i := range reqs {
		if !slices.Equal(got[i].Tokens, want[i].Tokens) || !slices.Equal(got[i].Logprobs, want[i].Logprobs) {
			t.Errorf("request %d: %v, together %v", i, got[i].Tokens, want[i].Tokens)
		}
	}
}
