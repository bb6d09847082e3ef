package openai

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"

	"parley/engine"
)

// A digest stands for a policy and the tokens of a sequence.
type digest [sha256.Size]byte

func digestOf(p engine.Policy, tokens []int) digest {
	h := sha256.New()
	_, _ = h.Write(append([]byte(p), 0)) // hashes take everything
	var word [8]byte
	for _, t := range tokens {
		binary.LittleEndian.PutUint64(word[:], uint64(t))
		_, _ = h.Write(word[:])
	}
	return digest(h.Sum(nil))
}

// drawn are the log-probabilities that a completion was drawn with, from a version of its policy.
type drawn struct {
	policy   engine.Policy
	version  int
	logprobs []float32
}

// sums are of differences between the log-probabilities of sampler and trainer, in nats.
type sums struct {
	tokens             int
	signed, size, most float64
}

func (s *sums) add(sampler, trainer float32) {
	d := float64(sampler) - float64(trainer)
	s.tokens++
	s.signed += d
	s.size += math.Abs(d)
	s.most = max(s.most, math.Abs(d))
}

// remember keeps what completions were drawn with, and forgets what older versions drew.
func (e *Engine) remember(reqs []engine.SampleRequest, samples []engine.Sample) {
	e.mu.Lock()
	defer e.mu.Unlock()
	maps.DeleteFunc(e.drawn, func(_ digest, d drawn) bool { return d.version != e.versions[d.policy] })
	for i := range reqs {
		if p := reqs[i].Policy; p != engine.Base && e.pinned == nil {
			whole := append(append([]int(nil), reqs[i].Prompt...), samples[i].Tokens...)
			e.drawn[digestOf(p, whole)] = drawn{p, e.versions[p], samples[i].Logprobs}
		}
	}
}

// ForwardBackward implements [engine.Engine], and compares what it computes with what the sampler said.
func (e *Engine) ForwardBackward(ctx context.Context, data []engine.Datum, loss engine.Loss) error {
	if err := masked(data); err != nil {
		return err
	}
	var call sums
	err := e.Local.ForwardBackward(ctx, data, func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		e.compare(data[first:], outputs, &call)
		if mean := call.size / max(float64(call.tokens), 1); mean > e.settings.MostGap {
			return nil, fmt.Errorf("sampler and trainer differ by %.3g nats a token, and sampler.openai.most_gap is %g: has the server the same base (sampler.openai.model), "+
				"and the log-probabilities that it draws with (vLLM: --logprobs-mode processed_logprobs)?", mean, e.settings.MostGap)
		}
		return loss(first, outputs)
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gap.tokens, e.gap.signed, e.gap.size, e.gap.most = e.gap.tokens+call.tokens, e.gap.signed+call.signed, e.gap.size+call.size, max(e.gap.most, call.most)
	return err
}

// compare adds up the differences of completions that the policies as they are have drawn. Each is compared once.
func (e *Engine) compare(data []engine.Datum, outputs []engine.Output, call *sums) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, out := range outputs {
		at := digestOf(data[i].Policy, data[i].Tokens)
		d, has := e.drawn[at]
		if !has || d.version != e.versions[data[i].Policy] || len(d.logprobs) != len(out.Logprobs) {
			continue
		}
		delete(e.drawn, at)
		for k, trainer := range out.Logprobs {
			call.add(d.logprobs[k], trainer)
		}
	}
}

// Gap implements [engine.Gapped].
func (e *Engine) Gap() (engine.Gap, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.gap
	e.gap = sums{}
	n := float64(max(s.tokens, 1))
	return engine.Gap{Tokens: s.tokens, Mean: s.size / n, Most: s.most, Divergence: s.signed / n}, s.tokens > 0
}
