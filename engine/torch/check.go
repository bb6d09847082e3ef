package torch

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"parley/engine"
)

// checkPolicy finds the policy of a datum or request; nil is the base.
func (e *Engine) checkPolicy(name engine.Policy) (*policy, error) {
	if name == engine.Base {
		return nil, nil
	}
	return e.policy(name)
}

func (e *Engine) checkRequest(r *engine.SampleRequest) error {
	if _, err := e.checkPolicy(r.Policy); err != nil {
		return err
	}
	if len(r.Prompt) == 0 {
		return errors.New("the prompt is empty; give it at least one token")
	}
	if r.MaxTokens < 0 {
		return fmt.Errorf("MaxTokens is %d", r.MaxTokens)
	}
	if err := engine.CheckTokens(r.Prompt, e.info.Window, e.info.Vocab); err != nil {
		return fmt.Errorf("prompt: %w", err)
	}
	if r.Shape != nil {
		return fmt.Errorf("%w: the worker changes no logits", errors.ErrUnsupported)
	}
	return errors.Join(r.Sampling.Check(), checkForm(r.Form))
}

// checkDatum returns the datum's policy; nil is the base.
func (e *Engine) checkDatum(d *engine.Datum) (*policy, error) {
	p, err := e.checkPolicy(d.Policy)
	if err != nil {
		return nil, err
	}
	if d.ValuesOnly && (p == nil || p.values == 0) {
		return nil, fmt.Errorf("values are asked of policy %q, which has no value head", d.Policy)
	}
	return p, errors.Join(d.Check(e.info.Window, e.info.Vocab), checkForm(d.Mask.Form))
}

// checkForm refuses schemas and expressions.
func checkForm(form string) error {
	if form == "" {
		return nil
	}
	return fmt.Errorf("%w: the worker holds no completion to a schema", errors.ErrUnsupported)
}

// finite refuses numbers that are none.
func finite(what string, x []float32) error {
	if i := slices.IndexFunc(x, func(v float32) bool { return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) }); i >= 0 {
		return fmt.Errorf("%s has %v at index %d: %w", what, x[i], i, engine.ErrNotFinite)
	}
	return nil
}

// A palette numbers the settings of distributions, which many rows of a call share.
type palette struct {
	numbers map[string]int
	list    []map[string]any
}

func (p *palette) number(s engine.Sampling, m engine.Mask) int {
	key := fmt.Sprint(s, m)
	n, known := p.numbers[key]
	if !known {
		if p.numbers == nil {
			p.numbers = map[string]int{}
		}
		n = len(p.list)
		p.numbers[key] = n
		p.list = append(p.list, map[string]any{
			"temperature": s.Temperature, "top_k": s.TopK, "top_p": s.TopP, "never": m.Never, "early": m.Early, "least": m.Least,
		})
	}
	return n
}
