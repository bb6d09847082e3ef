package group

import (
	"reflect"
	"testing"

	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/rollout"
)

const endToken = 9

type endsWithNine struct{ rollout.Codec }

func (endsWithNine) Stop() []int { return []int{endToken} }

// sampled is the unit of training of a group with an answer of the end token alone and one of three tokens, after a prompt that holds
// the end token too.
func sampled(t *testing.T, change func(*learn.Group)) nodeSample {
	t.Helper()
	settings := learn.Group{Joint: "aligned", Rollout: "tree", LogprobsAt: "sampled", Padding: "exact", RatioCap: 2}
	change(&settings)
	l, err := newLearner(learn.Config{Settings: []any{settings}, Actors: []rollout.Actor{{Codec: endsWithNine{}}}}, credit.ModeMean)
	if err != nil {
		t.Fatal(err)
	}
	agentTurn := &rollout.AgentTurn{Policy: "policy", Prompt: []int{5, endToken, 6}, Completions: []rollout.Completion{
		{Tokens: []int{endToken}, Logprobs: []float32{-1}, Advantage: 1},
		{Tokens: []int{1, 2, endToken}, Logprobs: []float32{-1, -1, -1}, Advantage: -1},
	}}
	s, err := l.sample(&rollout.Node{}, agentTurn)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// 4.1, 4.2 and 4.9: the end token is scored, even of an answer of one token; nothing else than what was sampled is; and where the
// prompt ends is known from the prompt itself, whatever tokens are in it.
func TestMAGRPOSections41And42And49(t *testing.T) {
	s := sampled(t, func(*learn.Group) {})
	for i, want := range [][]int{{5, endToken, 6, endToken}, {5, endToken, 6, 1, 2, endToken}} {
		if d := s.data[i]; d.ScoreFrom != 3 || !reflect.DeepEqual(d.Tokens, want) || s.Completions[i].Tokens != len(want)-3 {
			t.Errorf("answer %d is trained as %v from %d, %d tokens; want %v from 3", i, d.Tokens, d.ScoreFrom, s.Completions[i].Tokens, want)
		}
	}
}

// The published code pads rows to one length, scores the pads, and drops the last place, so an answer of one token learns what its
// pads do.
func TestPaddedRowsOfTheGroup(t *testing.T) {
	s := sampled(t, func(s *learn.Group) { s.Padding, s.LogprobsAt, s.RatioCap = "padded", "full", 0 })
	for i, want := range [][]int{{5, endToken, 6, endToken, endToken}, {5, endToken, 6, 1, 2}} {
		if d := s.data[i]; !reflect.DeepEqual(d.Tokens, want) || s.Completions[i].Tokens != 2 || d.Sampling.Temperature != 0 {
			t.Errorf("row %d is %v with %d places at temperature %g; want %v with 2 at none", i, d.Tokens, s.Completions[i].Tokens, d.Sampling.Temperature, want)
		}
	}
}
