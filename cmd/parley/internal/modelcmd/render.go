package modelcmd

import (
	"errors"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/model"
	"parley/model/chat"
)

type modelRenderCmd struct {
	ModelInput
	Now time.Time `format:"2006-01-02T15:04:05" placeholder:"TIME" help:"The time that the template sees, such as 2026-07-14T09:05:03. Default: now."`
}

func (modelRenderCmd) Help() string {
	return cli.LinesHelp + `    {"messages":[{"role":"user","content":"Hi"}],"add_generation_prompt":true}  →  {"text":"…"}

The keys are messages, add_generation_prompt, continue_final_message, tools, bos_token and eos_token. Every other key is a variable of the template. If the template rejects a conversation, the answer is {"error":"…"}. Only the template is read, not the weights.

Example:

    echo '{"messages":[{"role":"user","content":"Hi"}]}' | parley model render parley-base

Exit codes: 0 done; 2 there is no such model, it has no chat template, or a line is wrong.`
}

// A rendering is an answer of `model render`: a text, or why there is none.
type rendering struct {
	Text  *string `json:"text,omitempty"`
	Error string  `json:"error,omitempty"`
}

func (c *modelRenderCmd) Run(a *cli.App) error {
	input, err := a.OpenInput(c.In)
	if err != nil {
		return err
	}
	defer input.Close()
	t, err := model.OpenTemplate(c.Model)
	if err != nil {
		return cli.Usagef("%v", err)
	}
	if c.Now.IsZero() {
		c.Now = time.Now()
	}
	parse := func(line []byte) (chat.Input, error) { return parseConversation(line, c.Now) }
	return cli.Convert(a, input, parse, cli.EachLine(func(in chat.Input) (rendering, error) {
		text, err := t.Render(in)
		if err != nil {
			return rendering{Error: err.Error()}, nil
		}
		return rendering{Text: &text}, nil
	}))
}

func parseConversation(line []byte, now time.Time) (chat.Input, error) {
	in := chat.Input{Now: now}
	if err := in.UnmarshalJSON(line); err != nil {
		return in, err
	}
	if in.Messages == nil {
		return in, errors.New(`"messages" is missing`)
	}
	return in, nil
}
