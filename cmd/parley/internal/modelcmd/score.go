package modelcmd

import (
	"io"

	"parley/cmd/parley/internal/cli"
	"parley/engine"
)

type modelScoreCmd struct{ EngineInput }

func (modelScoreCmd) Help() string {
	return cli.LinesHelp + `    {"ids":[1,2,3]}  →  {"logprobs":[null,-1.25,-0.5]}

logprobs[i] is the natural logarithm of the probability of ids[i] given the ids before it, at temperature 1 and over the full vocabulary. The first is null.

Example:

    echo '{"ids":[1,2,3]}' | parley model score parley-base

Exit codes: 0 done; 1 a number is not finite; 2 there is no such model, or a line is wrong; 130 interrupted.`
}

// idsLine is a line of `model score`.
type idsLine struct {
	IDs []int `json:"ids"`
}

// A scoring is an answer of `model score`; nil stands for null.
type scoring struct {
	Logprobs []*float32 `json:"logprobs"`
}

func (c *modelScoreCmd) Run(a *cli.App) error {
	return c.over(a, func(input io.Reader, b *Loaded) error {
		parse := func(line []byte) (l idsLine, err error) {
			if err := cli.ReadObject(line, &l); err != nil {
				return l, err
			}
			return l, b.checkIDs(l.IDs)
		}
		return cli.Convert(a, input, parse, func(lines []idsLine) ([]scoring, error) { return b.score(a, lines) })
	})
}

func (b *Loaded) score(a *cli.App, lines []idsLine) ([]scoring, error) {
	data := make([]engine.Datum, len(lines))
	for i, l := range lines {
		data[i] = engine.Datum{Policy: b.Policy, Tokens: l.IDs, ScoreFrom: 1}
	}
	outputs, err := b.Engine.Forward(a.Ctx, data)
	if err != nil {
		return nil, err
	}
	answers := make([]scoring, len(lines))
	for i, o := range outputs {
		answers[i].Logprobs = make([]*float32, 1, len(o.Logprobs)+1)
		for j := range o.Logprobs {
			answers[i].Logprobs = append(answers[i].Logprobs, &o.Logprobs[j])
		}
	}
	return answers, nil
}
