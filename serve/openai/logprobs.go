package openai

import (
	"context"
	"slices"

	"parley/engine"
	"parley/serve"
	"parley/serve/gate"
)

// mostTops is how many of the most probable tokens a client may ask for.
const mostTops = 20

// checkLogprobs refuses log-probabilities that there are none of.
func (t *chatTask) checkLogprobs() *gate.Failure {
	wanted := t.Logprobs != nil && *t.Logprobs
	switch n := t.TopLogprobs; {
	case n != nil && (*n < 0 || *n > mostTops):
		return gate.Bad("top_logprobs", "top_logprobs is %d, expected 0 to %d", *n, mostTops)
	case n != nil && *n > 0 && !wanted:
		return gate.Bad("top_logprobs", "top_logprobs is for logprobs: true")
	case !wanted:
		return nil
	}
	if _, ok := t.model.Answerer.(serve.Writer); !ok {
		return gate.Bad("logprobs", "%s has no log-probabilities: several texts make its answer; ask one of its agents", t.model.ID).Coded("unsupported_parameter")
	}
	if t.tops = 0; t.TopLogprobs != nil {
		t.tops = *t.TopLogprobs
	}
	return nil
}

// A probable token is one of an answer, or one that might have been.
type probable struct {
	Token   string     `json:"token"`
	Logprob float32    `json:"logprob"`
	Bytes   []int      `json:"bytes"`
	Top     []probable `json:"top_logprobs,omitempty"`
}

// logprobs are those of the tokens of an answer, but for the one that ended it; nil: they were not asked for. They are of the distribution
// that the tokens were drawn from, temperature and cuts included; the most probable ones are of the one before cuts.
func (t *chatTask) logprobs(ctx context.Context, a serve.Answer) (any, error) {
	if t.tops < 0 {
		return nil, nil
	}
	w := t.model.Answerer.(serve.Writer)
	tokens := a.Drawn.Tokens
	if a.Drawn.Stop == engine.StopEOS {
		tokens = tokens[:len(tokens)-1]
	}
	content := make([]probable, len(tokens))
	for i, id := range tokens {
		content[i] = probableOf(w, id, a.Drawn.Logprobs[i])
		content[i].Top = []probable{}
	}
	if t.tops > 0 && len(tokens) > 0 {
		if err := t.fillTops(ctx, w, tokens, content); err != nil {
			return nil, err
		}
	}
	return map[string]any{"content": content, "refusal": nil}, nil
}

// fillTops computes the most probable tokens at every place.
func (t *chatTask) fillTops(ctx context.Context, w serve.Writer, tokens []int, content []probable) error {
	prompt, err := w.Speaker().Model.Prompt(t.question.Messages)
	if err != nil {
		return err
	}
	prefix := engine.Prefix{Policy: w.Speaker().Policy, Tokens: slices.Concat(prompt, tokens[:len(tokens)-1]), From: len(prompt), Sampling: t.temperature(w)}
	return w.Tops(ctx, prefix, t.tops, func(i int, d engine.Distribution) error {
		for j, id := range d.Tokens {
			content[i].Top = append(content[i].Top, probableOf(w, id, d.Logprobs[j]))
		}
		return nil
	})
}

// temperature is how the answer was drawn, without cuts.
func (t *chatTask) temperature(w serve.Writer) engine.Sampling {
	s := engine.Sampling{Temperature: w.Settings().Sampling.Temperature}
	if t.Temperature != nil {
		s.Temperature = *t.Temperature
	}
	return s
}

func probableOf(w serve.Writer, id int, logprob float32) probable {
	text := w.Speaker().Model.Tokenizer.Decode([]int{id}, true)
	p := probable{Token: text, Logprob: logprob, Bytes: make([]int, len(text))}
	for i := range len(text) {
		p.Bytes[i] = int(text[i])
	}
	return p
}
