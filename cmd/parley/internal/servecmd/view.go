package servecmd

import (
	"context"
	"fmt"
	"slices"

	"parley/engine"
)

// A View is an engine with policies of its own over a base that others use too. It is an [engine.Engine] that does not train, [engine.Streamer],
// [engine.Contexter], [engine.Noter], [engine.Distributor], [engine.Steerer] and io.Closer. Calls wait for their turn; what is streamed is
// drawn together with what others stream.
type view struct {
	base   *base
	number int
	leave  func() error
}

// named is a policy's name in the engine. The base has one for all.
func (v *view) named(p engine.Policy) engine.Policy {
	if p == engine.Base {
		return p
	}
	return engine.Policy(fmt.Sprintf("%d/%s", v.number, p))
}

// requests are those of a view as the engine knows them.
func (v *view) requests(reqs []engine.SampleRequest) []engine.SampleRequest {
	reqs = slices.Clone(reqs)
	for i := range reqs {
		reqs[i].Policy = v.named(reqs[i].Policy)
	}
	return reqs
}

// Stream implements [engine.Streamer].
func (v *view) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	return v.base.batcher.Stream(ctx, v.requests(reqs), each)
}

// Sample implements [engine.Engine].
func (v *view) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	return v.Stream(ctx, reqs, nil)
}

// SampleSteered implements [engine.Steerer].
func (v *view) SampleSteered(ctx context.Context, reqs []engine.SampleRequest, choose func(i int, logprobs []float32) (int, error)) (out []engine.Sample, err error) {
	err = v.alone(func() error {
		out, err = v.base.SampleSteered(ctx, v.requests(reqs), choose)
		return err
	})
	return out, err
}

// Forward implements [engine.Engine].
func (v *view) Forward(ctx context.Context, data []engine.Datum) (out []engine.Output, err error) {
	data = slices.Clone(data)
	for i := range data {
		data[i].Policy = v.named(data[i].Policy)
	}
	err = v.alone(func() error {
		out, err = v.base.Forward(ctx, data)
		return err
	})
	return out, err
}

// Distributions implements [engine.Distributor].
func (v *view) Distributions(ctx context.Context, prefixes []engine.Prefix, k int, each func(i, length int, d engine.Distribution) error) error {
	prefixes = slices.Clone(prefixes)
	for i := range prefixes {
		prefixes[i].Policy = v.named(prefixes[i].Policy)
	}
	return v.alone(func() error { return v.base.Distributions(ctx, prefixes, k, each) })
}

// alone calls f while nobody samples.
func (v *view) alone(f func() error) error {
	return v.base.batcher.Alone(func(engine.Continuous) error { return f() })
}

// NewPolicy implements [engine.Engine].
func (v *view) NewPolicy(ctx context.Context, p engine.Policy, spec engine.PolicySpec) error {
	return v.alone(func() error { return v.base.NewPolicy(ctx, v.named(p), spec) })
}

// Load implements [engine.Engine].
func (v *view) Load(ctx context.Context, p engine.Policy, dir string) error {
	return v.alone(func() error { return v.base.Load(ctx, v.named(p), dir) })
}

// Save implements [engine.Engine].
func (v *view) Save(ctx context.Context, p engine.Policy, dir string) error {
	return v.alone(func() error { return v.base.Save(ctx, v.named(p), dir) })
}

// ForwardBackward implements [engine.Engine]: it is an error.
func (v *view) ForwardBackward(context.Context, []engine.Datum, engine.Loss) error { return errTrains }

// Step implements [engine.Engine]: it is an error.
func (v *view) Step(context.Context, engine.Policy, engine.Adam) (engine.StepInfo, error) {
	return engine.StepInfo{}, errTrains
}

// Context implements [engine.Contexter].
func (v *view) Context() int { return v.base.Context() }

// Notes implements [engine.Noter]. The base's notes go to the view that asks first.
func (v *view) Notes() []string { return v.base.Notes() }

// Close gives the base's memory back, where nobody else uses it.
func (v *view) Close() error { return v.leave() }

var _ interface {
	engine.Engine
	engine.Streamer
	engine.Contexter
	engine.Noter
	engine.Distributor
	engine.Steerer
} = (*view)(nil)
