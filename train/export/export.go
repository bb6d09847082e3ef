// Package export writes the trained policies of a run in the forms that other programs load, and says how far each is from what
// was trained.
//
//	export.go      what is written, from where
//	adapter.go     PEFT adapters
//	merged.go      full checkpoints: the adapter in the weights of its base
//	full.go        policies that are trained copies of their bases
//	gguf.go        what llama.cpp and ollama load: a model, an adapter, a Modelfile
//	difference.go  the written form against the policy, on what the policy answered
//	score.go       log-probabilities of answers, under an engine
//
// A policy is an adapter over a base as its engine held it: in float32, or rounded, or quantized. The adapter was trained over the base in
// that form. So it is merged into that form, and the written form is compared with it. Or it is a copy of the base whose every parameter was
// trained.
package export

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"parley/engine"
	"parley/internal/folder"
	"parley/model/gguf"
	"parley/runs/verify"
)

// A Form is how policies are written.
type Form int

const (
	Adapter Form = iota // a PEFT folder
	Merged              // a checkpoint in Hugging Face layout
	GGUF                // a model and an adapter as llama.cpp loads them
)

// An Export is what is going to be written.
type Export struct {
	Run      string // folder
	From     verify.Saved
	Out      string // new folder, with one for each policy
	Policies []string
	Form     Form
	DType    string         // of merged tensors, as package weights or gguf has it; empty: the base's own
	WithBase bool           // GGUF: the untrained base too, for the adapters
	Sampling gguf.Modelfile // GGUF: how answers are drawn, and which texts end them

	Base     func(policy string) string // name of a policy's base model
	Hash     func(policy string) string // of the base that it was trained over; empty: not known, or another one is wanted
	BaseName string                     // what adapters call their base; empty: as the run does

	Engine  engine.Options // as the run trained
	Backend Backend
	Answers int     // most answers of each policy that the written form is compared on; 0: it is not
	Limit   float64 // most that a log-probability may differ by; negative: any
	Note    func(text string)
}

// Write writes all policies, or nothing. It returns what comparing them gave.
func (x *Export) Write(ctx context.Context) ([]Difference, error) {
	var found []Difference
	err := folder.Whole(x.Out, func(tmp string) error {
		for _, p := range x.Policies {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := x.writePolicy(p, filepath.Join(tmp, p)); err != nil {
				return fmt.Errorf("policy %s: %w", p, err)
			}
		}
		if err := x.writeBases(ctx, tmp); err != nil {
			return err
		}
		var err error
		if found, err = x.compare(ctx, tmp); err != nil {
			return err
		}
		return x.within(found)
	})
	if err != nil {
		return nil, fmt.Errorf("export to %s: %w", x.Out, err)
	}
	return found, nil
}

func (x *Export) writePolicy(policy, to string) error {
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	switch x.Form {
	case Merged:
		return x.writeMerged(policy, to)
	case GGUF:
		return x.writeGGUF(policy, to)
	}
	return x.writeAdapter(policy, to)
}

// saved is the folder of a policy in the run.
func (x *Export) saved(policy string) string { return filepath.Join(x.From.Dir, policy) }

// within refuses what differs by more than the limit.
func (x *Export) within(found []Difference) error {
	if x.Limit < 0 {
		return nil
	}
	for _, d := range found {
		if !(d.Max <= x.Limit) {
			return fmt.Errorf("policy %s as %s: %s; the limit is %g, and nothing was written", d.Policy, d.Form, d, x.Limit)
		}
	}
	return nil
}
