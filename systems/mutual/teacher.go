package mutual

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/team"
)

// A Codec writes what a teacher is asked as tokens, and reads what it says.
type Codec interface {
	Prompt(dialogue []team.Message) ([]int, error)
	Text(tokens []int) string
	Stop() []int
}

// A Teacher is a policy of an engine that names what to do.
type Teacher struct {
	Engine    engine.Engine
	Codec     Codec
	Policy    engine.Policy
	Sampling  engine.Sampling
	MaxTokens int
	Never     [][2]int    // ids that it does not say
	Adam      engine.Adam // of its steps
}

// An Instruction is what a teacher said.
type Instruction struct {
	Prompt []int  `json:"prompt"`
	Tokens []int  `json:"tokens"`
	Text   string `json:"text"`
}

// instruct asks the teacher for one instruction.
func (t *Teacher) instruct(ctx context.Context, observed string, seed uint64) (Instruction, error) {
	prompt, err := t.Codec.Prompt([]team.Message{{Role: team.User, Content: observed}})
	if err != nil {
		return Instruction{}, fmt.Errorf("ask the teacher: %w", err)
	}
	samples, err := t.Engine.Sample(ctx, []engine.SampleRequest{{
		Policy: t.Policy, Prompt: prompt, Sampling: t.Sampling, MaxTokens: t.MaxTokens, Stop: t.Codec.Stop(), Never: t.Never, Seed: seed,
	}})
	if err != nil {
		return Instruction{}, fmt.Errorf("ask the teacher: %w", err)
	}
	said := samples[0].Tokens
	return Instruction{Prompt: prompt, Tokens: said, Text: t.Codec.Text(said)}, nil
}

// learn takes one step on instructions: the loss is −Σ weight·log π_T(u|desc(s)), and the weights are those of the clock.
func (t *Teacher) learn(ctx context.Context, used []Instruction, weights []float64) error {
	data := make([]engine.Datum, len(used))
	for i, u := range used {
		tokens := append(append(make([]int, 0, len(u.Prompt)+len(u.Tokens)), u.Prompt...), u.Tokens...)
		data[i] = engine.Datum{Policy: t.Policy, Tokens: tokens, ScoreFrom: len(u.Prompt), Sampling: t.Sampling, Mask: engine.Mask{Never: t.Never}}
	}
	loss := func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		out := make([]engine.Gradient, len(outputs))
		for i, o := range outputs {
			g := make([]float32, len(o.Logprobs))
			for token := range g {
				g[token] = float32(-weights[first+i])
			}
			out[i].Logprobs = g
		}
		return out, nil
	}
	if err := t.Engine.ForwardBackward(ctx, data, loss); err != nil {
		return fmt.Errorf("train the teacher: %w", err)
	}
	if _, err := t.Engine.Step(ctx, t.Policy, t.Adam); err != nil {
		return fmt.Errorf("train the teacher: %w", err)
	}
	return nil
}
