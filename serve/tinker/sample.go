package tinker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"parley/engine"
	"parley/engine/tinker/wire"
	"parley/serve/tinker/promise"
)

// stops are what a completion ends at: one text, several, or tokens. nil: nothing was said, and it ends where the base's answers do; none at all is said by [].
type stops struct {
	said   bool
	texts  []string
	tokens []int
}

func (s *stops) UnmarshalJSON(data []byte) error {
	var one string
	var empty []any
	s.said = true
	switch {
	case bytes.Equal(data, []byte("null")):
		s.said = false
		return nil
	case json.Unmarshal(data, &one) == nil:
		s.texts = []string{one}
		return nil
	case json.Unmarshal(data, &empty) == nil && len(empty) == 0:
		return nil
	case json.Unmarshal(data, &s.texts) == nil:
		return nil
	}
	s.texts = nil
	if json.Unmarshal(data, &s.tokens) != nil {
		return errors.New("stop is neither a text, nor texts, nor token ids")
	}
	return nil
}

type samplingParams struct {
	MaxTokens   *int     `json:"max_tokens"`
	Seed        *seed    `json:"seed"`
	Stop        stops    `json:"stop"`
	Temperature *float64 `json:"temperature"`
	TopK        *int     `json:"top_k"`
	TopP        *float64 `json:"top_p"`
}

type asample struct {
	Count   *int            `json:"num_samples"`
	Prompt  wire.ModelInput `json:"prompt"`
	Params  samplingParams  `json:"sampling_params"`
	Sampler string          `json:"sampling_session_id"`
	Seq     *int64          `json:"seq_id"`
	Base    string          `json:"base_model"`
	Path    string          `json:"model_path"`

	PromptLogprobs bool            `json:"prompt_logprobs"`
	PromptTops     int             `json:"topk_prompt_logprobs"`
	Tops           int             `json:"topk_sample_logprobs"`
	Alternatives   int             `json:"prompt_alt_tokens_k"`
	PromptLast     *int            `json:"prompt_logprobs_last_n"`
	Targets        json.RawMessage `json:"target_prompt_logprobs"`
}

// Bounds of one request.
const (
	mostSamples = 1024
	mostTops    = 64
)

// A draw is a request that was checked.
type draw struct {
	sampler  *sampler
	request  engine.SampleRequest // of the first completion
	watch    func() engine.Watcher
	count    int
	prompt   bool // log-probabilities of the prompt
	last     int  // of its last tokens alone
	top, sub int  // the most probable tokens beside the prompt's and the completions'
}

// draw checks a request.
func (s *Server) draw(q *asample) (*draw, error) {
	d := &draw{count: 1, prompt: q.PromptLogprobs, last: math.MaxInt, top: q.PromptTops, sub: q.Tops}
	if q.PromptLast != nil {
		d.last = *q.PromptLast
	}
	if q.Count != nil {
		d.count = *q.Count
	}
	prompt, err := q.Prompt.Text()
	if err != nil {
		return nil, err
	}
	room := s.engine.Context() - len(prompt)
	p := &q.Params
	d.request = engine.SampleRequest{Prompt: prompt, MaxTokens: room, Sampling: engine.Sampling{Temperature: 1}, Seed: randomSeed()}
	if p.MaxTokens != nil {
		d.request.MaxTokens = *p.MaxTokens
	}
	if p.Seed != nil {
		d.request.Seed = uint64(*p.Seed)
	}
	if p.Temperature != nil {
		d.request.Sampling.Temperature = *p.Temperature
	}
	switch t := d.request.Sampling.Temperature; {
	case d.count < 1 || d.count > mostSamples:
		return nil, fmt.Errorf("num_samples is %d, expected 1 to %d", d.count, mostSamples)
	case len(prompt) == 0:
		return nil, errors.New("the prompt has no tokens")
	case room < 1:
		return nil, fmt.Errorf("the prompt has %d tokens; the context is %d", len(prompt), s.engine.Context())
	case d.request.MaxTokens < 1 || d.request.MaxTokens > room:
		return nil, fmt.Errorf("max_tokens is %d, expected 1 to %d: that is what the context of %d leaves behind the prompt", d.request.MaxTokens, room, s.engine.Context())
	case !(t >= 0) || t > 100:
		return nil, fmt.Errorf("temperature is %g, expected 0 to 100", t)
	case p.TopK != nil && *p.TopK < -1:
		return nil, fmt.Errorf("top_k is %d, expected -1 (all) or more", *p.TopK)
	case p.TopP != nil && !(*p.TopP > 0 && *p.TopP <= 1):
		return nil, fmt.Errorf("top_p is %g, expected above 0, up to 1", *p.TopP)
	case d.top < 0 || d.top > mostTops || d.sub < 0 || d.sub > mostTops:
		return nil, fmt.Errorf("topk_prompt_logprobs is %d, topk_sample_logprobs is %d; expected 0 to %d", d.top, d.sub, mostTops)
	case q.PromptLast != nil && *q.PromptLast < 0:
		return nil, fmt.Errorf("prompt_logprobs_last_n is %d, expected 0 or more", *q.PromptLast)
	case q.Alternatives != 0 || len(q.Targets) > 0 && string(q.Targets) != "null":
		return nil, errors.New("prompt_alt_tokens_k and target_prompt_logprobs are not given here: ask for topk_prompt_logprobs, or for a forward pass")
	}
	for i, id := range prompt {
		if id >= s.base.Vocab {
			return nil, fmt.Errorf("the prompt has %d at %d; the vocabulary has %d tokens", id, i, s.base.Vocab)
		}
	}
	if p.TopK != nil {
		d.request.Sampling.TopK = max(*p.TopK, 0)
	}
	if p.TopP != nil {
		d.request.Sampling.TopP = *p.TopP
	}
	return d, s.ends(d, &p.Stop)
}

// ends says where completions end.
func (s *Server) ends(d *draw, p *stops) (err error) {
	d.request.Stop = p.tokens
	if !p.said {
		d.request.Stop = s.base.Ends
	}
	if len(p.texts) == 0 {
		return nil
	}
	if s.base.Watch == nil {
		return errors.New("stop has texts, and the base has no tokenizer here: send token ids")
	}
	d.watch, err = s.base.Watch(p.texts)
	return err
}

// A sampleKey is what a request to sample goes by: the same one again is promised the same completions.
type sampleKey struct {
	sampler string
	seq     int64
	hash    [32]byte
}

func (s *Server) asample(r *http.Request) any {
	data, f := s.body(r)
	if f != nil {
		return f
	}
	var q asample
	if len(data) > longestRequest {
		return bad("the body is longer than %d bytes", longestRequest)
	}
	if err := json.Unmarshal(data, &q); err != nil {
		return bad("the body: %v", err)
	}
	p, f := s.sampler(&q)
	if f != nil {
		return f
	}
	d, err := s.draw(&q)
	if err != nil {
		return drawn(s.promises.Broken(failureOf(userError{err})), 1)
	}
	d.sampler = p
	life, client := s.life, ""
	if p.session != nil {
		life, client = p.session.life, p.session.id
	}
	ctx, stop := context.WithCancel(life)
	made, again, err := s.promiseSample(&q, d, len(data), stop)
	if err != nil || again {
		stop()
	}
	if err != nil {
		return tooMany(err)
	}
	if !again {
		s.work.Go(func() {
			defer stop()
			result, weight, err := s.complete(ctx, client, d)
			settle(ctx, made, result, weight, err)
		})
	}
	return drawn(made, d.count)
}

// promiseSample makes a promise, or finds the one that the same request got before.
func (s *Server) promiseSample(q *asample, d *draw, size int, stop context.CancelFunc) (p *promise.Promise, again bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.Seq == nil || d.sampler.session == nil {
		p, err = s.promises.Make(size, stop)
		return p, false, err
	}
	key := sampleKey{q.Sampler, *q.Seq, hashOf("asample", q)}
	if id, known := s.drawn[key]; known {
		if p, _ = s.promises.Find(id); p != nil {
			return p, true, nil
		}
	}
	if p, err = s.promises.Make(size, stop); err == nil {
		if len(s.drawn) > mostDrawn {
			clear(s.drawn)
		}
		s.drawn[key] = p.ID
	}
	return p, false, err
}

// mostDrawn are requests to sample that are remembered, in case they come again.
const mostDrawn = 1 << 16

// drawn is the answer to a request for so many completions.
func drawn(p *promise.Promise, count int) any {
	ids := make([]string, count)
	for i := range ids {
		ids[i] = p.ID + ":seq:" + strconv.Itoa(i)
	}
	return plain{"request_id": p.ID, "sample_sequence_ids": ids}
}

// sampler is what a request samples from.
func (s *Server) sampler(q *asample) (*sampler, *fault) {
	if q.Sampler == "" {
		p, err := s.samplerOf(q.Base, q.Path)
		if err != nil {
			return nil, bad("%v", err)
		}
		return p, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.samplers[q.Sampler]
	if p == nil {
		return nil, lost("there is no sampling session %.100q: its session ended, newer ones of its model took its place, or the server was started again", q.Sampler)
	}
	p.session.seen = time.Now()
	return p, nil
}

// A completed result has completions.
type completed struct{ sample wire.Sample }

func (c completed) JSON() ([]byte, error) { return c.sample.JSON() }
func (c completed) Proto() []byte         { return c.sample.Encode() }

// complete draws what was asked for, in the client's turn.
func (s *Server) complete(ctx context.Context, client string, d *draw) (promise.Result, int, error) {
	leave, err := s.sampling.Enter(ctx, client)
	if err != nil {
		return nil, 0, err
	}
	defer leave()
	policy, done, err := s.use(ctx, client, d.sampler)
	if err != nil {
		return nil, 0, err
	}
	defer done()
	samples, err := s.batcher.Stream(ctx, d.requests(policy), nil)
	if err != nil {
		return nil, 0, err
	}
	var out wire.Sample
	weight := 0
	for _, q := range samples {
		one := wire.Sequence{Stop: wire.StopToken, Tokens: q.Tokens, Logprobs: q.Logprobs}
		if q.Stop == engine.StopLength {
			one.Stop = wire.StopLength
		}
		out.Sequences = append(out.Sequences, one)
		weight += 64 + 12*len(q.Tokens)*(1+d.sub)
	}
	weight += 8 * len(d.request.Prompt) * (1 + d.top)
	if err := s.score(ctx, client, policy, d, &out); err != nil {
		return nil, 0, err
	}
	return completed{out}, weight, nil
}

// requests are those of the completions: the same as single ones with the seeds s, s+1, ...
func (d *draw) requests(policy engine.Policy) []engine.SampleRequest {
	all := make([]engine.SampleRequest, d.count)
	for i := range all {
		all[i] = d.request
		all[i].Policy = policy
		all[i].Seed += uint64(i)
		if d.watch != nil {
			all[i].Watch = d.watch()
		}
	}
	return all
}

// cuts reports whether tokens are drawn from another distribution than that of temperature 1 over the whole vocabulary, which the protocol's
// log-probabilities are of. The engine's are, for the most probable tokens at temperature 0.
func (d *draw) cuts() bool {
	p := d.request.Sampling
	return p.Temperature != 1 && p.Temperature != 0 || p.TopK > 0 || p.TopP > 0 && p.TopP < 1
}

// score adds the log-probabilities that drawing does not give.
func (s *Server) score(ctx context.Context, client string, policy engine.Policy, d *draw, out *wire.Sample) error {
	prompt := d.request.Prompt
	if !d.cuts() && !d.prompt && d.top == 0 && d.sub == 0 {
		return nil
	}
	var data []engine.Datum
	if d.prompt && len(prompt) > 1 {
		data = append(data, engine.Datum{Policy: policy, Tokens: prompt, ScoreFrom: 1})
	}
	of := len(data)
	if d.cuts() {
		for _, q := range out.Sequences {
			data = append(data, engine.Datum{Policy: policy, Tokens: append(prompt[:len(prompt):len(prompt)], q.Tokens...), ScoreFrom: len(prompt)})
		}
	}
	return s.alone(ctx, client, func() error {
		outputs, err := s.engine.Forward(ctx, data)
		if err != nil {
			return err
		}
		if d.prompt {
			out.Prompt = []float32{float32(math.NaN())} // nothing stands before the first token
			if of > 0 {
				out.Prompt = append(out.Prompt, outputs[0].Logprobs...)
			}
			for i := range len(out.Prompt) - min(d.last, len(out.Prompt)) {
				out.Prompt[i] = float32(math.NaN())
			}
		}
		for i, o := range outputs[of:] {
			out.Sequences[i].Logprobs = o.Logprobs
		}
		return s.alternatives(ctx, policy, d, out)
	})
}

func randomSeed() uint64 { return rand.Uint64() }
