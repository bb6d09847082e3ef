package vectortest

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	decoding "parley/systems/collab"
	"parley/systems/fuse"
)

func decodeStepCase(t *testing.T, c Case) {
	v := decode[struct {
		Probs [][]float64
		Ref   []float64
		P     int
		Q     [][]float64
		Alpha float64

		Candidates, KL, J, Best json.RawMessage
		Agent, Token            int
	}](t, c)
	var s decoding.Step
	kl := []float64{}
	for j, probs := range v.Probs {
		candidates := decoding.MostProbable(probs, v.P)
		var q []float64
		for _, z := range candidates {
			q = append(q, v.Q[j][z])
		}
		s.Candidates, s.Q, s.KL = append(s.Candidates, candidates), append(s.Q, q), append(s.KL, decoding.Divergence(probs, v.Ref))
		kl = append(kl, finite(s.KL[j]))
	}
	got := s.Choose(v.Alpha)
	for _, row := range got.J {
		for m := range row {
			row[m] = finite(row[m])
		}
	}
	same(t, c, "candidates", s.Candidates, v.Candidates)
	same(t, c, "kl", kl, v.KL)
	same(t, c, "j", got.J, v.J)
	same(t, c, "best", got.Best, v.Best)
	if got.Agent != v.Agent || got.Token != v.Token {
		t.Errorf("agent %d writes %d, want %d and %d", got.Agent, got.Token, v.Agent, v.Token)
	}
}

// finite is x, or NaN for an infinity, which the vectors write as null.
func finite(x float64) float64 { return where(!math.IsInf(x, 0), x) }

func decodeTextCase(t *testing.T, c Case) {
	v := decode[struct {
		Logits             [][][]float64
		Ref                [][]float64
		Target             []int
		EOS                *int
		P                  int
		Alpha              float64
		Tokens, Writers    json.RawMessage
		Switches, Rollouts int
		Reward             float64
	}](t, c)
	reward := func(text []int) float64 {
		n := 0.0
		for i, z := range text {
			if z == v.Target[i] {
				n++
			}
		}
		return n / float64(len(v.Target))
	}
	d := decoding.Decoder{Reference: softmaxAt(v.Ref), Candidates: v.P, Alpha: v.Alpha, Length: len(v.Target)}
	if v.EOS != nil {
		d.Over = decoding.EndsWith(*v.EOS)
	}
	for _, rows := range v.Logits {
		d.Agents = append(d.Agents, softmaxAt(rows))
	}
	d.Value = func(agent int, texts [][]int) ([]float64, error) {
		var values []float64
		for _, text := range texts {
			whole, err := decoding.Complete(d.Agents[agent], text, d.Over, d.Length)
			if err != nil {
				return nil, err
			}
			values = append(values, reward(whole))
		}
		return values, nil
	}
	got, err := d.Decode()
	if err != nil {
		t.Fatal(err)
	}
	same(t, c, "tokens", got.Tokens, v.Tokens)
	same(t, c, "writers", got.Writers, v.Writers)
	near(t, c, "reward", reward(got.Tokens), v.Reward)
	if got.Switches != v.Switches || got.Rollouts != v.Rollouts {
		t.Errorf("%d switches, %d rollouts: want %d and %d", got.Switches, got.Rollouts, v.Switches, v.Rollouts)
	}
}

// softmaxAt is a policy with logits by place.
func softmaxAt(rows [][]float64) decoding.Next {
	return func(text []int) ([]float64, error) {
		return fuse.Logits{Values: slices.Clone(rows[len(text)])}.Probabilities(1), nil
	}
}

func sameVocabularyCase(t *testing.T, c Case) {
	v := decode[struct {
		Vocabs [][]string
		OK     bool
	}](t, c)
	if err := decoding.SameVocabulary(v.Vocabs); (err == nil) != v.OK {
		t.Errorf("%v, want ok %v", err, v.OK)
	}
}
