package native

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"parley/engine"
	"parley/seed"
)

// cacheFloats is about how many values the keys and values of requests that are in flight together may take.
const cacheFloats = 1 << 28

// A request is a sample in the making.
type request struct {
	*engine.SampleRequest
	policy   *policy
	sampling engine.Sampling
	random   *rand.Rand
	leaf     *segment // where its next token goes
	own      bool     // leaf is the request's alone, not the end of a prefix that others may share
	limit    int      // most new tokens: MaxTokens, or what the context has room for
	sample   *engine.Sample
	drawn    func(token int) error // is told every token; may be nil
}

// length is how many tokens there are, the prompt's included.
func (r *request) length() int { return len(r.Prompt) + len(r.sample.Tokens) }

// tokens returns the prompt and what has been drawn.
func (r *request) tokens() []int { return slices.Concat(r.Prompt, r.sample.Tokens) }

// Sample completes prompts; see [engine.Engine]. All requests in flight advance by one token a step, whatever their policies,
// and leave when they are done.
//
// Before MinTokens, stop tokens are not drawn; the log-probability of the token drawn instead is still that of the
// distribution that has them, the one that Forward reports and training uses. Where a cut leaves stop tokens only, the
// token is drawn from the whole vocabulary without them.
func (e *Engine) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	return e.Stream(ctx, reqs, nil)
}

// Stream implements [engine.Streamer]. each is called by the goroutine of the caller; nil: nobody watches.
func (e *Engine) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	samples := make([]engine.Sample, len(reqs))
	requests, err := e.requests(reqs, samples, each)
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	for len(requests) > 0 {
		n := e.fitting(requests)
		for _, group := range byNet(requests[:n]) {
			if err := e.complete(ctx, group); err != nil {
				return nil, fmt.Errorf("sample: %w", err)
			}
		}
		requests = requests[n:]
	}
	return samples, nil
}

func (e *Engine) requests(reqs []engine.SampleRequest, samples []engine.Sample, each func(i, token int) error) ([]*request, error) {
	var all []*request
	for i := range reqs {
		q := &reqs[i]
		p, err := e.checkRequest(q)
		if err != nil {
			return nil, fmt.Errorf("request %d: %w", i, err)
		}
		samples[i] = engine.Sample{Tokens: []int{}, Logprobs: []float32{}, Stop: engine.StopLength}
		r := &request{SampleRequest: q, policy: p, sampling: normal(q.Sampling), random: seed.Stream(q.Seed),
			limit: min(q.MaxTokens, e.config.Context-len(q.Prompt)), sample: &samples[i]}
		if each != nil {
			r.drawn = func(token int) error { return each(i, token) }
		}
		if r.limit > 0 {
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
	if err := e.checkTokens(q.Prompt); err != nil {
		return nil, fmt.Errorf("prompt: %w", err)
	}
	return p, checkSampling(q.Sampling)
}

// fitting returns how many of the requests, at least one, can be in flight together.
func (e *Engine) fitting(requests []*request) int {
	f, tokens := forest{}, 0
	for i, r := range requests {
		f.insert(r.policy, r.Prompt, e.config.Rope.variant(len(r.Prompt)))
		tokens += r.limit + pageTokens
		if i > 0 && (e.config.pageFloats(f.tokens+tokens) > cacheFloats || i >= e.options.BatchTokens) {
			return i
		}
	}
	return len(requests)
}

// byNet groups requests by their nets, and within a net by policies, so that an adapter's rows are neighbours.
func byNet(requests []*request) [][]*request {
	var groups [][]*request
	for _, r := range requests {
		i := slices.IndexFunc(groups, func(g []*request) bool { return g[0].policy.net == r.policy.net })
		if i < 0 {
			groups = append(groups, []*request{r})
			continue
		}
		g := groups[i]
		at := len(g)
		for j := range g {
			if g[j].policy == r.policy {
				at = j + 1
			}
		}
		groups[i] = slices.Insert(g, at, r)
	}
	return groups
}
