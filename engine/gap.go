package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math"
)

// GapSums add up differences between the log-probabilities of sampler and trainer, in nats.
type GapSums struct {
	Tokens             int
	Signed, Size, Most float64
}

// Add adds those of other tokens.
func (s *GapSums) Add(t GapSums) {
	*s = GapSums{s.Tokens + t.Tokens, s.Signed + t.Signed, s.Size + t.Size, max(s.Most, t.Most)}
}

// A GapMeter keeps what texts were drawn with, and compares each once with what the trainer computes of it. It is not safe for concurrent use.
type GapMeter struct {
	GapSums
	// Version counts what changed a policy. A text is compared only while its policy is as it was when it was drawn.
	Version map[Policy]int
	drawn   map[gapText]gapDrawn
}

// NewGapMeter measures policies that are all new.
func NewGapMeter() GapMeter {
	return GapMeter{Version: map[Policy]int{}, drawn: map[gapText]gapDrawn{}}
}

// mostDrawn is how many texts are remembered: who samples without training, such as a server, has no use for any.
const mostDrawn = 1 << 16

// A gapText is a policy with the tokens of a sequence, as a digest.
type gapText [sha256.Size]byte

func gapTextOf(p Policy, parts ...[]int) gapText {
	h := sha256.New()
	_, _ = h.Write(append([]byte(p), 0)) // hashes take everything
	var word [8]byte
	for _, tokens := range parts {
		for _, t := range tokens {
			binary.LittleEndian.PutUint64(word[:], uint64(t))
			_, _ = h.Write(word[:])
		}
	}
	return gapText(h.Sum(nil))
}

type gapDrawn struct {
	policy   Policy
	version  int
	logprobs []float32
}

// Drew remembers samples of policies, and forgets what older versions of policies drew. Those of the base are never trained on.
func (m *GapMeter) Drew(reqs []SampleRequest, samples []Sample) {
	maps.DeleteFunc(m.drawn, func(_ gapText, d gapDrawn) bool { return d.version != m.Version[d.policy] })
	if len(m.drawn) > mostDrawn {
		clear(m.drawn)
	}
	for i := range reqs {
		if p := reqs[i].Policy; p != Base {
			m.drawn[gapTextOf(p, reqs[i].Prompt, samples[i].Tokens)] = gapDrawn{p, m.Version[p], samples[i].Logprobs}
		}
	}
}

// Compare adds to sums the differences of texts that policies as they are have drawn.
func (m *GapMeter) Compare(data []Datum, outputs []Output, sums *GapSums) {
	for i, out := range outputs {
		at := gapTextOf(data[i].Policy, data[i].Tokens)
		d, has := m.drawn[at]
		if !has || d.version != m.Version[d.policy] || len(d.logprobs) != len(out.Logprobs) {
			continue
		}
		delete(m.drawn, at)
		for k, trainer := range out.Logprobs {
			x := float64(d.logprobs[k]) - float64(trainer)
			sums.Add(GapSums{1, x, math.Abs(x), math.Abs(x)})
		}
	}
}

// Take is [Gapped.Gap]: what was added up since it was asked last.
func (m *GapMeter) Take() (Gap, bool) {
	s := m.GapSums
	m.GapSums = GapSums{}
	n := float64(max(s.Tokens, 1))
	return Gap{Tokens: s.Tokens, Mean: s.Size / n, Most: s.Most, Divergence: s.Signed / n}, s.Tokens > 0
}
