package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"parley/engine"
	"parley/model/config"
	"parley/model/tokenizer"
)

// A plan says what model is made and how long it is trained. With its seed, or another, it fixes every byte of the result on one
// type of machine.
type plan struct {
	seed         uint64 // of the corpus and of the first weights; 0: 1
	corpus       corpus
	config       config.Config // Vocab is set once the tokenizer is known
	vocab        int           // most tokens
	vocabDocs    int           // documents that the tokenizer is learned from
	updates      int
	updateTokens int     // tokens of an update, at least
	peak         float64 // learning rate after the warm-up; it falls to a hundredth along a cosine
	warmup       int     // updates
	opening      float64 // share of the updates that take the opening mixture
}

// sumsPlan is the plan of parley-base.
var sumsPlan = plan{
	corpus: sumsCorpus,
	config: config.Config{
		ModelType: "llama", Hidden: 128, Intermediate: 256, Layers: 4, Heads: 4, KVHeads: 2, HeadDim: 32,
		Context: 512, NormEps: 1e-5, Rope: config.Rope{Theta: 10000}, Tied: true,
	},
	vocab: 640, vocabDocs: 4000,
	updates: 4800, updateTokens: 2048, peak: 3e-3, warmup: 50, opening: 0.4,
}

// weakPlan is the plan of parley-weak: less than a third of the training, and another corpus of the same kind, so another tokenizer.
var weakPlan = func() plan {
	p := sumsPlan
	p.seed, p.updates = 2, 1400
	return p
}()

// triosPlan is the plan of parley-trios: longer documents need more positions, and more tokens an update for as many answers.
var triosPlan = plan{
	corpus: triosCorpus,
	config: config.Config{
		ModelType: "llama", Hidden: 128, Intermediate: 256, Layers: 4, Heads: 4, KVHeads: 2, HeadDim: 32,
		Context: 1024, NormEps: 1e-5, Rope: config.Rope{Theta: 10000}, Tied: true,
	},
	vocab: 640, vocabDocs: 4000,
	updates: 3600, updateTokens: 3072, peak: 3e-3, warmup: 50, opening: 0.4,
}

// gamesPlan is the plan of parley-games. Its vocabulary is the bytes and the few words of the games.
var gamesPlan = plan{
	corpus: gamesCorpus,
	config: config.Config{
		ModelType: "llama", Hidden: 128, Intermediate: 384, Layers: 4, Heads: 4, KVHeads: 2, HeadDim: 32,
		Context: 256, NormEps: 1e-5, Rope: config.Rope{Theta: 10000}, Tied: true,
	},
	vocab: 320, vocabDocs: 1000,
	updates: 4500, updateTokens: 2048, peak: 3e-3, warmup: 50, opening: 0.8,
}

// cardsPlan is the plan of parley-cards, whose prompts are short and few.
var cardsPlan = plan{
	corpus: cardsCorpus,
	config: config.Config{
		ModelType: "llama", Hidden: 64, Intermediate: 192, Layers: 3, Heads: 4, KVHeads: 2, HeadDim: 16,
		Context: 128, NormEps: 1e-5, Rope: config.Rope{Theta: 10000}, Tied: true,
	},
	vocab: 320, vocabDocs: 1000,
	updates: 3000, updateTokens: 1024, peak: 3e-3, warmup: 50, opening: 0.7,
}

// tiny is a plan of seconds, for tests of the command, less the corpus.
var tiny = plan{
	config: config.Config{
		ModelType: "llama", Hidden: 32, Intermediate: 64, Layers: 2, Heads: 2, KVHeads: 1, HeadDim: 16,
		Context: 1024, NormEps: 1e-5, Rope: config.Rope{Theta: 10000}, Tied: true,
	},
	vocab: 320, vocabDocs: 100,
	updates: 4, updateTokens: 256, peak: 3e-3, warmup: 2, opening: 0.5,
}

// trained is the policy that becomes the base.
const trained engine.Policy = "base"

// rate returns the learning rate of update u.
func (p plan) rate(u int) float64 {
	if u < p.warmup {
		return p.peak * float64(u+1) / float64(p.warmup)
	}
	done := float64(u-p.warmup) / float64(p.updates-p.warmup)
	return p.peak * (0.01 + 0.99*0.5*(1+math.Cos(math.Pi*done)))
}

// train trains all parameters of e's policy trained on the corpus and reports on log.
func train(ctx context.Context, e engine.Engine, tok *tokenizer.Tokenizer, p plan, log io.Writer) error {
	begin, next, tokens := time.Now(), 0, 0
	var recent tally
	for u := range p.updates {
		mixture := p.corpus.kinds
		if float64(u) < p.opening*float64(p.updates) {
			mixture = p.corpus.opening
		}
		var batch batch
		for ; batch.tokens < p.updateTokens; next++ {
			document, err := tokenize(tok, corpusDocument(p.seed, next, mixture))
			if err != nil {
				return fmt.Errorf("update %d: %w", u, err)
			}
			batch.add(document)
		}
		if err := e.ForwardBackward(ctx, batch.data, batch.loss(&recent)); err != nil {
			return fmt.Errorf("update %d: %w", u, err)
		}
		if _, err := e.Step(ctx, trained, engine.Adam{LR: p.rate(u), Beta1: 0.9, Beta2: 0.98, Eps: 1e-8, WeightDecay: 0.02, ClipNorm: 1}); err != nil {
			return fmt.Errorf("update %d: %w", u, err)
		}
		tokens += batch.tokens
		if every := max(1, p.updates/80); u%every == every-1 {
			fmt.Fprintf(log, "update %d of %d: loss %.4f, %.2f M tokens, %.0f s\n", u+1, p.updates, recent.mean(), float64(tokens)/1e6, time.Since(begin).Seconds())
			recent = tally{}
		}
	}
	return nil
}

// A batch is the data of one update.
type batch struct {
	data   []engine.Datum
	learn  [][]bool // [data][asked tokens]
	tokens int
	count  int // learned tokens
}

// add appends an example.
func (b *batch) add(e example) {
	from := 1 // the first token has nothing before it that could predict it
	b.data = append(b.data, engine.Datum{Policy: trained, Tokens: e.tokens, ScoreFrom: from})
	b.learn = append(b.learn, e.learn[from:])
	b.tokens += len(e.tokens)
	for _, learn := range e.learn[from:] {
		if learn {
			b.count++
		}
	}
}

// loss is the mean negative log-probability of the learned tokens; sum also counts it.
func (b *batch) loss(sum *tally) engine.Loss {
	scale := -1 / float32(b.count)
	return func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		gradients := make([]engine.Gradient, len(outputs))
		for i, out := range outputs {
			g := make([]float32, len(out.Logprobs))
			for j, learn := range b.learn[first+i] {
				if learn {
					g[j] = scale
					sum.add(-float64(out.Logprobs[j]))
				}
			}
			gradients[i].Logprobs = g
		}
		return gradients, nil
	}
}

// A tally is a running mean.
type tally struct {
	sum float64
	n   int
}

func (t *tally) add(x float64) { t.sum, t.n = t.sum+x, t.n+1 }

func (t *tally) mean() float64 { return t.sum / float64(max(1, t.n)) }
