// Package native is the embedded engine: it samples from and trains decoder-only transformers on the machine's own CPU, in
// plain Go and Go assembly.
//
// [Open] takes a checkpoint (weights.Source), packs its matrices and gives an [engine.Engine]. [Backend] opens engines for those who
// work with any kind of engine. The files, in an order to read them in:
//
// # Parameters
//
//	net.go             the shape of the model; package model/config says what a config.json means, and how families differ
//	net.go, param.go     one set of weights: the frozen base, or the full copy that a policy trains
//	loadweights.go       a checkpoint into a net, packed for the products of package kernel
//	lora.go, projectiongroup.go, ranks.go   low-rank adapters, grouped by the input that they read
//	policy.go            what is trained: adapters or a full copy, and a value head (valuehead.go)
//	held.go              the base as a format holds it, for whoever merges a policy into it
//	save.go, load.go     policies on disk; package weights/peft knows the form of adapters
//	random.go            models with random weights, to make a model from nothing
//
// # Tokens
//
//	forest.go            sequences that begin alike share segments: a radix tree for each policy
//	pass.go              the rows that go through a net together: tokens of many sequences packed one after another, never padded
//
// # One pass through a net
//
//	compute.go           the state of a pass: activations, scratch memory
//	forward.go, block.go, gate.go   the layers; project.go, adapters.go their projections and adapters; ropetable.go rotary angles
//	rowtile.go           a layer goes over its rows in tiles, so that what one step leaves is still in the caches for the next
//	attention.go         attention over blocks of rows; attentionview.go which keys a block sees, panels.go where keys and values lie
//	softcap.go           caps of scores and logits
//	head.go              log-probabilities of target tokens; headcolumns.go over blocks of the vocabulary, headgrad.go with their gradient,
//	                     headlogits.go what a family makes of logits
//	distribution.go      temperature, top-k, top-p
//	backward.go          the gradients; attentionbackward.go, operands.go and pairpanels.go those of attention
//
// # Training
//
//	batch.go, score.go   data cut into batches: Forward and ForwardBackward
//	rollback.go          gradients as they were before a call that fails
//	step.go              AdamW; gradients.go the gradients as a caller sees them
//	divergence.go        the KL divergence from the base; nextdistribution.go whole distributions
//	softtarget.go        training towards distributions
//
// # Sampling
//
//	sample.go, session.go, prefill.go   requests in flight, one token each a step (continuous batching)
//	sampletoken.go, categorical.go      a token from logits; steer.go tokens that the caller chooses
//	prefixcache.go, pagepool.go         keys and values kept from call to call, in pages
//	activationcache.go, activationgather.go   activations of sampling, kept for the backward pass of training
//
// # Memory
//
//	plan.go, memory.go   what an engine will take; budget.go what a pass may
//	memorypressure.go    what gives way where the system has little memory left
//	arena.go             the buffers of a pass; scratch.go those of a thread
//
// # One chain
//
// Every number depends on the token's own history and on parameters alone. A dot product is one chain of additions in a fixed
// order, an attention sum runs over the keys in the order of the sequence, a normaliser has a fixed lane structure. So
// neither threads, nor the batch, nor shared prefixes, nor the key-value cache change a bit: the log-probability that a token
// was sampled with is the one that it is scored with. (Where rotary frequencies follow the length of the sequence, a sample may
// outgrow the length before scaling: see [engine.Options].ScoreAsSampled.)
//
// Gradients are chains too, over the rows of a pass in packed order, which continue from pass to pass and from call to call.
// Where the data share prefixes, the gradient of a shared prefix is summed first: it then depends, in the last bits, on which
// data were passed together. That follows from the data and [engine.Options].BatchTokens, never from threads.
package native

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"parley/engine"
	"parley/engine/native/kernel"
	"parley/internal/seed"
	"parley/model"
	"parley/model/config"
	"parley/model/weights"
	"parley/model/weights/peft"
)

// An Engine is the embedded engine. It does one thing at a time: concurrent calls wait for each other.
type Engine struct {
	mu             sync.Mutex
	src            weights.Source
	shape          shape
	options        settings
	k              *kernel.Kernels
	base           *net
	policies       map[engine.Policy]*policy
	ropeTables     ropeTables
	arena          arena
	scratch        scratchPool
	activations    activationCache
	memory         memoryMonitor
	prefetch       kernel.Prefetch // of a pass, its memory used again
	workspaces     []*workspace
	prefixCache    prefixCache
	cacheFloats    int               // of keys and values, most at a time
	maxSavedLogits int               // of a pass, most that wait for the backward pass
	recompute      func(p *pass) int // how many layers a pass computes again in its backward pass
	pass           pass              // of sampling, its memory used again
	computed       engine.Computed
	// scaledByTensor says that rotary frequencies come in part from a tensor, not from config.json.
	scaledByTensor bool
}

var (
	_ engine.Engine      = (*Engine)(nil)
	_ engine.Contexter   = (*Engine)(nil)
	_ engine.Streamer    = (*Engine)(nil)
	_ engine.Diverger    = (*Engine)(nil)
	_ engine.Distributor = (*Engine)(nil)
	_ engine.Distiller   = (*Engine)(nil)
	_ engine.Steerer     = (*Engine)(nil)
	_ engine.Dropper     = (*Engine)(nil)
	_ engine.Noter       = (*Engine)(nil)
	_ engine.Counter     = (*Engine)(nil)
	_ engine.Estimator   = (*Engine)(nil)
	_ engine.Estimator   = (*Plan)(nil)
	_ io.Closer          = (*Engine)(nil)
)

// Open reads the checkpoint src into an engine. A missing, extra or misshapen tensor, one with NaN or infinite values, and a
// config.json that the engine does not fully understand are errors. The engine keeps src: full-parameter policies start from
// it. It must stay open as long as the engine is used.
func Open(src weights.Source, opt engine.Options) (*Engine, error) {
	c, err := config.Parse(src.Config())
	if err != nil {
		return nil, err
	}
	k, err := kernel.New(opt.Kernels, opt.Threads)
	if err != nil {
		return nil, err
	}
	e := &Engine{src: src, shape: shape{c}, options: settings{opt}, k: k, cacheFloats: cacheFloats, maxSavedLogits: maxSavedLogits}
	e.base = newNet(&e.shape)
	e.options.BatchTokens = e.options.batchTokens(&e.shape)
	e.memory = memoryMonitor{available: opt.Available, budget: e.options.passMemory()}
	e.recompute = func(p *pass) int { return e.shape.sizing(p.ranks()).recomputed(p.rows(), e.memory.budget) }
	if err = e.base.loadFrozen(src, k, opt.Format); err == nil {
		err = e.readFrequencies()
	}
	if err != nil {
		k.Close()
		return nil, err
	}
	e.policies = map[engine.Policy]*policy{engine.Base: {name: engine.Base, net: e.base}}
	return e, nil
}

// Config returns the shape of the model.
func (e *Engine) Config() config.Config { return e.shape.Config }

// Context implements [engine.Contexter].
func (e *Engine) Context() int { return e.shape.Context }

// Footprint implements [engine.Estimator].
func (e *Engine) Footprint(l engine.Load, policies []engine.PolicySpec) engine.Footprint {
	return NewPlan(e.Config(), e.options.Options).Footprint(l, policies)
}

// Computed implements [engine.Counter].
func (e *Engine) Computed() engine.Computed {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.computed
}

// Kernels names the kernel set in use.
func (e *Engine) Kernels() string { return e.k.Name() }

// Close stops the engine's threads and gives its memory back. The source of the weights is the caller's to close.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.k.Close()
	e.prefixCache.clear()
	e.arena.close()
	e.activations.arena.close()
	return nil
}

// NewPolicy adds a policy; see [engine.Engine].
func (e *Engine) NewPolicy(ctx context.Context, name engine.Policy, spec engine.PolicySpec) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if name == engine.Base {
		return fmt.Errorf("new policy: the empty name is the frozen base; choose another")
	}
	if e.policies[name] != nil {
		return fmt.Errorf("new policy %q: it exists already", name)
	}
	p, err := e.newPolicy(name, spec)
	if err != nil {
		return fmt.Errorf("new policy %q: %w", name, err)
	}
	e.policies[name] = p
	return nil
}

func (e *Engine) newPolicy(name engine.Policy, spec engine.PolicySpec) (*policy, error) {
	if spec.ValueHidden > 0 && spec.ValueInit == 0 {
		return nil, fmt.Errorf("its value head has a hidden layer of zeros, which learns nothing: give ValueInit a value")
	}
	if spec.Full {
		p, err := e.fullCopy(name, e.src)
		if err == nil {
			p.initValueHead(e.shape.Hidden, spec)
		}
		return p, err
	}
	own := e.shape.Family().Targets()
	names := spec.Targets
	if len(names) == 0 {
		names = own
	}
	for _, t := range names {
		if !slices.Contains(own, t) {
			return nil, fmt.Errorf("target %q is no projection of this model; write some of %s", t, strings.Join(own, ", "))
		}
	}
	p := &policy{
		name: name, net: e.base,
		adapter: peft.Config{Rank: spec.Rank, Alpha: spec.Alpha, Targets: peft.List(slices.Clone(names)...)},
	}
	if err := p.addLoras(&e.shape); err != nil {
		return nil, err
	}
	p.initialize(seed.Derive(spec.Seed, "adapter"))
	p.initValueHead(e.shape.Hidden, spec)
	p.pack(e.k)
	return p, nil
}

// fullCopy makes a policy of all the model's parameters, with the values that src has.
func (e *Engine) fullCopy(name engine.Policy, src weights.Source) (*policy, error) {
	n := newNet(&e.shape)
	if err := n.loadTrained(src, e.k); err != nil {
		return nil, err
	}
	n.train()
	return &policy{name: name, net: n, params: slices.Clone(n.params)}, nil
}

// policy finds a policy by name.
func (e *Engine) policy(name engine.Policy) (*policy, error) {
	if p := e.policies[name]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("there is no policy %q", name)
}

// computation prepares a pass through n.
func (e *Engine) computation(n *net, p *pass, keep bool) *computation {
	return &computation{
		k: e.k, shape: &e.shape, family: e.shape.Family(), net: n, ropeTables: &e.ropeTables, arena: &e.arena, scratch: &e.scratch, prefetch: &e.prefetch, pass: p, keep: keep,
		recomputed: e.recompute(p),
	}
}

// Backend opens embedded engines for whoever works with any kind of engine (train.Backend). Its zero value is ready.
type Backend struct{}

// Open puts a model on an embedded engine, which takes seconds and is not interrupted; m must stay open as long as it is used.
func (Backend) Open(_ context.Context, m *model.Model, o engine.Options) (engine.Engine, error) {
	e, err := Open(m.Source, o)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Estimator says what an embedded engine over a model of a shape would take.
func (Backend) Estimator(c config.Config, o engine.Options) engine.Estimator { return NewPlan(c, o) }

// Kernels names the kernel set that computes under these options, and says why it is slow where it is plain Go for want of another.
func (Backend) Kernels(o engine.Options) (name, slow string) {
	name = o.Kernels
	if name == "" {
		all := kernel.Available()
		name = all[len(all)-1]
	}
	return name, kernel.Slow(o.Kernels)
}
