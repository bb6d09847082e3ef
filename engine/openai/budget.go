package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// A Price is what a million tokens of a model cost, in any currency.
type Price struct{ Prompt, Drawn float64 }

// Spent is what a model has cost, since the pool was opened or the state that it was set to.
type Spent struct {
	Requests int `json:"requests"` // that were answered, or failed in the end
	Prompt   int `json:"prompt_tokens"`
	Drawn    int `json:"drawn_tokens"`
}

// ErrSpent is wrapped by errors that end a run, since its budget is spent.
var ErrSpent = errors.New("the budget for servers is spent")

// errBudget is wrapped by all errors of a budget.
var errBudget = errors.New("nothing more is asked")

// A ledger counts by model. Sums are whole numbers, so that their order does not matter.
type ledger struct {
	prices map[string]Price

	mu    sync.Mutex
	spent map[string]Spent
}

// answered counts a question that has been answered, or has failed.
func (l *ledger) answered(model string) { l.add(model, Spent{Requests: 1}) }

func (l *ledger) add(model string, more Spent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spent == nil {
		l.spent = map[string]Spent{}
	}
	s := l.spent[model]
	l.spent[model] = Spent{s.Requests + more.Requests, s.Prompt + more.Prompt, s.Drawn + more.Drawn}
}

// Spent is what every model has cost so far, by its name.
func (p *Pool) Spent() map[string]Spent {
	p.ledger.mu.Lock()
	defer p.ledger.mu.Unlock()
	return maps.Clone(p.ledger.spent)
}

// Restore takes what was spent before, as the state of a checkpoint says.
func (p *Pool) Restore(spent map[string]Spent) error {
	for model, s := range spent {
		if min(s.Requests, s.Prompt, s.Drawn) < 0 {
			return fmt.Errorf("model %.80q has cost less than nothing", model)
		}
	}
	p.ledger.mu.Lock()
	defer p.ledger.mu.Unlock()
	p.ledger.spent = maps.Clone(spent)
	return nil
}

// Cost is what so much costs at the pool's prices.
func (p *Pool) Cost(spent map[string]Spent) (sum float64) {
	for _, model := range slices.Sorted(maps.Keys(spent)) { // sums of fractions depend on their order
		price := p.options.Prices[model]
		sum += (float64(spent[model].Prompt)*price.Prompt + float64(spent[model].Drawn)*price.Drawn) / 1e6
	}
	return sum
}

// within is an error where the budget is spent. What is on its way then is let go on.
func (p *Pool) within() error {
	o := p.options
	if o.Tokens == 0 && o.Cost == 0 {
		return nil
	}
	spent := p.Spent()
	tokens := 0
	for _, s := range spent {
		tokens += s.Prompt + s.Drawn
	}
	var why error
	switch cost := p.Cost(spent); {
	case o.Tokens > 0 && tokens >= o.Tokens:
		why = fmt.Errorf("%w: servers have read and drawn %d tokens, and the budget is %d", errBudget, tokens, o.Tokens)
	case o.Cost > 0 && cost >= o.Cost:
		why = fmt.Errorf("%w: servers have cost %.4g, and the budget is %g", errBudget, cost, o.Cost)
	default:
		return nil
	}
	if o.Fails {
		return why
	}
	return fmt.Errorf("%w: %w", ErrSpent, why)
}

// usage is what one reply has cost.
type usage struct{ Prompt, Drawn int }

const (
	bytesPerToken = 4       // of a server that does not say how many tokens there were
	mostTokens    = 1 << 30 // of one reply; a server that says more lies
)

// usageOf is what a reply says of its cost, or, where it says nothing sensible, what its length and that of its request let expect.
func usageOf(reply []byte, sent int) usage {
	var r struct {
		Usage *struct {
			Prompt int `json:"prompt_tokens"`
			Drawn  int `json:"completion_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(reply, &r); err == nil && r.Usage != nil {
		u := usage(*r.Usage)
		if min(u.Prompt, u.Drawn) >= 0 && max(u.Prompt, u.Drawn) < mostTokens && u.Prompt+u.Drawn > 0 {
			return u
		}
	}
	return usage{sent/bytesPerToken + 1, len(reply)/bytesPerToken + 1}
}
