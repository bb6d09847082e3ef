package torch

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math"

	"parley/engine"
)

// How far sampler and trainer may be apart: both are the same net, whose products are rounded otherwise for one token than for many.
const (
	agreementF32 = 1e-2
	agreementLow = 1 // nats, of a single token, with products below float32
)

// mostDrawn is how many texts are remembered: who samples without training, such as a server, has no use for any.
const mostDrawn = 1 << 16

// A text is a policy with the tokens of a sequence, as a digest.
type text [sha256.Size]byte

func textOf(p engine.Policy, parts ...[]int) text {
	h := sha256.New()
	_, _ = h.Write(append([]byte(p), 0)) // hashes take everything
	var word [8]byte
	for _, tokens := range parts {
		for _, t := range tokens {
			binary.LittleEndian.PutUint64(word[:], uint64(t))
			_, _ = h.Write(word[:])
		}
	}
	return text(h.Sum(nil))
}

// drawn are the log-probabilities that a text was drawn with, from a version of its policy.
type drawn struct {
	of       *policy
	version  int
	logprobs []float32
}

// A gap adds up differences between the log-probabilities of sampler and trainer.
type gap struct {
	drawn              map[text]drawn
	tokens             int
	signed, size, most float64
}

func newGap() gap { return gap{drawn: map[text]drawn{}} }

// remember keeps what texts were drawn with, and forgets what older versions of policies drew.
func (e *Engine) remember(reqs []engine.SampleRequest, samples []engine.Sample) {
	e.mu.Lock()
	defer e.mu.Unlock()
	maps.DeleteFunc(e.gap.drawn, func(_ text, d drawn) bool { return d.version != d.of.version })
	if len(e.gap.drawn) > mostDrawn {
		clear(e.gap.drawn)
	}
	for i := range reqs {
		if p := e.policies[reqs[i].Policy]; p != nil {
			e.gap.drawn[textOf(reqs[i].Policy, reqs[i].Prompt, samples[i].Tokens)] = drawn{p, p.version, samples[i].Logprobs}
		}
	}
}

// compare adds up the differences of texts that policies as they are have drawn. Each is compared once.
func (e *Engine) compare(data []engine.Datum, outputs []engine.Output) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, out := range outputs {
		at := textOf(data[i].Policy, data[i].Tokens)
		d, has := e.gap.drawn[at]
		if !has || d.of != e.policies[data[i].Policy] || d.version != d.of.version || len(d.logprobs) != len(out.Logprobs) {
			continue
		}
		delete(e.gap.drawn, at)
		for k, trainer := range out.Logprobs {
			x := float64(d.logprobs[k]) - float64(trainer)
			e.gap.tokens++
			e.gap.signed += x
			e.gap.size += math.Abs(x)
			e.gap.most = max(e.gap.most, math.Abs(x))
		}
	}
}

// Gap implements [engine.Gapped].
func (e *Engine) Gap() (engine.Gap, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	g := e.gap
	e.gap = gap{drawn: g.drawn}
	n := float64(max(g.tokens, 1))
	return engine.Gap{Tokens: g.tokens, Mean: g.size / n, Most: g.most, Divergence: g.signed / n}, g.tokens > 0
}

// Agreement implements [engine.Remote].
func (e *Engine) Agreement() float64 {
	if e.info.DType == "f32" {
		return agreementF32
	}
	return agreementLow
}
