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
	prompt, err := w.Prompt(t.question)
	if err != nil {
		return err
	}
	prefix := w.Speaker().Places(prompt, tokens, t.question.With(w.Settings()))
	return w.Tops(ctx, []engine.Prefix{prefix}, t.tops, t.question.Logits, func(_, i int, d engine.Distribution) error {
		for j, id := range d.Tokens {
			content[i].Top = append(content[i].Top, probableOf(w, id, d.Logprobs[j]))
		}
		return nil
	})
}

func probableOf(w serve.Writer, id int, logprob float32) probable {
	t := w.Speaker().Model.Tokenizer
	p := probable{Token: t.Decode([]int{id}, true), Logprob: logprob, Bytes: []int{}}
	for _, b := range t.Bytes(id) {
		p.Bytes = append(p.Bytes, int(b))
	}
	return p
}

// textLogprobs are the log-probabilities of the tokens of a text, in the form of /v1/completions.
type textLogprobs struct {
	ids      []int
	Tokens   []string             `json:"tokens"`
	Logprobs []*float32           `json:"token_logprobs"` // nil: of the first token of a prompt
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

// named are tokens with their names. The first begins behind so many characters of the text, and end is where the last one ends. Where the prompt is
// echoed, each is among its most probable ones, however few are asked for.
func (t *completionTask) named(ids []int, logprobs []float32, at int) (out textLogprobs, end int) {
	out = textLogprobs{append([]int{}, ids...), []string{}, []*float32{}, []int{}, nil} // never null
	for i, id := range ids {
		out.Tokens, out.Offsets = append(out.Tokens, t.called(id)), append(out.Offsets, at)
		out.Logprobs = append(out.Logprobs, &logprobs[i])
		if t.Echo {
			out.Tops = append(out.Tops, map[string]float32{t.called(id): logprobs[i]})
		}
		at += utf8.RuneCountInString(t.decode(id))
	}
	return out, at
}

// echoed are the tokens of a prompt that is repeated before its text.
type echoed struct {
	tokens textLogprobs
	end    int // of its text, in characters of its tokens
}

// score computes the log-probabilities of the prompts, of all in one call of the engine. They are at temperature 1, as those of prompt_logprobs. Where
// nothing is drawn, it is what finds that a prompt is too long.
func (t *completionTask) score(ctx context.Context) error {
	t.echoed = make([]echoed, len(t.prompts))
	if !t.Echo || t.tops < 0 && t.settings.MaxTokens > 0 {
		return nil
	}
	var prefixes []engine.Prefix
	var of []int // which prompt each is of
	for i, prompt := range t.prompts {
		e := &t.echoed[i]
		e.tokens, e.end = t.named(prompt, make([]float32, len(prompt)), 0)
		e.tokens.Logprobs[0], e.tokens.Tops[0] = nil, nil
		if n := len(prompt); n > 1 {
			prefixes = append(prefixes, engine.Prefix{Policy: t.writer.Speaker().Policy, Tokens: prompt[:n-1], From: 1, Sampling: engine.Sampling{Temperature: 1}})
			of = append(of, i)
		}
	}
	return t.writer.Tops(ctx, prefixes, 0, chatsession.Logits{}, func(j, i int, d engine.Distribution) error {
		l, own := &t.echoed[of[j]].tokens, t.prompts[of[j]][i+1]
		*l.Logprobs[i+1] = d.Logprobs[own]
		l.Tops[i+1] = map[string]float32{}
		for _, id := range append(d.Best(t.tops), own) {
			t.put(l.Tops[i+1], id, d.Logprobs[id])
		}
		return nil
	})
}

// put adds a token to the most probable ones of a place. Of two that are called the same the more probable one stays.
func (t *completionTask) put(tops map[string]float32, id int, logprob float32) {
	name := t.called(id)
	if other, there := tops[name]; !there || logprob > other {
		tops[name] = logprob
	}
}

// and puts what follows behind the tokens of a text.
func (l textLogprobs) and(m textLogprobs) textLogprobs {
	return textLogprobs{
		slices.Concat(l.ids, m.ids), slices.Concat(l.Tokens, m.Tokens), slices.Concat(l.Logprobs, m.Logprobs), slices.Concat(l.Offsets, m.Offsets),
		slices.Concat(l.Tops, m.Tops),
	}
}

// logprobs are those of all tokens that were drawn for one text.
func (t *completionTask) logprobs(ctx context.Context, choice int, r chatsession.Reply) (textLogprobs, error) {
	tokens, prompt := r.Drawn.Tokens, t.prompts[choice/t.choices()]
	out, _ := t.named(tokens, r.Drawn.Logprobs, t.echoed[choice/t.choices()].end)
	if t.tops <= 0 || len(tokens) == 0 {
		return out, nil
	}
	prefix := t.writer.Speaker().Places(prompt, tokens, t.settings)
	if !t.Echo {
		out.Tops = make([]map[string]float32, len(tokens))
	}
	err := t.writer.Tops(ctx, []engine.Prefix{prefix}, t.tops, t.settings.Logits, func(_, i int, d engine.Distribution) error {
		top := map[string]float32{}
		for j, id := range d.Tokens {
			t.put(top, id, d.Logprobs[j])
		}
		if _, there := top[out.Tokens[i]]; t.Echo && !there {
			top[out.Tokens[i]] = *out.Logprobs[i]
		}
		out.Tops[i] = top
		return nil
	})
	return out, err
}

func (t *completionTask) decode(id int) string {
	return t.writer.Speaker().Model.Tokenizer.Decode([]int{id}, true)
}

// called is what a token is called beside its log-probability: its text, or, where two may have the same, its id. Parts of characters are called by
// their bytes, as OpenAI has it.
func (t *completionTask) called(id int) string {
	if t.TokensAsIDs {
		return fmt.Sprintf("token_id:%d", id)
	}
	data := t.writer.Speaker().Model.Tokenizer.Bytes(id)
	if utf8.Valid(data) {
		return t.decode(id)
	}
	name := "bytes:"
	for _, b := range data {
		name += fmt.Sprintf(`\x%02x`, b)
	}
	return name
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
	err := t.writer.Tops(ctx, []engine.Prefix{prefix}, 0, chatsession.Logits{}, func(_, i int, d engine.Distribution) error {
		at := map[string]given{}
		own := prompt[i+1]
		for rank, id := range d.Best(k) {
			at[strconv.Itoa(id)] = given{d.Logprobs[id], rank + 1, t.decode(id)}
		}
		at[strconv.Itoa(own)] = given{d.Logprobs[own], d.Rank(own), t.decode(own)}
		out = append(out, at)
		return nil
	})
	return out, err
}
