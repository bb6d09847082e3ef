package gather

import (
	"context"

	"parley/engine"
)

// An Engine is an engine whose samples are drawn in one call at a time: what is asked for meanwhile is drawn together in the next.
type Engine struct {
	engine.Engine
	desk *Desk[request, engine.Sample]
}

// A request is a sample that is asked for, with the function that is told its tokens.
type request struct {
	engine.SampleRequest
	hear func(token int) error // nil: nobody
}

// Unwrap implements [engine.Wrapper].
func (e *Engine) Unwrap() engine.Engine { return e.Engine }

// NewEngine returns e behind a desk. Calls end with ctx, whoever asked for them.
func NewEngine(ctx context.Context, e engine.Engine) *Engine {
	return &Engine{e, New(func(asked []request) ([]engine.Sample, error) { return sample(ctx, e, asked) })}
}

// Engines puts engines behind desks, one for each engine, but for those that serve many calls at once.
func Engines(ctx context.Context) func(engine.Engine) engine.Engine {
	desks := map[engine.Engine]engine.Engine{}
	return func(e engine.Engine) engine.Engine {
		if engine.SlotsOf(e) > 0 {
			return e
		}
		if desks[e] == nil {
			desks[e] = NewEngine(ctx, e)
		}
		return desks[e]
	}
}

// Slots are those of all engines together.
func Slots(engines []engine.Engine) (sum int) {
	for _, e := range engines {
		sum += engine.SlotsOf(e)
	}
	return sum
}

// Sample implements [engine.Engine].
func (e *Engine) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	return e.Stream(ctx, reqs, nil)
}

// Stream implements [engine.Streamer]. An error of each ends the whole call.
func (e *Engine) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	asked := make([]request, len(reqs))
	for i, r := range reqs {
		asked[i].SampleRequest = r
		if each != nil {
			asked[i].hear = func(token int) error { return each(i, token) }
		}
	}
	return e.desk.Ask(ctx, asked)
}

// sample draws what was asked for together.
func sample(ctx context.Context, e engine.Engine, asked []request) ([]engine.Sample, error) {
	reqs, heard := make([]engine.SampleRequest, len(asked)), false
	for i, a := range asked {
		reqs[i], heard = a.SampleRequest, heard || a.hear != nil
	}
	s, streams := engine.As[engine.Streamer](e)
	if !heard || !streams {
		return e.Sample(ctx, reqs)
	}
	return s.Stream(ctx, reqs, func(i, token int) error {
		if asked[i].hear == nil {
			return nil
		}
		return asked[i].hear(token)
	})
}
