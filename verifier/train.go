package verifier

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/learn"
	"parley/seed"
)

// LossTokens says which tokens of a solution a verifier learns from.
type LossTokens = learn.LossTokens

// Settings say how a verifier is trained.
type Settings struct {
	LossTokens LossTokens  `json:"loss_tokens"`
	Epochs     int         `json:"epochs"`
	Batch      int         `json:"batch"`      // solutions per optimiser step
	MaxTokens  int         `json:"max_tokens"` // longer question-and-answer sequences are left out; 0: the context
	Warmup     int         `json:"warmup"`     // optimiser steps
	Rank       int         `json:"rank"`
	Alpha      float64     `json:"alpha"`
	Targets    []string    `json:"targets,omitempty"` // of the adapter; empty: all projections
	Adam       engine.Adam `json:"adam"`
	Seed       uint64      `json:"seed"`
}

// PaperSettings are the paper's, and where it is silent the published code's (MAPoRL §3).
func PaperSettings() Settings {
	return Settings{LossTokens: learn.AllTokens, Epochs: 1, Batch: 2, MaxTokens: 550, Warmup: 5, Rank: 16, Alpha: 32,
		Adam: engine.Adam{LR: 2e-4, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8}, Seed: 1}
}

// Spec is the policy that s trains.
func (s Settings) Spec() engine.PolicySpec {
	return engine.PolicySpec{Rank: s.Rank, Alpha: s.Alpha, Targets: s.Targets, ValueHead: true, Seed: seed.Derive(s.Seed, "verifier adapter")}
}

// Progress is what one optimiser step did.
type Progress struct {
	Step, Steps int
	learn.VerifierStats
}

// Train adds policy to the base's engine and trains it on solutions. It returns how many were left out because they are too
// long.
func Train(ctx context.Context, b *Base, policy engine.Policy, solutions []Solution, s Settings, observe func(Progress)) (tooLong int, err error) {
	data, labels, err := b.data(policy, solutions, s.MaxTokens)
	if err != nil {
		return 0, err
	}
	tooLong = len(solutions) - len(data)
	if len(data) == 0 {
		return tooLong, fmt.Errorf("all %d solutions are longer than %d tokens: raise the most tokens", tooLong, s.MaxTokens)
	}
	if err := b.Engine.NewPolicy(ctx, policy, s.Spec()); err != nil {
		return tooLong, err
	}
	perEpoch := (len(data) + s.Batch - 1) / s.Batch
	for step := range s.Epochs * perEpoch {
		order := seed.Stream(seed.Derive(s.Seed, "verifier order", step/perEpoch)).Perm(len(data))
		first := step % perEpoch * s.Batch
		batch := order[first:min(first+s.Batch, len(data))]
		stats, err := b.step(ctx, policy, pick(data, batch), pick(labels, batch), s.at(step))
		if err != nil {
			return tooLong, fmt.Errorf("optimiser step %d of the verifier: %w", step+1, err)
		}
		observe(Progress{step + 1, s.Epochs * perEpoch, stats})
	}
	return tooLong, nil
}

// data are solutions as the engine takes them, those of more than most tokens left out.
func (b *Base) data(policy engine.Policy, solutions []Solution, most int) ([]engine.Datum, []bool, error) {
	var data []engine.Datum
	var labels []bool
	for _, s := range solutions {
		d, err := b.datum(policy, s.Problem, s.Shown)
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

// at is the optimiser with the learning rate of a step, from 0.
func (s Settings) at(step int) stepping {
	adam := s.Adam
	adam.LR *= min(1, float64(step+1)/float64(max(s.Warmup, 1)))
	return stepping{adam, s.LossTokens}
}

type stepping struct {
	adam   engine.Adam
	tokens LossTokens
}

func (b *Base) step(ctx context.Context, policy engine.Policy, data []engine.Datum, labels []bool, s stepping) (learn.VerifierStats, error) {
	loss, err := learn.NewVerifierBatch(s.tokens, labels, 0)
	if err != nil {
		return learn.VerifierStats{}, err
	}
	if err := b.Engine.ForwardBackward(ctx, data, loss.Gradient); err != nil {
		return learn.VerifierStats{}, err
	}
	_, err = b.Engine.Step(ctx, policy, s.adam)
	return loss.Stats(), err
}

func pick[T any](list []T, at []int) []T {
	out := make([]T, len(at))
	for i, j := range at {
		out[i] = list[j]
	}
	return out
}
