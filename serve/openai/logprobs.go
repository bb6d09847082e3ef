package openai

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"parley/engine"
	"parley/serve"
	"parley/serve/chatsession"
)

// mostTops is how many of the most probable tokens a client may ask for.
const mostTops = 20

// checkLogprobs refuses log-probabilities that there are none of.
func (t *chatTask) checkLogprobs() *serve.Failure {
	wanted := t.Logprobs != nil && *t.Logprobs
	switch n := t.TopLogprobs; {
	case n != nil && (*n < 0 || *n > mostTops):
		return serve.Bad("top_logprobs", "top_logprobs is %d, expected 0 to %d", *n, mostTops)
	case n != nil && !wanted:
		return serve.Bad("top_logprobs", "top_logprobs is for logprobs: true")
	case !wanted:
		return nil
	}
	if _, ok := t.model.Answerer.(serve.Writer); !ok {
		return serve.Bad("logprobs", "%s has no log-probabilities: several texts make its answer; ask one of its agents", t.model.ID).Coded("unsupported_parameter")
	}
	if t.tops = 0; t.TopLogprobs != nil {
		t.tops = *t.TopLogprobs
	}
	return nil
}

// A probable token is one of an answer, or one that might have been.
type probable struct {
	Token   string  `json:"token"`
	Logprob float32 `json:"logprob"`
	Bytes   []int   `json:"bytes"`
}

// A drawnToken is one of an answer, with the most probable ones in its place.
type drawnToken struct {
	probable
	Top []probable `json:"top_logprobs"`
}

func tokenOf(w serve.Writer, id int, logprob float32) drawnToken {
	return drawnToken{probableOf(w, id, logprob), []probable{}}
}

// logprobs are those of the tokens of an answer; nil: they were not asked for.
func (t *chatTask) logprobs(ctx context.Context, a serve.Answer) (any, error) {
	if t.tops < 0 {
		return nil, nil
	}
	tokens, err := t.probables(ctx, a)
	return logprobsOf(tokens), err
}

func logprobsOf(tokens []drawnToken) any { return map[string]any{"content": tokens, "refusal": nil} }

// probables are the tokens of an answer, but for the one that ended it. Their log-probabilities are of the distribution that they were drawn from,
// temperature and cuts included; the most probable ones are of the one before cuts.
func (t *chatTask) probables(ctx context.Context, a serve.Answer) ([]drawnToken, error) {
	w := t.model.Answerer.(serve.Writer)
	tokens := a.Drawn.Tokens
	if a.Drawn.Stop == engine.StopEOS {
		tokens = tokens[:len(tokens)-1]
	}
	out := make([]drawnToken, len(tokens))
	for i, id := range tokens {
		out[i] = tokenOf(w, id, a.Drawn.Logprobs[i])
	}
	if t.tops > 0 && len(tokens) > 0 {
		if err := t.fillTops(ctx, w, tokens, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fillTops computes the most probable tokens at every place.
func (t *chatTask) fillTops(ctx context.Context, w serve.Writer, tokens []int, content []drawnToken) error {
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
		s.Temperature = serve.Temperature(*t.Temperature)
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

// textLogprobs are the log-probabilities of the tokens of a text, in the form of /v1/completions.
type textLogprobs struct {
	ids      []int
	Tokens   []string             `json:"tokens"`
	Logprobs []float32            `json:"token_logprobs"`
	Offsets  []int                `json:"text_offset"`
	Tops     []map[string]float32 `json:"top_logprobs"` // nil: they were not asked for
}

// cut are those of some of the tokens.
func (l textLogprobs) cut(from, to int) textLogprobs {
	out := textLogprobs{l.ids[from:to], l.Tokens[from:to], l.Logprobs[from:to], l.Offsets[from:to], nil}
	if l.Tops != nil {
		out.Tops = l.Tops[from:to]
	}
	return out
}

// named are tokens with their names. The first begins behind so many characters of the text, and end is where the last one ends.
func (t *completionTask) named(ids []int, logprobs []float32, at int) (out textLogprobs, end int) {
	out = textLogprobs{append([]int{}, ids...), []string{}, append([]float32{}, logprobs...), []int{}, nil} // never null
	for _, id := range ids {
		out.Tokens, out.Offsets = append(out.Tokens, t.called(id)), append(out.Offsets, at)
		at += utf8.RuneCountInString(t.decode(id))
	}
	return out, at
}

// logprobs are those of all tokens of a text.
func (t *completionTask) logprobs(ctx context.Context, prompt []int, r chatsession.Reply) (textLogprobs, error) {
	tokens := r.Drawn.Tokens
	out, _ := t.named(tokens, r.Drawn.Logprobs, 0)
	if t.tops <= 0 || len(tokens) == 0 {
		return out, nil
	}
	all := slices.Concat(prompt, tokens[:len(tokens)-1])
	prefix := engine.Prefix{Policy: t.writer.Speaker().Policy, Tokens: all, From: len(prompt), Sampling: engine.Sampling{Temperature: t.settings.Sampling.Temperature}}
	err := t.writer.Tops(ctx, prefix, t.tops, func(_ int, d engine.Distribution) error {
		top := map[string]float32{}
		for j, id := range d.Tokens {
			top[t.called(id)] = d.Logprobs[j]
		}
		out.Tops = append(out.Tops, top)
		return nil
	})
	return out, err
}

func (t *completionTask) decode(id int) string {
	return t.writer.Speaker().Model.Tokenizer.Decode([]int{id}, true)
}

// called is what a token is called beside its log-probability: its text, or, where two may have the same, its id.
func (t *completionTask) called(id int) string {
	if t.TokensAsIDs {
		return fmt.Sprintf("token_id:%d", id)
	}
	return t.decode(id)
}

// A given token is one of a prompt, or one that might have stood there.
type given struct {
	Logprob float32 `json:"logprob"`
	Rank    int     `json:"rank"`
	Decoded string  `json:"decoded_token"`
}

// promptLogprobs are, for every token of a prompt but the first, its log-probability at temperature 1 and those of the k most probable ones, by
// their ids, as vLLM has them.
func (t *completionTask) promptLogprobs(ctx context.Context, prompt []int, k int) ([]map[string]given, error) {
	out := []map[string]given{nil}
	if len(prompt) < 2 {
		return out, nil
	}
	prefix := engine.Prefix{Policy: t.writer.Speaker().Policy, Tokens: prompt[:len(prompt)-1], From: 1, Sampling: engine.Sampling{Temperature: 1}}
	err := t.writer.Tops(ctx, prefix, 0, func(i int, d engine.Distribution) error {
		at := map[string]given{}
		own := prompt[i+1]
		for rank, id := range best(d.Logprobs, k) {
			at[strconv.Itoa(id)] = given{d.Logprobs[id], rank + 1, t.decode(id)}
		}
		at[strconv.Itoa(own)] = given{d.Logprobs[own], rank(d.Logprobs, own), t.decode(own)}
		out = append(out, at)
		return nil
	})
	return out, err
}

// rank is how many tokens are at least as probable as one, of equal ones those with lower ids.
func rank(logprobs []float32, own int) int {
	n := 1
	for id, p := range logprobs {
		if p > logprobs[own] || p == logprobs[own] && id < own {
			n++
		}
	}
	return n
}

// best are the k most probable tokens, the most probable first.
func best(logprobs []float32, k int) []int {
	var out []int
	for id, p := range logprobs {
		at := len(out)
		for at > 0 && p > logprobs[out[at-1]] {
			at--
		}
		if at < k {
			out = slices.Insert(out, at, id)
			out = out[:min(len(out), k)]
		}
	}
	return out
}
