package tinker

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"parley/engine"
	"parley/engine/tinker/wire"
	"parley/serve/tinker/checkpoint"
	"parley/serve/tinker/losses"
	"parley/serve/tinker/promise"
)

// A draw is a request that was checked, and what it samples from.
type draw struct {
	*losses.Draw
	sampler *sampler
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
	var q losses.Request
	if len(data) > checkpoint.Longest {
		return checkpoint.Bad("the body is longer than %d bytes", checkpoint.Longest)
	}
	if err := json.Unmarshal(data, &q); err != nil {
		return checkpoint.Bad("the body: %v", err)
	}
	p, f := s.sampler(&q)
	if f != nil {
		return f
	}
	asked, err := s.base.Draw(&q)
	if err != nil {
		return drawn(s.promises.Broken(failureOf(userError{err})), 1)
	}
	d := &draw{asked, p}
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
	return drawn(made, d.Count)
}

// promiseSample makes a promise, or finds the one that the same request got before.
func (s *Server) promiseSample(q *losses.Request, d *draw, size int, stop context.CancelFunc) (p *promise.Promise, again bool, err error) {
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
func (s *Server) sampler(q *losses.Request) (*sampler, *checkpoint.Fault) {
	if q.Sampler == "" {
		p, err := s.samplerOf(q.Base, q.Path)
		if err != nil {
			return nil, checkpoint.Bad("%v", err)
		}
		return p, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.samplers[q.Sampler]
	if p == nil {
		return nil, checkpoint.Lost("there is no sampling session %.100q: its session ended, newer ones of its model took its place, or the server was started again", q.Sampler)
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
	samples, err := s.batcher.Stream(ctx, d.Requests(policy), nil)
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
		weight += 64 + 12*len(q.Tokens)*(1+d.Sub)
	}
	weight += 8 * len(d.Sample.Prompt) * (1 + d.Tops)
	if err := s.score(ctx, client, policy, d, &out); err != nil {
		return nil, 0, err
	}
	return completed{out}, weight, nil
}

// score adds the log-probabilities that drawing does not give.
func (s *Server) score(ctx context.Context, client string, policy engine.Policy, d *draw, out *wire.Sample) error {
	prompt := d.Sample.Prompt
	if !d.Cuts() && !d.Scores && d.Tops == 0 && d.Sub == 0 {
		return nil
	}
	var data []engine.Datum
	if d.Scores && len(prompt) > 1 {
		data = append(data, engine.Datum{Policy: policy, Tokens: prompt, ScoreFrom: 1})
	}
	of := len(data)
	if d.Cuts() {
		for _, q := range out.Sequences {
			data = append(data, engine.Datum{Policy: policy, Tokens: append(prompt[:len(prompt):len(prompt)], q.Tokens...), ScoreFrom: len(prompt)})
		}
	}
	return s.alone(ctx, client, func() error {
		outputs, err := s.engine.Forward(ctx, data)
		if err != nil {
			return err
		}
		if d.Scores {
			out.Prompt = []float32{float32(math.NaN())} // nothing stands before the first token
			if of > 0 {
				out.Prompt = append(out.Prompt, outputs[0].Logprobs...)
			}
			for i := range len(out.Prompt) - min(d.Last, len(out.Prompt)) {
				out.Prompt[i] = float32(math.NaN())
			}
		}
		for i, o := range outputs[of:] {
			out.Sequences[i].Logprobs = o.Logprobs
		}
		return s.alternatives(ctx, policy, d, out)
	})
}
