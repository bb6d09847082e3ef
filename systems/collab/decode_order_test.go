package collab_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"parley/internal/seed"
	"parley/systems/collab"
)

// The CPU test of Collab: texts of six tokens out of four. One agent prefers the right token at even places and a wrong one at odd ones, the other the
// reverse; the reward is the share of right tokens.
const (
	size = 4
	span = 6
)

// A rival is a table: the probabilities at each place.
type rival [span][]float64

func (r *rival) next(text []int) ([]float64, error) { return r[len(text)], nil }

// rivals are the two agents and the right tokens.
func rivals(rng *rand.Rand) (agents [2]rival, right []int) {
	for place := range span {
		good := rng.IntN(size)
		wrong := (good + 1 + rng.IntN(size-1)) % size
		right = append(right, good)
		for j := range agents {
			logits := make([]float64, size)
			for v := range logits {
				logits[v] = .5 * rng.NormFloat64()
			}
			if place%2 == j {
				logits[good] += 3
			} else {
				logits[wrong] += 3
			}
			agents[j][place] = probabilities(logits)
		}
	}
	return agents, right
}

func probabilities(logits []float64) []float64 {
	sum := 0.0
	for v, x := range logits {
		logits[v] = math.Exp(x)
		sum += logits[v]
	}
	for v := range logits {
		logits[v] /= sum
	}
	return logits
}

// share is the reward of a whole text.
func share(text, right []int) float64 {
	n := 0
	for i, v := range text {
		if v == right[i] {
			n++
		}
	}
	return float64(n) / span
}

// decodes is what the text of some agents earns: Q is one greedy completion, α is 0.
func decodes(t *testing.T, agents []rival, right []int, candidates int) float64 {
	t.Helper()
	d := collab.Decoder{Candidates: candidates, Length: span, Reference: agents[0].next}
	for j := range agents {
		d.Agents = append(d.Agents, agents[j].next)
	}
	d.Value = func(j int, texts [][]int) ([]float64, error) {
		var values []float64
		for _, text := range texts {
			whole, err := collab.Complete(agents[j].next, text, nil, span)
			if err != nil {
				return nil, err
			}
			values = append(values, share(whole, right))
		}
		return values, nil
	}
	trace, err := d.Decode()
	if err != nil {
		t.Fatal(err)
	}
	if want := len(agents) * candidates * span; trace.Rollouts != want {
		t.Errorf("%d rollouts, want %d", trace.Rollouts, want)
	}
	return share(trace.Tokens, right)
}

// bestOf is the greatest reward of n sampled texts, half of them of each agent.
func bestOf(rng *rand.Rand, agents []rival, right []int, n int) float64 {
	best := 0.0
	for k := range n {
		var text []int
		for place := range span {
			row, left, v := agents[k%len(agents)][place], rng.Float64(), 0
			for v < size-1 && left >= row[v] {
				left -= row[v]
				v++
			}
			text = append(text, v)
		}
		best = max(best, share(text, right))
	}
	return best
}

// Agents who know different places write together what none of them writes alone, whether it is controlled token by token or drawn as often.
func TestOrderOfTheMethod(t *testing.T) {
	const seeds = 200
	var together, single, sampled [3]float64
	for n := range seeds {
		rng := seed.Stream(seed.Derive(uint64(n), "collab: order"))
		agents, right := rivals(rng)
		for _, p := range []int{1, 2} {
			together[p] += decodes(t, agents[:], right, p) / seeds
			alone := max(decodes(t, agents[:1], right, p), decodes(t, agents[1:], right, p))
			single[p] += alone / seeds
			sampled[p] += bestOf(rng, agents[:], right, 2*p*span) / seeds
		}
	}
	t.Logf("Collab %.3f, best single agent %.3f, best of as many texts %.3f at 1 and 2 candidates", together[1:], single[1:], sampled[1:])
	const margin = .1
	for p := 1; p <= 2; p++ {
		if rest := slices.Max([]float64{single[p], sampled[p]}); !(together[p] > rest+margin) {
			t.Errorf("%d candidates: together %.3f, single %.3f, best of N %.3f", p, together[p], single[p], sampled[p])
		}
	}
}
