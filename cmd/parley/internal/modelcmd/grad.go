package modelcmd

import (
	"fmt"
	"io"

	"parley/cmd/parley/internal/cli"
	"parley/engine"
)

type modelGradCmd struct{ EngineInput }

func (modelGradCmd) Help() string {
	return `Reads JSON lines {"ids":[…],"weights":[…]} and writes one JSON object {"loss":…,"grads":{"NAME":[[…]]}}. It is for checks and debugging.

The loss is Σ weights[i]·logprob[i] over all lines, where logprob[i] is the log-probability of ids[i] given the ids before it. weights[0] is ignored. NAME is the name of a parameter in adapter_model.safetensors.

Example:

    echo '{"ids":[1,2,3],"weights":[0,1,1]}' | parley model grad parley-base --adapter adapters/policy-turn2

Exit codes: 0 done; 1 a number is not finite; 2 there is no such model or adapter, or a line is wrong; 130 interrupted.`
}

// A weighted line of `model grad`.
type weighted struct {
	IDs     []int     `json:"ids"`
	Weights []float32 `json:"weights"`
}

// gradients is the answer of `model grad`.
type gradients struct {
	Loss  float64        `json:"loss"`
	Grads map[string]any `json:"grads"` // nested lists of the parameters' shapes
}

func (c *modelGradCmd) Run(a *cli.App) error {
	if c.Adapter == "" {
		return cli.Usagef("there is nothing to take a gradient of: name an adapter with --adapter DIR")
	}
	return c.over(a, func(input io.Reader, b *Loaded) error {
		lines, err := cli.ReadAll(a, input, b.parseWeighted)
		if err != nil {
			return err
		}
		g, err := b.grad(a, lines)
		if err != nil {
			return err
		}
		return cli.WriteLines(a.Stdout, []*gradients{g})
	})
}

func (b *Loaded) parseWeighted(line []byte) (w weighted, err error) {
	if err := cli.ReadObject(line, &w); err != nil {
		return w, err
	}
	if len(w.IDs) != len(w.Weights) {
		return w, fmt.Errorf("there are %d ids, but %d weights", len(w.IDs), len(w.Weights))
	}
	return w, b.checkIDs(w.IDs)
}

func (b *Loaded) grad(a *cli.App, lines []weighted) (*gradients, error) {
	data := make([]engine.Datum, len(lines))
	for i, l := range lines {
		data[i] = engine.Datum{Policy: b.Policy, Tokens: l.IDs, ScoreFrom: 1}
	}
	answer := &gradients{Grads: map[string]any{}}
	err := b.Engine.ForwardBackward(a.Ctx, data, func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		g := make([]engine.Gradient, len(outputs))
		for i, o := range outputs {
			g[i].Logprobs = lines[first+i].Weights[1:]
			for j, w := range g[i].Logprobs {
				answer.Loss += float64(w) * float64(o.Logprobs[j])
			}
		}
		return g, nil
	})
	if err != nil {
		return nil, err
	}
	list, err := b.Engine.Gradients(b.Policy)
	for _, g := range list {
		answer.Grads[g.Name] = nested(g.Shape, g.Data)
	}
	return answer, err
}

// nested makes lists in lists of row-major data.
func nested(shape []int, data []float32) any {
	if len(shape) < 2 {
		return data
	}
	rows, size := make([]any, shape[0]), len(data)/max(1, shape[0])
	for i := range rows {
		rows[i] = nested(shape[1:], data[i*size:(i+1)*size])
	}
	return rows
}
