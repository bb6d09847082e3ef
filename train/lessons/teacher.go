package lessons

import (
	"context"
	"errors"
	"fmt"
	"io"

	"parley/engine"
	"parley/internal/usererror"
	"parley/model"
	"parley/systems/fuse"
	"parley/train/lineup"
)

// A read is what a model says about one text: its own tokens of it, the end token last, and its most probable tokens before each of them.
type read struct {
	ID     string        `json:"id"`
	Tokens []int         `json:"tokens"`
	CE     float64       `json:"ce"`               // mean, a token of its own
	Top    []fuse.Logits `json:"top,omitempty"`    // natural logs of probabilities; nil: not asked for
	Spoken *spoken       `json:"spoken,omitempty"` // by a team; nil: the text was given
}

// A reader is a frozen model that reads texts.
type reader struct {
	name   string
	model  *model.Model
	engine engine.Engine
}

// openReader opens a teacher on an engine of its own.
func openReader(ctx context.Context, name string, backend lineup.Backend, o engine.Options) (*reader, error) {
	m, err := model.Open(name)
	if err != nil {
		return nil, usererror.Errorf("fuse.teachers: open model: %w", err)
	}
	e, err := backend.Open(ctx, m, o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("load teacher %s: %w", name, err), m.Close())
	}
	return &reader{name, m, e}, nil
}

func (r *reader) close() error {
	var err error
	if c, ok := r.engine.(io.Closer); ok {
		err = c.Close()
	}
	return errors.Join(err, r.model.Close())
}

// encode is a text as the model reads it: what is asked, and what is said with the end token behind it.
func (r *reader) encode(t text) (prompt, said []int, err error) {
	if prompt, err = r.model.Prompt(t.Asked); err != nil {
		return nil, nil, fmt.Errorf("prompt of problem %s for %s: %w", t.Problem.ID, r.name, err)
	}
	for _, piece := range t.parts() {
		ids, err := r.model.Encode(piece)
		if err != nil {
			return nil, nil, fmt.Errorf("text of problem %s for %s: %w", t.Problem.ID, r.name, err)
		}
		said = append(said, ids...)
	}
	if len(prompt) == 0 {
		return nil, nil, usererror.Errorf("%s has no token before the text of problem %s: set team.prompts.first to something", r.name, t.Problem.ID)
	}
	return prompt, append(said, r.model.Stop()[0]), nil
}

// chunk bounds the texts of one call.
const chunk = 64

// read reads texts, each under its policy. top 0: only the cross-entropies are asked for.
func (r *reader) read(ctx context.Context, texts []text, top int) ([]read, error) {
	out := make([]read, 0, len(texts))
	for at := 0; at < len(texts); at += chunk {
		some, err := r.readSome(ctx, texts[at:min(at+chunk, len(texts))], top)
		if err != nil {
			return nil, fmt.Errorf("%s reads texts: %w", r.name, err)
		}
		out = append(out, some...)
	}
	return out, nil
}

func (r *reader) readSome(ctx context.Context, texts []text, top int) ([]read, error) {
	out, data := make([]read, len(texts)), make([]engine.Datum, len(texts))
	for i, t := range texts {
		prompt, said, err := r.encode(t)
		if err != nil {
			return nil, err
		}
		out[i] = read{ID: t.Problem.ID, Tokens: said}
		data[i] = engine.Datum{Policy: t.policy, Tokens: append(prompt, said...), ScoreFrom: len(prompt)}
	}
	outputs, err := r.engine.Forward(ctx, data)
	if err != nil {
		return nil, err
	}
	for i, o := range outputs {
		for _, lp := range o.Logprobs {
			out[i].CE -= float64(lp) / float64(len(o.Logprobs))
		}
	}
	if top == 0 {
		return out, nil
	}
	return out, r.top(ctx, data, out, top)
}

// top asks for the most probable tokens before every token of the texts.
func (r *reader) top(ctx context.Context, data []engine.Datum, out []read, k int) error {
	d, can := engine.As[engine.Distributor](r.engine)
	if !can {
		return usererror.Errorf("the engine of %s says no distributions: teachers need one that implements engine.Distributor, such as the embedded one", r.name)
	}
	prefixes := make([]engine.Prefix, len(data))
	for i, x := range data {
		prefixes[i] = engine.Prefix{Policy: x.Policy, Tokens: x.Tokens[:len(x.Tokens)-1], From: x.ScoreFrom}
	}
	return d.Distributions(ctx, prefixes, k, func(i, _ int, d engine.Distribution) error {
		var row fuse.Logits
		for m, lp := range d.Logprobs {
			id := m
			if d.Tokens != nil {
				id = d.Tokens[m]
			}
			row.IDs, row.Values = append(row.IDs, id), append(row.Values, float64(lp))
		}
		out[i].Top = append(out[i].Top, row)
		return nil
	})
}
