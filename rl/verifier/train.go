package verifier

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"parley/engine"
	"parley/internal/seed"
	"parley/rl/loss"
)

// LossTokens says which tokens of a solution a verifier learns from.
type LossTokens = loss.LossTokens

// Settings say how a verifier is trained.
type Settings struct {
	LossTokens LossTokens  `json:"loss_tokens"`
	Epochs     int         `json:"epochs"`
	Batch      int         `json:"batch"`      // solutions per optimizer step
	MaxTokens  int         `json:"max_tokens"` // longer question-and-answer sequences are left out; 0: the context
	Warmup     int         `json:"warmup"`     // optimizer steps
	Rank       int         `json:"rank"`
	Alpha      float64     `json:"alpha"`
	Targets    []string    `json:"targets,omitempty"` // of the adapter; empty: all projections
	Adam       engine.Adam `json:"adam"`
	Seed       uint64      `json:"seed"`
}

// PaperSettings are the paper's, and where it is silent the published code's (MAPoRL §3).
func PaperSettings() Settings {
	return Settings{
		LossTokens: loss.AllTokens, Epochs: 1, Batch: 2, MaxTokens: 550, Warmup: 5, Rank: 16, Alpha: 32,
		Adam: engine.Adam{LR: 2e-4, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8}, Seed: 1,
	}
}

// Spec is the policy that s trains.
func (s Settings) Spec() engine.PolicySpec {
	return engine.PolicySpec{Rank: s.Rank, Alpha: s.Alpha, Targets: s.Targets, ValueHead: true, Seed: seed.Derive(s.Seed, "verifier adapter")}
}

// Progress is what one optimizer step did.
type Progress struct {
	Step, Steps int
	loss.VerifierStats
}

// Resume adds policy to the base's engine and trains it on solutions. It returns how many were left out because they are too long. It goes on
// from what was kept of the same training, and keeps a state when it is interrupted, too.
func Resume(ctx context.Context, b *Base, policy engine.Policy, solutions []Solution, s Settings, kept Checkpoints, observe func(Progress)) (tooLong int, err error) {
	data, labels, err := b.data(policy, solutions, s.MaxTokens)
	if err != nil {
		return 0, err
	}
	tooLong = len(solutions) - len(data)
	if len(data) == 0 {
		return tooLong, fmt.Errorf("all %d solutions are longer than %d tokens: raise the most tokens, or use a base with a longer context than %d", tooLong, min(cmp.Or(s.MaxTokens, b.Context), b.Context), b.Context)
	}
	hash, err := hashOf(data, labels)
	if err != nil {
		return tooLong, err
	}
	c := training{base: b, policy: policy, data: data, labels: labels, kept: kept, state: state{Settings: s, Data: hash}}
	return tooLong, c.run(ctx, observe)
}

// A training is one training on its way.
type training struct {
	base   *Base
	policy engine.Policy
	data   []engine.Datum
	labels []bool
	kept   Checkpoints
	state  state
}

// run takes the steps that are left.
func (c *training) run(ctx context.Context, observe func(Progress)) error {
	s := c.state.Settings
	perEpoch := (len(c.data) + s.Batch - 1) / s.Batch
	steps := s.Epochs * perEpoch
	every := cmp.Or(c.kept.Every, max(1, steps/20))
	first, err := c.kept.restore(ctx, c.base.Engine, c.policy, c.state)
	if err != nil {
		return fmt.Errorf("begin to train the verifier: %w", err)
	}
	for c.state.Step = first; c.state.Step < steps; {
		step := c.state.Step
		order := seed.Stream(seed.Derive(s.Seed, "verifier order", step/perEpoch)).Perm(len(c.data))
		from := step % perEpoch * s.Batch
		batch := order[from:min(from+s.Batch, len(c.data))]
		stats, err := c.base.step(ctx, c.policy, pick(c.data, batch), pick(c.labels, batch), s.at(step))
		if err != nil {
			return fmt.Errorf("optimizer step %d of the verifier: %w", step+1, errors.Join(err, c.keep(ctx, ctx.Err() != nil && step > first)))
		}
		c.state.Step++
		if err := c.keep(ctx, c.state.Step%every == 0); err != nil {
			return err
		}
		observe(Progress{step + 1, steps, stats})
	}
	return nil
}

// keep keeps the state if it is time, also of training that is being interrupted.
func (c *training) keep(ctx context.Context, now bool) error {
	if !now || c.kept.Dir == "" {
		return nil
	}
	if err := c.kept.keep(context.WithoutCancel(ctx), c.base.Engine, c.policy, c.state); err != nil {
		return fmt.Errorf("keep the verifier in training: %w", err)
	}
	return nil
}

// data are solutions as the engine takes them. Those of more than most tokens, or than the context holds, are left out.
func (b *Base) data(policy engine.Policy, solutions []Solution, most int) ([]engine.Datum, []bool, error) {
	var data []engine.Datum
	var labels []bool
	for _, s := range solutions {
		d, err := b.datum(policy, s.Problem, s.Shown)
		if long := (*lengthError)(nil); errors.As(err, &long) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("problem %s: %w", s.Problem.ID, err)
		}
		if most > 0 && len(d.Tokens) > most {
			continue
		}
		data, labels = append(data, d), append(labels, s.Right)
	}
	return data, labels, nil
}

// at is the optimizer with the learning rate of a step, from 0.
func (s Settings) at(step int) stepping {
	adam := s.Adam
	adam.LR *= min(1, float64(step+1)/float64(max(s.Warmup, 1)))
	return stepping{adam, s.LossTokens}
}

type stepping struct {
	adam   engine.Adam
	tokens LossTokens
}

func (b *Base) step(ctx context.Context, policy engine.Policy, data []engine.Datum, labels []bool, s stepping) (loss.VerifierStats, error) {
	batch, err := loss.NewVerifierBatch(s.tokens, labels, 0)
	if err != nil {
		return loss.VerifierStats{}, err
	}
	if err := b.Engine.ForwardBackward(ctx, data, batch.Gradient); err != nil {
		return loss.VerifierStats{}, err
	}
	_, err = b.Engine.Step(ctx, policy, s.adam)
	return batch.Stats(), err
}

func pick[T any](list []T, at []int) []T {
	out := make([]T, len(at))
	for i, j := range at {
		out[i] = list[j]
	}
	return out
}
