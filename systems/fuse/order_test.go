package fuse

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"parley/engine"
	"parley/internal/seed"
	"parley/rl/learn"
	"parley/rl/rollout"
)

// The CPU test of FuseLLM: sources write texts by bigrams; each teacher has seen much of one source and little of the others; the student begins as
// the first teacher and has few texts of all.
const (
	vocab   = 12
	sources = 3
	length  = 40
)

// A table holds a number for every source, token and next token.
type table [sources][vocab][vocab]float64

// A bigram is an engine whose one policy is a table of logits. The first token of a sequence names its source.
type bigram struct {
	engine.Engine
	logits, grad table
}

func (e *bigram) row(d engine.Datum, at int) (source, last int) {
	return d.Tokens[0] - vocab, d.Tokens[at-1]
}

func (e *bigram) ForwardBackwardSoft(_ context.Context, data []engine.Datum, targets [][][]engine.Target, loss engine.Loss) error {
	outputs := make([]engine.Output, len(data))
	whole := make([][][]engine.Target, len(data))
	for i, d := range data {
		for x := range d.Asked() {
			q := []engine.Target{{Token: d.Tokens[d.Index(x)], Mass: 1}}
			if targets[i] != nil {
				q = targets[i][x]
			}
			s, last := e.row(d, d.Index(x))
			p, sum := softmax(e.logits[s][last]), 0.0
			for _, t := range q {
				sum += float64(t.Mass) * math.Log(p[t.Token])
			}
			whole[i], outputs[i].Logprobs = append(whole[i], q), append(outputs[i].Logprobs, float32(sum))
		}
	}
	gradients, err := loss(0, outputs)
	if err != nil {
		return err
	}
	for i, d := range data {
		for x, g := range gradients[i].Logprobs {
			s, last := e.row(d, d.Index(x))
			p, mass := softmax(e.logits[s][last]), 0.0
			for _, t := range whole[i][x] {
				mass += float64(t.Mass)
				e.grad[s][last][t.Token] += float64(g) * float64(t.Mass)
			}
			for v := range p {
				e.grad[s][last][v] -= float64(g) * mass * p[v]
			}
		}
	}
	return nil
}

func (e *bigram) ForwardSoft(context.Context, []engine.Datum, [][][]engine.Target) ([]engine.Output, error) {
	return nil, fmt.Errorf("is not asked for")
}

func (e *bigram) ForwardBackward(ctx context.Context, data []engine.Datum, loss engine.Loss) error {
	return e.ForwardBackwardSoft(ctx, data, make([][][]engine.Target, len(data)), loss)
}

// Step goes down the gradient.
func (e *bigram) Step(_ context.Context, _ engine.Policy, opt engine.Adam) (engine.StepInfo, error) {
	for s := range e.logits {
		for a := range e.logits[s] {
			for b := range e.logits[s][a] {
				e.logits[s][a][b] -= opt.LR * e.grad[s][a][b]
			}
		}
	}
	e.grad = table{}
	return engine.StepInfo{}, nil
}

func softmax(logits [vocab]float64) (p [vocab]float64) {
	most, sum := slices.Max(logits[:]), 0.0
	for v, x := range logits {
		p[v] = math.Exp(x - most)
		sum += p[v]
	}
	for v := range p {
		p[v] /= sum
	}
	return p
}

// world are the sources, with rows drawn from Dirichlet(.4).
func world(rng *rand.Rand) (out table) {
	for s := range out {
		for a := range out[s] {
			sum := 0.0
			for b := range out[s][a] {
				out[s][a][b] = max(gamma(rng, .4), 1e-9)
				sum += out[s][a][b]
			}
			for b := range out[s][a] {
				out[s][a][b] /= sum
			}
		}
	}
	return out
}

// gamma draws from Gamma(shape, 1), shape < 1 (Ahrens and Dieter 1974).
func gamma(rng *rand.Rand, shape float64) float64 {
	for {
		u, v := rng.Float64()*(1+shape/math.E), -math.Log(rng.Float64())
		if x := math.Pow(u, 1/shape); u <= 1 && x <= v {
			return x
		}
		if x := -math.Log((1 + shape/math.E - u) / shape); u > 1 && (shape-1)*math.Log(x) >= -v {
			return x
		}
	}
}

func (w *table) write(rng *rand.Rand, source int) []int {
	out := []int{rng.IntN(vocab)}
	for len(out) < length {
		left, next := rng.Float64(), 0
		row := w[source][out[len(out)-1]]
		for next < vocab-1 && left >= row[next] {
			left -= row[next]
			next++
		}
		out = append(out, next)
	}
	return out
}

// teacher has seen 80 texts of its own source and 2 of each other.
func (w *table) teacher(rng *rand.Rand, own int) (out table) {
	for s := range out {
		texts := 2
		if s == own {
			texts = 80
		}
		for range texts {
			t := w.write(rng, s)
			for i := range t[1:] {
				out[s][t[i]][t[i+1]]++
			}
		}
		for a := range out[s] {
			sum := 0.0
			for b := range out[s][a] {
				out[s][a][b] += .5
				sum += out[s][a][b]
			}
			for b := range out[s][a] {
				out[s][a][b] /= sum
			}
		}
	}
	return out
}

// far is the mean KL(true‖q) of all rows.
func (w *table) far(q table) float64 {
	sum := 0.0
	for s := range w {
		for a := range w[s] {
			for b, p := range w[s][a] {
				sum += p * math.Log(p/q[s][a][b])
			}
		}
	}
	return sum / (sources * vocab)
}

// episode is a text with what teachers say about it.
func episode(text []int, source int, teachers []table) *rollout.Episode {
	c := rollout.Completion{Tokens: text[1:], Logprobs: make([]float32, len(text)-1)}
	for _, t := range teachers {
		said := rollout.Teaching{Tokens: len(c.Tokens), Chars: len(c.Tokens)}
		for i, next := range c.Tokens {
			row := t[source][text[i]]
			said.CE -= math.Log(row[next]) / float64(len(c.Tokens))
			var q []engine.Target
			for v, p := range row {
				q = append(q, engine.Target{Token: v, Mass: float32(p)})
			}
			said.Rows = append(said.Rows, q)
		}
		c.Teaching = append(c.Teaching, said)
	}
	turn := rollout.AgentTurn{Prompt: []int{vocab + source, text[0]}, Completions: []rollout.Completion{c}}
	return &rollout.Episode{Nodes: []*rollout.Node{{Parent: -1, Agents: []rollout.AgentTurn{turn}, Joint: [][]int{{0}}}}}
}

// study trains the first teacher on texts and returns how far it then is from the sources.
func study(t *testing.T, w *table, start table, texts []*rollout.Episode, s Settings) float64 {
	e := &bigram{}
	for i := range start {
		for a := range start[i] {
			for b, p := range start[i][a] {
				e.logits[i][a][b] = math.Log(p)
			}
		}
	}
	const steps = 150
	s.Per, s.Schedule, s.Epochs, s.Minibatches = PerToken, Fixed, 1, 1
	l, err := New(learn.Config{
		Settings: []any{s}, Optimizer: learn.Optimizer{LR: 7.2, Decay: "none"}, Updates: steps, Actors: []rollout.Actor{{Engine: e}}, Turns: 1, Steps: learn.StepCounts{}, Tops: learn.StepCounts{},
		Sharing: learn.Sharing{Policies: learn.Policies{Sharing: "shared", FirstTrainedTurn: 1}, Bases: []int{0}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for update := range steps {
		if err := l.Update(t.Context(), learn.Recorded(update, texts)); err != nil {
			t.Fatal(err)
		}
	}
	var q table
	for i := range q {
		for a := range q[i] {
			q[i][a] = softmax(e.logits[i][a])
		}
	}
	return w.far(q)
}

// Teachers help a student with few texts: the more they count the better, and one chosen teacher teaches better than a mixture.
func TestOrderOfTheMethod(t *testing.T) {
	const seeds, texts = 5, 6
	mean := map[string]float64{}
	for n := range seeds {
		rng := seed.Stream(seed.Derive(uint64(n), "fuse: order"))
		w := world(rng)
		var teachers []table
		best := math.Inf(1)
		for j := range sources {
			teachers = append(teachers, w.teacher(rng, j))
			best = min(best, w.far(teachers[j]))
		}
		var episodes []*rollout.Episode
		for s := range sources {
			for range texts {
				episodes = append(episodes, episode(w.write(rng, s), s, teachers))
			}
		}
		mean["best teacher"] += best / seeds
		for name, s := range map[string]Settings{
			"clm": {Fusion: MinCE, Lambda: 1}, "min .9": {Fusion: MinCE, Lambda: .9}, "min .5": {Fusion: MinCE, Lambda: .5},
			"avg .5": {Fusion: AvgCE, Lambda: .5},
		} {
			mean[name] += study(t, &w, teachers[0], episodes, s) / seeds
		}
	}
	for _, name := range slices.Sorted(maps.Keys(mean)) {
		t.Logf("%s: %.3f", name, mean[name])
	}
	const margin = .01
	for _, pair := range [][2]string{{"min .5", "min .9"}, {"min .9", "clm"}, {"min .5", "best teacher"}, {"min .5", "avg .5"}} {
		if !(mean[pair[0]]+margin < mean[pair[1]]) {
			t.Errorf("%s is %.3f from the sources, %s %.3f", pair[0], mean[pair[0]], pair[1], mean[pair[1]])
		}
	}
}
