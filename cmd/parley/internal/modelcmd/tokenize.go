package modelcmd

import (
	"errors"

	"parley/cmd/parley/internal/cli"
	"parley/model"
	"parley/model/tokenizer"
)

type modelTokenizeCmd struct {
	ModelInput
	Special bool `help:"Add special tokens when encoding; keep them when decoding."`
}

func (modelTokenizeCmd) Help() string {
	return cli.LinesHelp + `    {"text":"Hello"}  →  {"ids":[9906]}
    {"ids":[9906]}    →  {"text":"Hello"}

Only the tokenizer is read, not the weights.

Example:

    echo '{"text":"Hello"}' | parley model tokenize parley-base

Exit codes: 0 done; 2 there is no such model, it has no tokenizer, or a line is wrong.`
}

// A tokenizing is a line of `model tokenize`, and the answer: a text or ids.
type tokenizing struct {
	Text *string `json:"text,omitempty"`
	IDs  *[]int  `json:"ids,omitempty"`
}

func (c *modelTokenizeCmd) Run(a *cli.App) error {
	input, err := a.OpenInput(c.In)
	if err != nil {
		return err
	}
	defer input.Close()
	t, err := model.OpenTokenizer(c.Model)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	return cli.Convert(a, input, parseTokenizing, cli.EachLine(func(in tokenizing) (tokenizing, error) { return in.with(t, c.Special) }))
}

func parseTokenizing(line []byte) (t tokenizing, err error) {
	if err := cli.ReadObject(line, &t); err != nil {
		return t, err
	}
	if (t.Text == nil) == (t.IDs == nil) {
		return t, errors.New(`write either "text" or "ids"`)
	}
	return t, nil
}

// with encodes a text or decodes ids.
func (l tokenizing) with(t *tokenizer.Tokenizer, special bool) (tokenizing, error) {
	if l.Text == nil {
		text := t.Decode(*l.IDs, special)
		return tokenizing{Text: &text}, nil
	}
	encoded, err := t.Encode(*l.Text, special)
	if err != nil {
		return tokenizing{}, err
	}
	ids := append([]int{}, encoded...)
	return tokenizing{IDs: &ids}, nil
}
