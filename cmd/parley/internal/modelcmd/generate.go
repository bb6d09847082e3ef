package modelcmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/engine"
	"parley/internal/seed"
	"parley/model"
)

type modelGenerateCmd struct {
	EngineInput
	Now time.Time `format:"2006-01-02T15:04:05" placeholder:"TIME" help:"The time that the chat template sees, such as 2026-07-14T09:05:03. Default: now."`
}

func (modelGenerateCmd) Help() string {
	return cli.LinesHelp + `    {"text":"Once","max_new_tokens":8,"temperature":0}  →  {"samples":[{"ids":[…],"logprobs":[…],"text":"…","stop":"eos"}]}

The prompt is one of three keys: ids; text, which is encoded with the tokenizer's special tokens; messages, which the chat template renders up to the answer. Control tokens in messages are the template's alone: one that is written in a message is read as text.

The other keys and their defaults: max_new_tokens 256; min_new_tokens 0; temperature 1 (0 is greedy); top_p and top_k off; n, the number of samples, 1; seed 0; ignore_eos false; stop [], texts that end a sample: its text ends before them, its ids are kept.

stop is eos, length, or text where a stop text ended the sample. logprobs are those that the tokens were sampled with.

Example:

    echo '{"text":"Tom has 3 apples.","max_new_tokens":16}' | parley model generate parley-base

Exit codes: 0 done; 1 a number is not finite; 2 there is no such model, or a line is wrong; 130 interrupted.`
}

// A generating is a line of `model generate`.
type generating struct {
	IDs         []int           `json:"ids"`
	Text        *string         `json:"text"`
	Messages    json.RawMessage `json:"messages"`
	MaxTokens   int             `json:"max_new_tokens"`
	MinTokens   int             `json:"min_new_tokens"`
	Temperature float64         `json:"temperature"`
	TopP        float64         `json:"top_p"`
	TopK        int             `json:"top_k"`
	N           int             `json:"n"`
	Seed        uint64          `json:"seed"`
	IgnoreEOS   bool            `json:"ignore_eos"`
	Stop        []string        `json:"stop"`

	stops *model.Stops // of Stop
}

// A generated line holds the samples of one prompt.
type generated struct {
	Samples []generatedSample `json:"samples"`
}

type generatedSample struct {
	IDs      []int             `json:"ids"`
	Logprobs []float32         `json:"logprobs"`
	Text     *string           `json:"text,omitempty"` // nil: the model has no tokenizer
	Stop     engine.StopReason `json:"stop"`
}

// mostSamples bounds "n".
const mostSamples = 1 << 16

func (c *modelGenerateCmd) Run(a *cli.App) error {
	return c.over(a, func(input io.Reader, b *Loaded) error {
		c.at(b)
		return cli.Convert(a, input, b.parseGenerating, func(lines []generating) ([]generated, error) { return b.generate(a, lines) })
	})
}

// at sets the time that prompts have.
func (c *modelGenerateCmd) at(b *Loaded) {
	if b.Model.Now = c.Now; c.Now.IsZero() {
		b.Model.Now = time.Now()
	}
}

// parseGenerating reads a line and brings its prompt to ids.
func (b *Loaded) parseGenerating(line []byte) (generating, error) {
	g := generating{Temperature: 1, N: 1, MaxTokens: 256}
	if err := cli.ReadObject(line, &g); err != nil {
		return g, err
	}
	if err := g.check(); err != nil {
		return g, err
	}
	var err error
	switch {
	case g.Text != nil:
		g.IDs, err = b.encode(*g.Text, true)
	case g.Messages != nil:
		g.IDs, err = b.promptOf(g.Messages)
	}
	if err == nil {
		err = b.checkIDs(g.IDs)
	}
	if err == nil {
		g.stops, err = b.Model.Stops(g.Stop)
	}
	return g, err
}

func (g *generating) check() error {
	prompts := 0
	for _, given := range []bool{g.IDs != nil, g.Text != nil, g.Messages != nil} {
		if given {
			prompts++
		}
	}
	switch {
	case prompts != 1:
		return errors.New(`write one of "ids", "text" and "messages"`)
	case g.Temperature < 0 || g.Temperature > 0 && math.IsInf(float64(float32(1/g.Temperature)), 0):
		return fmt.Errorf("temperature %g is not 0 and not a usable number above", g.Temperature)
	case g.TopP < 0 || g.TopP > 1:
		return fmt.Errorf("top_p %g must lie between 0 and 1", g.TopP)
	case g.TopK < 0 || g.MaxTokens < 0 || g.MinTokens < 0:
		return errors.New("top_k, max_new_tokens and min_new_tokens cannot be negative")
	case g.N < 1 || g.N > mostSamples:
		return fmt.Errorf("n is %d; it must lie between 1 and %d", g.N, mostSamples)
	}
	return nil
}

// encode returns the ids of a text.
func (b *Loaded) encode(text string, special bool) ([]int, error) {
	if b.Model.Tokenizer == nil {
		return nil, errors.New(`the model has no tokenizer; write "ids"`)
	}
	return b.Model.Tokenizer.Encode(text, special)
}

// promptOf renders a conversation up to the answer.
func (b *Loaded) promptOf(messages json.RawMessage) ([]int, error) {
	if b.Model.Template() == nil {
		return nil, errors.New(`the model has no chat template; write "text" or "ids"`)
	}
	if b.Model.Tokenizer == nil {
		return nil, errors.New(`the model has no tokenizer; write "ids"`)
	}
	in, err := parseConversation(append(append([]byte(`{"add_generation_prompt":true,"messages":`), messages...), '}'), b.Model.Now)
	if err != nil {
		return nil, err
	}
	return b.Model.PromptOf(in)
}

// generate samples for all lines together. Sample i of a line has a random stream of its own, derived from the line's seed.
func (b *Loaded) generate(a *cli.App, lines []generating) ([]generated, error) {
	var requests []engine.SampleRequest
	var watches []*model.Watch // of each request; nil: none
	for _, g := range lines {
		for i := range g.N {
			r, w := b.request(g, i), (*model.Watch)(nil)
			if g.stops != nil {
				w = g.stops.Watch(g.MinTokens)
				r.Watch = w
			}
			requests, watches = append(requests, r), append(watches, w)
		}
	}
	samples, err := b.Engine.Sample(a.Ctx, requests)
	if err != nil {
		return nil, err
	}
	answers := make([]generated, len(lines))
	for i, g := range lines {
		for j, s := range samples[:g.N] {
			answers[i].Samples = append(answers[i].Samples, b.describe(s, watches[j]))
		}
		samples, watches = samples[g.N:], watches[g.N:]
	}
	return answers, nil
}

func (b *Loaded) request(g generating, sample int) engine.SampleRequest {
	r := engine.SampleRequest{
		Policy: b.Policy, Prompt: g.IDs, MaxTokens: g.MaxTokens, MinTokens: g.MinTokens, Never: b.Model.Unused(),
		Sampling: engine.Sampling{Temperature: g.Temperature, TopK: g.TopK, TopP: g.TopP}, Seed: seed.Derive(g.Seed, "generate", sample),
	}
	if !g.IgnoreEOS {
		r.Stop = b.Model.Stop()
	}
	return r
}

func (b *Loaded) describe(s engine.Sample, w *model.Watch) generatedSample {
	d := generatedSample{IDs: s.Tokens, Logprobs: s.Logprobs, Stop: s.Stop}
	if b.Model.Tokenizer != nil {
		text := b.Model.Text(s.Tokens)
		if s.Stop == engine.StopText {
			text, _ = w.Text()
		}
		d.Text = &text
	}
	return d
}
