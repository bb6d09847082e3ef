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
	limit    int      // most new tokens: MaxTokens, or what the context has room for
	sample   *engine.Sample
}

// Sample completes prompts; see [engine.Engine]. All requests in flight advance by one token a step, whatever their policies,
// and leave when they are done.
//
// Before MinTokens, stop tokens are not drawn; the log-probability of the token drawn instead is still that of the
// distribution that has them, the one that Forward reports and training uses. Where a cut leaves stop tokens only, the
// token is drawn from the whole vocabulary without them.
func (e *Engine) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	samples := make([]engine.Sample, len(reqs))
	requests, err := e.requests(reqs, samples)
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

func (e *Engine) requests(reqs []engine.SampleRequest, samples []engine.Sample) ([]*request, error) {
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
		f.insert(r.policy, r.Prompt)
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

// complete takes requests of one net from their prompts to their ends.
func (e *Engine) complete(ctx context.Context, live []*request) error {
	s := &session{Engine: e, net: live[0].policy.net}
	defer s.close()
	if err := s.prefill(ctx, live); err != nil {
		return err
	}
	for {
		live = slices.DeleteFunc(live, s.done)
		if len(live) == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.advance(live); err != nil {
			return err
		}
	}
}

// A session holds the key-value pages of requests in flight.
type session struct {
	*Engine
	net   *net
	pages []*page // of prompts; a request's own are on its leaves
}

// page gives s room for its tokens.
func (s *session) page(g *segment, tokens int) {
	g.page = s.Engine.pages.get(&s.config, tokens)
	s.pages = append(s.pages, g.page)
}

func (s *session) close() {
	for _, p := range s.pages {
		s.Engine.pages.put(p)
	}
}

// prefill computes every distinct prefix of the prompts once, and draws the first token of each request.
func (s *session) prefill(ctx context.Context, requests []*request) error {
	var f forest
	prompts := map[*request]*segment{}
	for _, r := range requests {
		prompts[r] = f.insert(r.policy, r.Prompt)
	}
	waiting := map[*segment][]*request{}
	for _, r := range requests {
		waiting[prompts[r]] = append(waiting[prompts[r]], r)
	}
	p := &pass{}
	var ready []*request
	var rows []int
	flush := func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.draw(p, ready, rows); err != nil {
			return err
		}
		p, ready, rows = &pass{}, nil, nil
		return nil
	}
	var err error
	f.walk(func(pol *policy, g *segment) {
		s.page(g, len(g.tokens))
		for from := 0; from < len(g.tokens) && err == nil; {
			n := min(len(g.tokens)-from, s.options.BatchTokens-p.rows())
			p.add(pol, g, from, n)
			if from += n; from == len(g.tokens) {
				for _, r := range waiting[g] {
					r.leaf = g
					ready, rows = append(ready, r), append(rows, p.rows()-1)
				}
			}
			if p.rows() == s.options.BatchTokens {
				err = flush()
			}
		}
	})
	if err == nil && p.rows() > 0 {
		err = flush()
	}
	return err
}

// advance runs the last token of every request through the net and draws the next one.
func (s *session) advance(live []*request) error {
	p, rows := &pass{}, make([]int, len(live))
	for i, r := range live {
		if r.leaf.page == nil || len(r.leaf.tokens) > r.leaf.page.room {
			panic("internal error: a leaf without room")
		}
		p.add(r.policy, r.leaf, len(r.leaf.tokens)-1, 1)
		rows[i] = i
	}
	return s.draw(p, live, rows)
}

// draw runs the pass, and draws a token for each request from the distribution after its row.
func (s *session) draw(p *pass, requests []*request, rows []int) error {
	s.arena.reset()
	c := s.computation(s.net, p, false)
	c.forward()
	h := &head{computation: c}
	for i := range requests {
		h.asks = append(h.asks, ask{row: rows[i]})
	}
	v := s.config.Vocab
	before := s.arena.mark
	for lo := 0; lo < len(requests); lo += h.block() {
		n := min(len(requests)-lo, h.block())
		z := s.arena.floats(n * v)
		s.k.Mul(z, h.gather(h.asks[lo:lo+n]), n, s.net.head.matrix, false)
		errs := make([]error, n)
		s.k.Run(n, func(i int) { errs[i] = requests[lo+i].draw(c, row(z, i, v)) })
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		s.arena.release(before)
	}
	for _, r := range requests {
		s.extend(r)
	}
	return nil
}

// extend puts the token just drawn where the next step looks for it.
func (s *session) extend(r *request) {
	n := len(r.sample.Tokens)
	if s.done(r) {
		return
	}
	if n == 1 || len(r.leaf.tokens) == r.leaf.page.room {
		r.leaf = &segment{parent: r.leaf, start: r.leaf.end()}
		s.page(r.leaf, pageTokens)
	}
	r.leaf.tokens = append(r.leaf.tokens, r.sample.Tokens[n-1])
}

func (s *session) done(r *request) bool {
	return r.sample.Stop == engine.StopEOS || len(r.sample.Tokens) >= r.limit
}

// draw takes the next token from logits z, and notes it with its log-probability.
func (r *request) draw(c *computation, z []float32) error {
	masked := r.Stop
	if len(r.sample.Tokens) >= r.MinTokens {
		masked = nil
	}
	t, logprob := choose(c, z, r, masked)
	if t < 0 || !isFinite(logprob) {
		return fmt.Errorf("token %d after a prompt of %d has no finite log-probability: %w", len(r.sample.Tokens), len(r.Prompt),
			engine.ErrNotFinite)
	}
	r.sample.Tokens, r.sample.Logprobs = append(r.sample.Tokens, t), append(r.sample.Logprobs, logprob)
	if slices.Contains(r.Stop, t) {
		r.sample.Stop = engine.StopEOS
	}
	return nil
}

// choose returns a token and its log-probability. The draw inverts the cumulative distribution over ascending ids at one
// number of the request's stream.
func choose(c *computation, z []float32, r *request, masked []int) (int, float32) {
	b := c.lender.borrow(2 * len(z))
	defer c.lender.giveBack(b)
	raw, p := b.floats[:len(z)], b.floats[len(z):]
	copy(raw, z)
	norm := distribute(c.k, z, r.sampling, -1)
	if r.Sampling.Temperature == 0 {
		t := largest(z, masked)
		if t < 0 {
			return -1, 0
		}
		return t, z[t] - norm
	}
	u := r.random.Float64()
	if t := invert(c, p, z, norm, masked, u); t >= 0 {
		return t, z[t] - norm
	}
	full := engine.Sampling{Temperature: r.sampling.Temperature}
	copy(z, raw)
	t := invert(c, p, z, distribute(c.k, z, full, -1), masked, u)
	if t < 0 {
		return -1, 0
	}
	copy(z, raw)
	norm = distribute(c.k, z, r.sampling, t)
	return t, z[t] - norm
}

// largest returns the first of the largest values of z that is not masked, -1 where there is none.
func largest(z []float32, masked []int) int {
	best := -1
	for i, v := range z {
		if (best < 0 || v > z[best]) && !slices.Contains(masked, i) {
			best = i
		}
	}
	return best
}

// invert returns the first token at which the cumulative probability passes u of the total, -1 where nothing is left to draw.
func invert(c *computation, p, z []float32, norm float32, masked []int, u float64) int {
	for i, v := range z {
		p[i] = v - norm
	}
	c.k.Exp(p, p)
	for _, t := range masked {
		if t >= 0 && t < len(p) {
			p[t] = 0
		}
	}
	total := 0.0
	for _, q := range p {
		total += float64(q)
	}
	last, sum := -1, 0.0
	for t, q := range p {
		if q > 0 {
			last = t
			if sum += float64(q); sum > u*total {
				return t
			}
		}
	}
	return last
}
