package collab_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/systems/collab"
)

// places is a policy whose probabilities depend on the place alone, [place][token].
func candidatePlaces(rows [][]float64) collab.Next {
	return func(text []int) ([]float64, error) { return rows[len(text)], nil }
}

// softmax of drawn logits.
func distribution(t *rapid.T, tokens int) []float64 {
	out, sum := make([]float64, tokens), 0.0
	for i := range out {
		out[i] = math.Exp(rapid.Float64Range(-2, 2).Draw(t, "logit"))
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

const tokens, length = 3, 4

func policy(t *rapid.T) [][]float64 {
	rows := make([][]float64, length)
	for i := range rows {
		rows[i] = distribution(t, tokens)
	}
	return rows
}

// team is a decoder of agents with greedy completions, rewarded by the share of places that match.
func team(agents [][][]float64, reference [][]float64, p int, alpha float64, target []int) collab.Decoder {
	d := collab.Decoder{Reference: candidatePlaces(reference), Candidates: p, Alpha: alpha, Length: length}
	for _, a := range agents {
		d.Agents = append(d.Agents, candidatePlaces(a))
	}
	d.Value = func(agent int, texts [][]int) ([]float64, error) {
		var values []float64
		for _, text := range texts {
			whole, err := collab.Complete(d.Agents[agent], text, d.Over, d.Length)
			if err != nil {
				return nil, err
			}
			values = append(values, matchRows(whole, target))
		}
		return values, nil
	}
	return d
}

func matchRows(text, target []int) float64 {
	n := 0.0
	for i := range text {
		if text[i] == target[i] {
			n++
		}
	}
	return n / float64(len(target))
}

func trace(t rapid.TB, d collab.Decoder) collab.Trace {
	t.Helper()
	out, err := d.Decode()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDivergences: the numbers of the specification, by which the second agent wins although its Q is lower.
func TestDivergences(t *testing.T) {
	uniform := []float64{1. / 3, 1. / 3, 1. / 3}
	first, second := collab.Divergence([]float64{.7, .2, .1}, uniform), collab.Divergence([]float64{.4, .4, .2}, uniform)
	if math.Abs(first-.296794) > 1e-6 || math.Abs(second-.043692) > 1e-6 {
		t.Errorf("%v, %v", first, second)
	}
	s := collab.Step{Candidates: [][]int{{0}, {1}}, Q: [][]float64{{.6}, {.5}}, KL: []float64{first, second}}
	if c := s.Choose(1); c.Agent != 1 || math.Abs(c.J[0][0]-.303206) > 1e-6 || math.Abs(c.J[1][0]-.456308) > 1e-6 {
		t.Errorf("%+v", c)
	}
	if c := s.Choose(0); c.Agent != 0 {
		t.Errorf("without the penalty: %+v", c)
	}
	if d := collab.Divergence([]float64{.5, .5}, []float64{1, 0}); !math.IsInf(d, 1) {
		t.Errorf("%v", d)
	}
	if d := collab.Divergence([]float64{1, 0}, []float64{1, 0}); d != 0 {
		t.Errorf("%v", d)
	}
}

// TestOneAgent: α changes nothing, and a team of twins writes what one of them writes, without a switch.
func TestOneAgent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, reference := policy(t), policy(t)
		target := rapid.SliceOfN(rapid.IntRange(0, tokens-1), length, length).Draw(t, "target")
		p, alpha := rapid.IntRange(1, tokens).Draw(t, "p"), rapid.Float64Range(0, 5).Draw(t, "alpha")
		alone := trace(t, team([][][]float64{a}, reference, p, 0, target))
		for _, agents := range [][][][]float64{{a}, {a, a}} {
			got := trace(t, team(agents, reference, p, alpha, target))
			if !slices.Equal(got.Tokens, alone.Tokens) || got.Switches != 0 || got.Rollouts != len(agents)*p*length {
				t.Fatalf("%+v, alone %+v", got, alone)
			}
		}
	})
}

// TestImprovement: with all tokens as candidates, no penalty and an exact Q, a team of deterministic agents is never worse than any of them.
func TestImprovement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agents := [][][]float64{policy(t), policy(t), policy(t)}
		target := rapid.SliceOfN(rapid.IntRange(0, tokens-1), length, length).Draw(t, "target")
		got := matchRows(trace(t, team(agents, agents[0], tokens, 0, target)).Tokens, target)
		for _, a := range agents {
			alone, err := collab.Complete(candidatePlaces(a), nil, nil, length)
			if err != nil || got < matchRows(alone, target) {
				t.Fatalf("%v, one agent alone %v, %v", got, matchRows(alone, target), err)
			}
		}
	})
}

// TestHeavyPenalty: as α grows the agent nearest to the reference writes.
func TestHeavyPenalty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, reference := policy(t), policy(t), policy(t)
		got := trace(t, team([][][]float64{a, b}, reference, 2, 1e9, []int{0, 1, 2, 0}))
		for i, writer := range got.Writers {
			da, db := collab.Divergence(a[i], reference[i]), collab.Divergence(b[i], reference[i])
			if math.Abs(da-db) > 1e-6 && (writer == 0) != (da < db) {
				t.Fatalf("place %d: agent %d, distances %v and %v", i, writer, da, db)
			}
		}
	})
}

func TestEndToken(t *testing.T) {
	rows := [][]float64{{.1, .8, .1}, {.8, .1, .1}, {.1, .1, .8}, {.1, .1, .8}}
	d := team([][][]float64{rows}, rows, 1, 0, []int{1, 0, 0, 0})
	d.Over = collab.EndsWith(0)
	if got := trace(t, d); !slices.Equal(got.Tokens, []int{1, 0}) {
		t.Errorf("%+v", got)
	}
}

// TestMostProbable: as a stable sort has it.
func TestMostProbable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		probs := rapid.SliceOfN(rapid.SampledFrom([]float64{0, .1, .2, .3}), 1, 8).Draw(t, "probs")
		p := rapid.IntRange(1, 9).Draw(t, "p")
		order := make([]int, len(probs))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return int(1000 * (probs[b] - probs[a])) })
		if got := collab.MostProbable(probs, p); !slices.Equal(got, order[:min(p, len(order))]) {
			t.Fatalf("%v of %v", got, probs)
		}
	})
}

func TestUnequalVocabularies(t *testing.T) {
	for _, v := range [][][]string{{{"a"}, {"a", "b"}}, {{"a", "b"}, {"b", "a"}}, {{"a"}, {"a"}, {"b"}}} {
		if collab.SameVocabulary(v) == nil {
			t.Errorf("no error for %v", v)
		}
	}
	for _, v := range [][][]string{nil, {{"a"}}, {{}, {}}, {{"a", "b"}, {"a", "b"}}} {
		if err := collab.SameVocabulary(v); err != nil {
			t.Errorf("%v: %v", v, err)
		}
	}
	if _, err := team(nil, [][]float64{{1}}, 1, 0, nil).Decode(); err == nil {
		t.Error("no error without agents")
	}
	d := team([][][]float64{{{.5, .5}}}, [][]float64{{.2, .3, .5}}, 1, 1, nil)
	if _, err := d.Decode(); err == nil {
		t.Error("no error for an agent whose rows are shorter")
	}
}
