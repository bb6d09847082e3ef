package native

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
	"parley/engine/native/kernel"
	"parley/internal/seed"
	"parley/model/modeltest"
)

// lively gives an engine adapters "p" and "q", "r" with a value head, and the full copy "full", all with random values.
func lively(t testing.TB, e *Engine) []engine.Policy {
	t.Helper()
	for name, spec := range map[engine.Policy]engine.PolicySpec{
		"p":    {Rank: 3, Alpha: 6, Seed: 1},
		"q":    {Rank: 5, Alpha: 5, Seed: 2, Targets: []string{e.shape.Family().Targets()[0], "down_proj"}},
		"r":    {Rank: 2, Alpha: 2, Seed: 3, ValueHead: true},
		"s":    {Rank: 1, Alpha: 2, Seed: 4, ValueHead: true, ValueHidden: 6, ValueInit: 0.3},
		"full": {Full: true, ValueHead: true},
	} {
		if err := e.NewPolicy(t.Context(), name, spec); err != nil {
			t.Fatal(err)
		}
		p := e.policies[name]
		p.prepareTraining()
		p.edit(e.k, func(i int, w []float32) {
			stream := seed.Stream(seed.Derive(9, string(name), i))
			for j := range w {
				w[j] += float32(stream.NormFloat64() * 0.2)
			}
		})
	}
	return []engine.Policy{engine.Base, "p", "q", "r", "s", "full"}
}

// options are ways to run that must not change a bit.
var options = []engine.Options{
	{ScoreAsSampled: true},
	{Threads: 1, ScoreAsSampled: true},
	{Threads: 3, BatchTokens: 7, ScoreAsSampled: true},
	{Threads: 2, BatchTokens: 1, ScoreAsSampled: true},
}

// samplings are ways to cut distributions.
var samplings = []engine.Sampling{
	{},
	{Temperature: 1},
	{Temperature: 0.6},
	{Temperature: 1.4, TopK: 4},
	{Temperature: 1, TopP: 0.7},
	{Temperature: 0.8, TopK: 9, TopP: 0.9},
}

// masks are ways to take tokens out of distributions: whole blocks of columns too, the first among them.
func masks(vocab int) []engine.Mask {
	return []engine.Mask{
		{},
		{Never: [][2]int{{vocab - 5, vocab + 3}}},
		{Early: []int{5, vocab - 1, vocab}, Least: 3},
		{Never: [][2]int{{0, vocab - 7}, {vocab - 2, vocab - 1}}, Early: []int{0, vocab - 3}, Least: 2},
	}
}

// drawRequests makes requests whose prompts often begin alike.
func drawRequests(t *rapid.T, policies []engine.Policy, vocab int) []engine.SampleRequest {
	reqs := make([]engine.SampleRequest, rapid.IntRange(1, 9).Draw(t, "requests"))
	for i := range reqs {
		prompt := []int{1, 2, 3, 4, 5, 6, 7, 8, 9}[:rapid.IntRange(1, 9).Draw(t, "shared")]
		prompt = append(slices.Clone(prompt), rapid.SliceOfN(rapid.IntRange(0, vocab-1), 0, 5).Draw(t, "own")...)
		reqs[i] = engine.SampleRequest{
			Policy: rapid.SampledFrom(policies).Draw(t, "policy"), Prompt: prompt,
			Sampling: rapid.SampledFrom(samplings).Draw(t, "sampling"), MaxTokens: rapid.IntRange(0, 12).Draw(t, "most"),
			MinTokens: rapid.IntRange(0, 4).Draw(t, "least"), Stop: []int{0, 5}, Never: rapid.SampledFrom(masks(vocab)).Draw(t, "mask").Never, Seed: uint64(i),
		}
	}
	return reqs
}

func bits(x []float32) []uint32 {
	b := make([]uint32, len(x))
	for i, v := range x {
		b[i] = math.Float32bits(v)
	}
	return b
}

// The log-probability that a token is sampled with is the one it is scored with, bit for bit, in any company, on any number
// of threads, however passes are cut.
func TestSamplerEqualsTrainer(t *testing.T) {
	for name, c := range modeltest.Shapes() {
		t.Run(name, func(t *testing.T) {
			var engines []*Engine
			var policies []engine.Policy
			for _, o := range options {
				e := openTiny(t, c, o)
				policies = lively(t, e)
				engines = append(engines, e)
			}
			rapid.Check(t, func(rt *rapid.T) { samplerEqualsTrainer(t, rt, engines, policies) })
		})
	}
}

func samplerEqualsTrainer(t *testing.T, rt *rapid.T, engines []*Engine, policies []engine.Policy) {
	reqs := drawRequests(rt, policies, engines[0].shape.Vocab)
	var first []engine.Sample
	for i, e := range engines {
		samples, err := e.Sample(t.Context(), reqs)
		if err != nil {
			rt.Fatal(err)
		}
		if i == 0 {
			first = samples
		}
		var data []engine.Datum
		for j, s := range samples {
			if !slices.Equal(s.Tokens, first[j].Tokens) || !slices.Equal(bits(s.Logprobs), bits(first[j].Logprobs)) {
				rt.Fatalf("options %+v: sample %d is %v, with other options %v", e.options, j, s, first[j])
			}
			data = append(data, engine.Datum{
				Policy: reqs[j].Policy, Tokens: append(slices.Clone(reqs[j].Prompt), s.Tokens...),
				ScoreFrom: len(reqs[j].Prompt), Sampling: reqs[j].Sampling, Mask: reqs[j].Mask(),
			})
		}
		outputs, err := e.Forward(t.Context(), data)
		if err != nil {
			rt.Fatal(err)
		}
		for j, o := range outputs {
			if !slices.Equal(bits(o.Logprobs), bits(samples[j].Logprobs)) {
				rt.Fatalf("options %+v: sample %d was drawn with %v and scored %v", e.options, j, samples[j].Logprobs, o.Logprobs)
			}
		}
	}
}

// Completions longer than a page of the key-value cache go on in the next one, with every kernel set.
func TestSamplerCrossesPages(t *testing.T) {
	for _, set := range kernel.Available() {
		t.Run(set, func(t *testing.T) { samplerCrossesPages(t, engine.Options{Kernels: set}) })
	}
}

func samplerCrossesPages(t *testing.T, opt engine.Options) {
	long := tiny
	long.Context = 4 * pageTokens
	e := openTiny(t, long, opt)
	var reqs []engine.SampleRequest
	for i, p := range lively(t, e) {
		for _, n := range []int{1, 5, pageTokens} {
			prompt := slices.Repeat([]int{3}, n)
			reqs = append(reqs, engine.SampleRequest{Policy: p, Prompt: prompt, Sampling: samplings[i], MaxTokens: 2*pageTokens + i})
		}
	}
	samples, err := e.Sample(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range samples {
		d := engine.Datum{
			Policy: reqs[i].Policy, Tokens: append(slices.Clone(reqs[i].Prompt), s.Tokens...), ScoreFrom: len(reqs[i].Prompt),
			Sampling: reqs[i].Sampling,
		}
		o, err := e.Forward(t.Context(), []engine.Datum{d})
		if err != nil || len(s.Tokens) != reqs[i].MaxTokens || !slices.Equal(bits(o[0].Logprobs), bits(s.Logprobs)) {
			t.Errorf("request %d: %d tokens, error %v; drawn and scored differ", i, len(s.Tokens), err)
		}
	}
}

// coupling is a loss whose gradient depends on the outputs, for values too.
func coupling(first int, outputs []engine.Output) ([]engine.Gradient, error) {
	gradients := make([]engine.Gradient, len(outputs))
	for i, o := range outputs {
		for j, l := range o.Logprobs {
			gradients[i].Logprobs = append(gradients[i].Logprobs, float32(math.Sin(float64(3*(first+i)+j)))+0.3*l)
		}
		for j, v := range o.Values {
			gradients[i].Values = append(gradients[i].Values, v-float32(j%3))
		}
	}
	return gradients, nil
}

// distinct makes data that share no prefix; kin makes data that do.
// edit lets a test change the values of a policy's parameters.
func (p *policy) edit(k *kernel.Kernels, f func(i int, w []float32)) {
	for i, q := range p.params {
		q.w = q.values()
		f(i, q.w)
	}
	p.pack(k)
}

func distinct(policies []engine.Policy, n, vocab int) []engine.Datum {
	return family(policies, n, vocab, 0)
}

func kin(policies []engine.Policy, n, vocab int) []engine.Datum { return family(policies, n, vocab, 6) }

func family(policies []engine.Policy, n, vocab, shared int) []engine.Datum {
	data := make([]engine.Datum, n)
	for i := range data {
		ids := []int{i % vocab}
		for j := range 9 + i%5 {
			if j < shared {
				ids[0] = 0
				ids = append(ids, j)
			} else {
				ids = append(ids, (i*i+3*j*j+1)%vocab)
			}
		}
		data[i] = engine.Datum{Policy: policies[i/2%len(policies)], Tokens: ids, ScoreFrom: 1 + i%4, Sampling: samplings[i%len(samplings)], Mask: masks(vocab)[i/3%4]}
	}
	return data
}

// gradients runs data through an engine, in calls of size data, and returns the bits of all gradients.
func gradients(t *testing.T, e *Engine, data []engine.Datum, size int) map[string][]uint32 {
	t.Helper()
	for _, p := range e.policies {
		p.clearGradients()
	}
	for lo := 0; lo < len(data); lo += size {
		part := data[lo:min(len(data), lo+size)]
		err := e.ForwardBackward(t.Context(), part, func(first int, o []engine.Output) ([]engine.Gradient, error) { return coupling(lo+first, o) })
		if err != nil {
			t.Fatal(err)
		}
	}
	all := map[string][]uint32{}
	for name, p := range e.policies {
		for _, q := range p.params {
			all[fmt.Sprintf("%s of %q", q.name, name)] = append(bits(q.g), bits(q.lookupGrad)...)
		}
	}
	return all
}

func sameBits(t *testing.T, what string, got, want map[string][]uint32) {
	t.Helper()
	if len(got) == 0 || len(got) != len(want) {
		t.Fatalf("%s: %d gradients, want %d", what, len(got), len(want))
	}
	for name := range want {
		if !slices.Equal(got[name], want[name]) {
			t.Errorf("%s: the gradient of %s differs", what, name)
		}
	}
}

// Gradients do not depend on threads, and, of data without common prefixes, neither on how calls or passes are cut.
func TestGradientBits(t *testing.T) {
	for name, c := range modeltest.Shapes() {
		t.Run(name, func(t *testing.T) {
			e := openTiny(t, c, engine.Options{})
			policies := lively(t, e)[1:]
			data, shared := distinct(policies, 16, c.Vocab), kin(policies, 16, c.Vocab)
			want, wantShared := gradients(t, e, data, 16), gradients(t, e, shared, 16)
			for _, o := range []engine.Options{{Threads: 1}, {Threads: 2}, {Threads: 5}} {
				e := openTiny(t, c, o)
				lively(t, e)
				sameBits(t, fmt.Sprintf("%+v", o), gradients(t, e, data, 16), want)
				sameBits(t, fmt.Sprintf("%+v, shared prefixes", o), gradients(t, e, shared, 16), wantShared)
				sameBits(t, fmt.Sprintf("%+v, calls of 3", o), gradients(t, e, data, 3), want)
			}
			for _, limit := range []int{1, 20, 50} {
				e := openTiny(t, c, engine.Options{BatchTokens: limit})
				lively(t, e)
				sameBits(t, fmt.Sprintf("passes of %d", limit), gradients(t, e, data, 16), want)
			}
		})
	}
}

// Sharing a prefix changes nothing but the order of a few additions, and over a base of low precision what is rounded in between.
func TestSharedPrefixGradient(t *testing.T) {
	for _, set := range kernel.Available() {
		for f, tolerance := range map[engine.Format]float64{engine.F32: 2e-5, engine.BF16: 0.05, engine.Int8: 0.05, engine.NF4: 0.05} {
			t.Run(set+"/"+f.String(), func(t *testing.T) {
				e := openTiny(t, chatty(), engine.Options{Kernels: set, Format: f})
				sharedPrefixGradient(t, e, kin(lively(t, e)[1:], 16, tiny.Vocab), tolerance)
				sharedPrefixGradient(t, e, ring{chats: 3, turns: 4, prompt: 9, answer: 6}.play(t, e, "p"), tolerance)
			})
		}
	}
}

// sharedPrefixGradient compares gradients of data together with those of data one by one, of the policies that they train, in shares of the largest
// entry of a parameter.
func sharedPrefixGradient(t *testing.T, e *Engine, data []engine.Datum, tolerance float64) {
	t.Helper()
	together, alone := gradients(t, e, data, 16), gradients(t, e, data, 1)
	trained := map[engine.Policy]bool{}
	for _, d := range data {
		trained[d.Policy] = true
	}
	for name, want := range alone {
		if _, policy, _ := strings.Cut(name, " of "); !trained[engine.Policy(strings.Trim(policy, `"`))] {
			continue
		}
		largest, worst := 0.0, 0.0
		for i, b := range want {
			w := float64(math.Float32frombits(b))
			largest = max(largest, math.Abs(w))
			worst = max(worst, math.Abs(w-float64(math.Float32frombits(together[name][i]))))
		}
		if largest == 0 || worst > tolerance*largest {
			t.Errorf("%s: difference %g, largest entry %g", name, worst, largest)
		}
	}
}
