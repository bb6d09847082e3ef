package collab_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"parley/engine"
	"parley/internal/seed"
	"parley/rl/eval"
)

const vocabulary, places = 4, 6

// experts draws the right tokens and two policies, of which each knows every other place and likes a wrong token at the others.
func experts(rng *rand.Rand) (right []int, rows [2][][]float64) {
	for place := range places {
		good := rng.IntN(vocabulary)
		wrong := (good + 1 + rng.IntN(vocabulary-1)) % vocabulary
		right = append(right, good)
		for j := range rows {
			row := make([]float64, vocabulary)
			for v := range row {
				row[v] = .5 * rng.NormFloat64()
			}
			if place%2 == j {
				row[good] += 3
			} else {
				row[wrong] += 3
			}
			sum := 0.0
			for v := range row {
				row[v] = math.Exp(row[v])
				sum += row[v]
			}
			for v := range row {
				row[v] /= sum
			}
			rows[j] = append(rows[j], row)
		}
	}
	return right, rows
}

// The ways of writing that are compared.
var ways = []string{"together", "the better one alone", "the better one alone at the same cost", "best of as many tokens", "the better greedy text", "together, the other one first"}

// systems are what each way of writing earns in one world.
func systems(t *testing.T, rng *rand.Rand, candidates int) []float64 {
	right, rows := experts(rng)
	out := make([]float64, len(ways))
	both := pen(t, right, candidates, rows[0], rows[1])
	said := write(t, both)
	out[0] = matches(said.Tokens, right)
	budget := said.Costs[0].Plus(said.Costs[1])
	for j := range rows {
		out[1] = max(out[1], matches(write(t, pen(t, right, candidates, rows[j])).Tokens, right))
		alone := write(t, pen(t, right, 2*candidates, rows[j]))
		if alone.Costs[0].Queries != budget.Queries {
			t.Fatalf("alone %d completions, together %d", alone.Costs[0].Queries, budget.Queries)
		}
		out[2] = max(out[2], matches(alone.Tokens, right))
		for i, n := range []int{budget.Tokens / places / 2, 1} { // drawn, and one greedy text
			texts, _, err := both.Draw(t.Context(), j, n, engine.Sampling{Temperature: float64(1 - i)}, rng.Uint64())
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range texts {
				out[3+i] = max(out[3+i], matches(text.Tokens, right))
			}
		}
	}
	out[5] = matches(write(t, pen(t, right, candidates, rows[1], rows[0])).Tokens, right)
	return out
}

// TestOrder: over five seeds of forty worlds, policies that know different places write together what neither writes by itself, and what no choice
// of as many sampled tokens gives. With all tokens as candidates one alone writes it too. Which member comes first matters: it wins ties, and at the
// first place of such a text both are worth the same.
func TestOrder(t *testing.T) {
	const seeds, worlds, margin = 5, 40, .1
	for _, candidates := range []int{1, 2} {
		means := make([][]float64, len(ways))
		for s := range seeds {
			rng, sums := seed.Stream(seed.Derive(uint64(s), "collab: order")), make([]float64, len(ways))
			for range worlds {
				for i, x := range systems(t, rng, candidates) {
					sums[i] += x / worlds
				}
			}
			for i, x := range sums {
				means[i] = append(means[i], x)
			}
		}
		at := make([]eval.Interval, len(ways))
		for i, way := range ways {
			var centre float64
			centre, at[i] = eval.Student(means[i])
			t.Logf("%d candidates: %s %.3f, 95 %% %.3f to %.3f", candidates, way, centre, at[i].Low, at[i].High)
		}
		for i := range at[1:] {
			if everything := 2*candidates == vocabulary && i+1 == 2; everything {
				continue
			}
			if !(at[0].Low > at[i+1].High+margin) {
				t.Errorf("%d candidates: together from %.3f, %s to %.3f", candidates, at[0].Low, ways[i+1], at[i+1].High)
			}
		}
	}
}

var _ engine.Distributor = table{}
