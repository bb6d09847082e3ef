package train_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/internal/shortrun"
	"parley/learn"
	"parley/model/modeltest"
	"parley/rollout"
	"parley/task"
	"parley/train/lineup"
)

// The first pass over what was sampled has a ratio of exactly 1, for the policy and, before its first step, for the base: whatever keeps
// tokens from being drawn, and from an episode that was read back too.
func TestFirstRatioIsOne(t *testing.T) {
	padded := modeltest.Padded(t, 500, 490)
	for _, sets := range [][]string{
		{"model=" + padded, "sampling.temperature=3"},
		{"model=" + padded, "sampling.min_tokens=4", "sampling.top_p=0.99", "sampling.temperature=3"},
		{"sampling.min_tokens=6"},
		{"sampling.min_tokens=24", "sampling.top_k=3"},
		{"sampling.min_tokens=24", "sampling.top_p=0.5", "sampling.temperature=0.7"},
	} {
		t.Run(fmt.Sprint(sets), func(t *testing.T) {
			r := shortrun.Load(t, "debate-sums", append(sets, "sampling.max_tokens=24", "reward.penalties.min_tokens=0")...)
			s, err := lineup.Open(t.Context(), r, native.Backend{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := s.AddPolicies(t.Context()); err != nil {
				t.Fatal(err)
			}
			problems := []task.Problem{{ID: "1", Question: "What is 1 + 1?", Truth: "2"}, {ID: "2", Question: "What is 3 + 4?", Truth: "7"}}
			episodes, err := s.Rollout().Run(t.Context(), "test", 1, problems)
			if err != nil {
				t.Fatal(err)
			}
			firstRatioIsOne(t, s, readBack(t, episodes))
		})
	}
}

func readBack(t *testing.T, episodes []*rollout.Episode) []*rollout.Episode {
	t.Helper()
	data, err := json.Marshal(episodes)
	if err != nil {
		t.Fatal(err)
	}
	var out []*rollout.Episode
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func firstRatioIsOne(t *testing.T, s lineup.Lineup, episodes []*rollout.Episode) {
	t.Helper()
	answers, masked := learn.AnswersIn(episodes), 0
	for _, a := range answers {
		e := s.BaseOf(a.AgentTurn.Agent).Engine
		out, err := e.Forward(t.Context(), []engine.Datum{a.Datum(a.AgentTurn.Policy), a.Datum(engine.Base)})
		if err != nil {
			t.Fatal(err)
		}
		for i, drawn := range a.Completion.Logprobs {
			for _, o := range out {
				if math.Float32bits(o.Logprobs[i]) != math.Float32bits(drawn) {
					t.Fatalf("token %d was drawn with %v and is scored %v", i, drawn, o.Logprobs[i])
				}
			}
		}
		if m := a.AgentTurn.Mask; len(m.Early) > 0 || len(m.Never) > 0 {
			masked++
		}
		for _, r := range a.AgentTurn.Mask.Never {
			if slices.ContainsFunc(a.Completion.Tokens, func(id int) bool { return id >= r[0] && id < r[1] }) {
				t.Errorf("a token of %v was drawn, which has no text: %v", r, a.Completion.Tokens)
			}
		}
	}
	if masked == 0 || masked < len(answers) {
		t.Errorf("%d of %d answers were drawn under a mask", masked, len(answers))
	}
}
