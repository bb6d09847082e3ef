package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"parley/engine"
	"parley/engine/native"
	"parley/rl/loss"
)

// A Step is one step of MAGRPO on one problem: every agent has an adapter and a prompt of its own and samples a group of
// completions, each gets an advantage, and every agent's adapter takes one optimizer step on its group. Scoring takes no time:
// rewards are drawn.
type Step struct {
	Agents int `json:"agents"`
	Group  int `json:"group"`
	Prompt int `json:"prompt"`
	New    int `json:"new"`
	Rank   int `json:"rank"`
}

// Step measures it.
func (b *Bench) Step(ctx context.Context, w Step) ([]Row, error) {
	err := cmp.Or(positive(size{"agents", w.Agents}, size{"group", w.Group}, size{"prompt", w.Prompt}, size{"new", w.New}, size{"rank", w.Rank}),
		few("group", w.Group, w.Prompt+w.New), few("agents", w.Agents, w.Group*(w.Prompt+w.New)), b.fits(w.Prompt+w.New))
	if err != nil {
		return nil, err
	}
	if err := b.adapters(ctx, w.Agents, w.Rank, w.load()); err != nil {
		return nil, err
	}
	ranges, generated := Group{Samples: w.Group, Prompt: w.Prompt, New: Span{w.New, w.New}}.tokenRanges()
	c := cost{tokens: w.Agents * generated, computed: 2 * w.Agents * (w.Prompt + generated - w.Group)}
	c.flops = float64(w.Agents) * (b.shape.forward(ranges, generated, w.Rank) + b.shape.train(ranges, generated, w.Rank))
	if kept, logits := native.NewPlan(b.config, b.options).Keeps(w.load().Load, b.specs); logits { // training does not go forward again
		c.flops -= float64(w.Agents) * b.shape.forward(ranges, generated, w.Rank)
	} else if kept { // but through its head
		c.flops -= float64(w.Agents) * b.shape.forward(ranges, 0, w.Rank)
	}
	return b.series().measure(ctx, []task{{"step", c, func(run int) func(context.Context) error {
		random := stream("step", run)
		var reqs []engine.SampleRequest
		for agent := range w.Agents {
			prompt := b.tokens(random, agent, w.Prompt)
			for range w.Group {
				r := request(prompt, w.New, random.Uint64())
				r.Policy, r.ReuseInBackward = policyName(agent), true
				reqs = append(reqs, r)
			}
		}
		return func(ctx context.Context) error { return b.step(ctx, w, reqs) }
	}}})
}

func (b *Bench) step(ctx context.Context, w Step, reqs []engine.SampleRequest) error {
	samples, err := b.Engine.Sample(ctx, reqs)
	if err != nil {
		return err
	}
	parts := make([]engine.Part, w.Agents)
	for agent := range parts {
		if parts[agent], err = w.part(reqs[agent*w.Group:][:w.Group], samples[agent*w.Group:][:w.Group]); err != nil {
			return fmt.Errorf("agent %d: %w", agent+1, err)
		}
	}
	data, loss := engine.Join(parts)
	return b.update(ctx, data, loss, w.Agents)
}

// part is what one agent learns from: its group, whose completions have rewards 0, 1, ....
func (w Step) part(reqs []engine.SampleRequest, samples []engine.Sample) (engine.Part, error) {
	unit := loss.NodeSample{Weight: 1}
	data := make([]engine.Datum, w.Group)
	for i, s := range samples {
		unit.Completions = append(unit.Completions, loss.Completion{Tokens: len(s.Tokens), Advantage: float64(i) - float64(w.Group-1)/2})
		data[i] = engine.Datum{Policy: reqs[i].Policy, Tokens: slices.Concat(reqs[i].Prompt, s.Tokens), ScoreFrom: w.Prompt, Sampling: reqs[i].Sampling}
	}
	loss, err := loss.NewGroupBatch([]loss.NodeSample{unit}, loss.GroupObjective{Reduction: loss.SeqSum})
	if err != nil {
		return engine.Part{}, err
	}
	return engine.Part{Data: data, Loss: loss.Gradient}, nil
}
