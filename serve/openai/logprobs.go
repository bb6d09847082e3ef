package openai

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"parley/chatsession"
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

// logprobs are those of the tokens of a text, in the form of /v1/completions.
func (t *completionTask) logprobs(ctx context.Context, prompt []int, r chatsession.Reply) (any, error) {
	tokens := r.Drawn.Tokens
	texts, offsets, tops := []string{}, []int{}, []map[string]float32{}
	at := 0
	for _, id := range tokens {
		texts, offsets = append(texts, t.called(id)), append(offsets, at)
		at += utf8.RuneCountInString(t.decode(id))
	}
	out := map[string]any{"tokens": texts, "token_logprobs": r.Drawn.Logprobs, "text_offset": offsets, "top_logprobs": nil}
	if t.tops == 0 || len(tokens) == 0 {
		return out, nil
	}
	all := slices.Concat(prompt, tokens[:len(tokens)-1])
	prefix := engine.Prefix{Policy: t.writer.Speaker().Policy, Tokens: all, From: len(prompt), Sampling: engine.Sampling{Temperature: t.settings.Sampling.Temperature}}
	err := t.writer.Tops(ctx, prefix, t.tops, func(_ int, d engine.Distribution) error {
		top := map[string]float32{}
		for j, id := range d.Tokens {
			top[t.called(id)] = d.Logprobs[j]
		}
		tops = append(tops, top)
		return nil
	})
	out["top_logprobs"] = tops
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
