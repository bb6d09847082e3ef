package native

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"parley/engine"
	"parley/internal/seed"
)

// cacheFloats is about how many values the keys and values may take, of requests in flight and cached prefixes together.
const cacheFloats = 1 << 28

// A request is a sample in the making.
type request struct {
	*engine.SampleRequest
	policy      *policy
	sampling    engine.Sampling
	mask        engine.Mask
	form        *formText  // what has been drawn of a text of a form; nil: any text
	place       *formPlace // of the next token in it
	failed      error      // the text cannot go on in its form
	random      *rand.Rand
	policyOrder int        // of its policy among those of the call
	reserved    int        // tokens that it may come to hold
	prefix      *segment   // what its tokens end with in the prefix cache
	leaf        *segment   // where its next token goes: prefix, or a segment of its own that continues it
	base        *segment   // what the segments of its own continue: prefix, or in the end what the prefix cache took over
	path        []*segment // of pathOf, while the prefix cache has so many splits
	pathOf      *segment
	splits      int
	maxNew      int // most new tokens: MaxTokens, or what the context has room for
	sample      *engine.Sample
	onToken     func(token int) error                 // is told every token; may be nil
	choose      func(logprobs []float32) (int, error) // picks every token; nil: it is drawn
}

// length is how many tokens there are, the prompt's included.
func (r *request) length() int { return len(r.Prompt) + len(r.sample.Tokens) }

// tokens returns the prompt and what has been drawn.
func (r *request) tokens() []int { return slices.Concat(r.Prompt, r.sample.Tokens) }

// Sample completes prompts; see [engine.Engine]. All requests in flight advance by one token a step, whatever their policies,
// and leave when they are done.
//
// Before MinTokens, stop tokens are not drawn: they are out of the distribution before top-k and top-p, and the log-probability of the token
// drawn is that of the distribution without them, as Forward reports it for a datum with the request's mask.
func (e *Engine) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	return e.Stream(ctx, reqs, nil)
}

// Stream implements [engine.Streamer]. each is called by the goroutine of the caller; nil: nobody watches.
func (e *Engine) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	return e.sampleWith(ctx, reqs, func(i int, r *request) {
		if each != nil {
			r.onToken = func(token int) error { return each(i, token) }
		}
	})
}

// sampleWith is Sample, and lets prepare change every request before it begins.
func (e *Engine) sampleWith(ctx context.Context, reqs []engine.SampleRequest, prepare func(i int, r *request)) ([]engine.Sample, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := ctx.Err(); err != nil { // what others cached stays
		return nil, fmt.Errorf("sample: %w", err)
	}
	samples := make([]engine.Sample, len(reqs))
	requests, err := e.requests(reqs, samples, prepare)
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	for _, group := range byNet(requests) {
		if err := e.complete(ctx, group); err != nil {
			return nil, fmt.Errorf("sample: %w", err)
		}
	}
	return samples, nil
}

func (e *Engine) requests(reqs []engine.SampleRequest, samples []engine.Sample, prepare func(i int, r *request)) ([]*request, error) {
	var all []*request
	for i := range reqs {
		q := &reqs[i]
		p, err := e.checkRequest(q)
		if err != nil {
			return nil, fmt.Errorf("request %d: %w", i, err)
		}
		samples[i] = engine.Sample{Tokens: []int{}, Logprobs: []float32{}, Stop: engine.StopLength}
		r := &request{
			SampleRequest: q, policy: p, sampling: normalized(q.Sampling), mask: q.Mask(), random: seed.Stream(q.Seed),
			maxNew: min(q.MaxTokens, e.shape.Context-len(q.Prompt)), sample: &samples[i],
		}
		if r.form, err = e.formText(r.mask, len(q.Prompt)); err != nil {
			return nil, fmt.Errorf("request %d: %w", i, err)
		}
		prepare(i, r)
		if r.maxNew > 0 {
			all = append(all, r)
		}
	}
	return all, nil
}

func (e *Engine) checkRequest(q *engine.SampleRequest) (*policy, error) {
	p, err := e.policy(q.Policy)
	if err != nil {
		return nil, err
	}
	if len(q.Prompt) == 0 {
		return nil, fmt.Errorf("the prompt is empty; give it at least one token")
	}
	if q.MaxTokens < 0 {
		return nil, fmt.Errorf("MaxTokens is %d", q.MaxTokens)
	}
	if q.Form != "" && (q.MinTokens > 0 || len(q.Stop) == 0) {
		return nil, fmt.Errorf("beside a form MinTokens is %d, and %d tokens end the completion; write 0, and name one at least", q.MinTokens, len(q.Stop))
	}
	if err := engine.CheckTokens(q.Prompt, e.shape.Context, e.shape.Vocab); err != nil {
		return nil, fmt.Errorf("prompt: %w", err)
	}
	return p, q.Sampling.Check()
}

// cacheTokens is how many tokens may have keys and values at a time.
func (e *Engine) cacheTokens() int { return max(pageTokens, e.cacheFloats/e.shape.pageFloats(1)) }

// byNet groups requests by their nets, and within a net by policies, so that an adapter's rows are neighbours.
func byNet(requests []*request) [][]*request {
	var groups [][]*request
	orders := map[*policy]int{}
	for _, r := range requests {
		if _, ok := orders[r.policy]; !ok {
			orders[r.policy] = len(orders)
		}
		r.policyOrder = orders[r.policy]
		i := slices.IndexFunc(groups, func(g []*request) bool { return g[0].policy.net == r.policy.net })
		if i < 0 {
			groups = append(groups, []*request{r})
			continue
		}
		groups[i] = append(groups[i], r)
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b *request) int { return cmp.Compare(a.policyOrder, b.policyOrder) })
	}
	return groups
}
