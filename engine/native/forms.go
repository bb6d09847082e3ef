package native

import (
	"errors"
	"fmt"
	"slices"

	"parley/engine"
	"parley/model/form"
	"parley/model/form/lexicon"
)

// forms are those that completions are texts of, over the tokens of the base.
type forms struct {
	open    func() (*lexicon.Lexicon, error)
	lexicon *lexicon.Lexicon // made when the first form comes
}

// A formText is a completion in the making that is to be a text of a form. A nil one is of no form.
type formText struct {
	texts *lexicon.Texts
	state *form.State
	taken int   // tokens that state is behind
	limit int   // most tokens; below 0: it is not bound to end within any number
	stop  []int // end tokens
}

// text begins one behind a prompt of so many tokens.
func (f *forms) text(m engine.Mask, prompt, context int) (*formText, error) {
	if m.Form == "" {
		return nil, nil
	}
	if f.lexicon == nil {
		if f.open == nil {
			return nil, fmt.Errorf("a form is asked for, and the engine knows no texts of its tokens: %w", errors.ErrUnsupported)
		}
		l, err := f.open()
		if err != nil {
			return nil, err
		}
		f.lexicon = l
	}
	texts, err := f.lexicon.Open(m.Form)
	if err != nil {
		return nil, err
	}
	t := &formText{texts: texts, state: texts.Start(), limit: min(m.Limit, context-prompt), stop: m.Early}
	if t.limit <= t.state.Shortest() {
		t.limit = -1 // no text fits
	}
	return t, nil
}

// formText begins a text of a mask's form.
func (e *Engine) formText(m engine.Mask, prompt int) (*formText, error) {
	return e.forms.text(m, prompt, e.shape.Context)
}

// take goes behind one more token.
func (t *formText) take(token int) error {
	t.taken++
	if slices.Contains(t.stop, token) {
		return nil
	}
	next, err := t.texts.Token(t.state, token)
	if err == nil {
		t.state = next
	}
	return err
}

// place is that of the next token; nil behind tokens that no text of the form begins with.
func (t *formText) place() (*formPlace, error) {
	if !t.state.Alive() {
		return nil, nil
	}
	left := -1
	if t.limit >= 0 {
		left = t.limit - t.taken
	}
	set, err := t.texts.Allowed(t.state, left)
	if err != nil {
		return nil, err
	}
	return &formPlace{words: set.Words(), ends: t.state.Ends(), stop: t.stop}, nil
}

// next is the place of the asked token j of a datum.
func (t *formText) next(d *engine.Datum, j int) (*formPlace, error) {
	if t == nil {
		return nil, nil
	}
	if j > 0 {
		if err := t.take(d.Tokens[d.Index(j-1)]); err != nil {
			return nil, err
		}
	}
	return t.place()
}

// placeForms finds the next places of requests while something else is computed; the function that it returns waits for that. A text that cannot go on
// fails its own request alone.
func placeForms(requests []*request) (wait func()) {
	if !slices.ContainsFunc(requests, func(r *request) bool { return r.form != nil }) {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, r := range requests {
			if r.form == nil {
				continue
			}
			if n := len(r.sample.Tokens); n > 0 {
				r.failed = r.form.take(r.sample.Tokens[n-1])
			}
			if r.failed == nil {
				r.place, r.failed = r.form.place()
			}
			if r.failed != nil {
				r.form, r.place = nil, nil
			}
		}
	}()
	return func() { <-done }
}

// A formPlace is what one token of a text is drawn from.
type formPlace struct {
	words []uint64 // tokens that may come, a bit each
	ends  bool     // so may end tokens
	stop  []int
}

// decides says whether a single token may come.
func (p *formPlace) decides() bool {
	n := 0
	if p.ends {
		n = len(p.stop)
	}
	for _, word := range p.words {
		for ; word != 0 && n < 2; n++ {
			word &= word - 1 // without its lowest bit
		}
	}
	return n == 1
}

// any is one of the tokens that may come.
func (p *formPlace) any() int {
	for id := range len(p.words) * 64 {
		if p.words[id/64]>>(id%64)&1 != 0 {
			return id
		}
	}
	return p.stop[0]
}

// apply takes all other tokens out of the logits z of tokens first, first+1, ...; the token keep stays in.
func (p *formPlace) apply(z []float32, first, keep int) {
	type logit struct {
		at    int
		value float32
	}
	var stay []logit
	for _, t := range append(slices.Clone(p.stop), keep) {
		if at := t - first; at >= 0 && at < len(z) && (p.ends || t == keep) {
			stay = append(stay, logit{at, z[at]})
		}
	}
	for at := 0; at < len(z); {
		t := first + at
		n := min(64-t%64, len(z)-at)
		out := ^uint64(0)
		if t/64 < len(p.words) {
			out = ^p.words[t/64]
		}
		out >>= t % 64
		if n < 64 {
			out &= 1<<n - 1
		}
		for i := at; out != 0; i, out = i+1, out>>1 {
			if out&1 != 0 {
				z[i] = negativeInfinity
			}
		}
		at += n
	}
	for _, t := range p.stop {
		if at := t - first; at >= 0 && at < len(z) {
			z[at] = negativeInfinity
		}
	}
	for _, l := range stay {
		z[l.at] = l.value
	}
}
