package train_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/rollout"
	"parley/train/lineup"
)

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
