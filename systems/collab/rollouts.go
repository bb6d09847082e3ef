package collab

import (
	"context"
	"fmt"
	"slices"

	"parley/engine"
	"parley/internal/seed"
)

// repeated are texts, each as often as it is completed.
func (p Pen) repeated(texts [][]int) (out [][]int) {
	for _, t := range texts {
		for range max(p.Rollouts, 1) {
			out = append(out, t)
		}
	}
	return out
}

// means are the values of texts that were repeated.
func (p Pen) means(worth []float64) (out []float64) {
	// The completions of a text stand beside each other, in the order in which they were asked for.
	for each := range slices.Chunk(worth, max(p.Rollouts, 1)) {
		sum := 0.0
		for _, x := range each {
			sum += x
		}
		out = append(out, sum/float64(len(each)))
	}
	return out
}

// completions are texts with which a member has gone on alone. One call of the engine computes what they share once.
func (p Pen) completions(ctx context.Context, member int, texts [][]int, length int) ([]Text, Cost, error) {
	m, s := p.Members[member], engine.Sampling{}
	// One completion is greedy; several are drawn from the policy as it is, so that their mean estimates its value.
	if p.Rollouts > 1 {
		s.Temperature, s.TopP = 1, 1
	}
	out, cost := make([]Text, len(texts)), Cost{Queries: len(texts)}
	var reqs []engine.SampleRequest
	var of []int
	for i, text := range texts {
		cost.Tokens++ // the one that is tried
		out[i] = Text{Tokens: text, Stop: p.reason(text)}
		// A text that has come to its end, or to the length of all, is whole: there is nothing to draw.
		if out[i].Stop != engine.StopLength || len(text) >= length {
			continue
		}
		w, _ := m.follow(text)
		reqs, of = append(reqs, engine.SampleRequest{
			Policy: m.Policy, Prompt: append(slices.Clone(m.Prompt), text...), Sampling: s, Seed: seed.Derive(p.Seed, "collab: rollout", member, len(text), i), MaxTokens: length - len(text), MinTokens: max(0, p.MinTokens-len(text)),
			Stop: m.Stop, Never: m.Never, Watch: w,
		}), append(of, i)
	}
	if len(reqs) == 0 {
		return out, cost, nil
	}
	samples, err := m.Engine.Sample(ctx, reqs)
	if err != nil {
		return nil, cost, fmt.Errorf("%s completes: %w", m.Name, err)
	}
	// A text keeps what it had before and ends as its completion does.
	for k, s := range samples {
		cost.Tokens += len(s.Tokens)
		out[of[k]] = Text{Tokens: slices.Concat(out[of[k]].Tokens, s.Tokens), Stop: s.Stop}
	}
	return out, cost, nil
}

// Draw lets one member write n whole texts by itself, each from a random stream of its own; at temperature 0 all are the same.
func (p Pen) Draw(ctx context.Context, member, n int, s engine.Sampling, root uint64) ([]Text, Cost, error) {
	m := p.Members[member]
	length, err := p.length()
	if err != nil || n == 0 {
		return nil, Cost{}, err
	}
	reqs := make([]engine.SampleRequest, n)
	for i := range reqs {
		w, _ := m.follow(nil)
		reqs[i] = engine.SampleRequest{
			Policy: m.Policy, Prompt: m.Prompt, Sampling: s, MaxTokens: length, MinTokens: p.MinTokens,
			Stop: m.Stop, Never: m.Never, Watch: w, Seed: seed.Derive(root, "collab: draw", member, i),
		}
	}
	samples, err := m.Engine.Sample(ctx, reqs)
	if err != nil {
		return nil, Cost{}, fmt.Errorf("%s writes: %w", m.Name, err)
	}
	out, cost := make([]Text, n), Cost{Queries: n}
	for i, x := range samples {
		out[i] = Text{Tokens: x.Tokens, Stop: x.Stop}
		cost.Tokens += len(x.Tokens)
	}
	return out, cost, nil
}
