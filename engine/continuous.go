package engine

import "context"

// An Arrival is a request that comes while others are sampled.
type Arrival struct {
	SampleRequest
	// Context ends this request alone, within a step.
	Context context.Context
	// Token is told every token as soon as it is drawn. Its error ends this request alone. nil: nobody watches.
	Token func(token int) error
	// Done is told the end, once: the sample, or as much of it as there is and the reason why there is no more.
	Done func(Sample, error)
}

// A Continuous engine takes requests in while it samples others (continuous batching), for servers with many users. It is optional: training
// knows its requests beforehand.
type Continuous interface {
	// SampleArriving samples what arrive returns, which is asked before every step and may return none, until nothing is in flight and
	// nothing arrives. It is for the caller to wait for requests, and to call again. Samples are those of [Engine.Sample]: they depend
	// neither on what else is in flight nor on when they came.
	//
	// arrive, Token and Done are called by the goroutine of the caller, and may not call the engine. The end of ctx ends all requests. An
	// error of the engine ends all that are in flight, and is returned; an error of one request, such as an empty prompt, is told to its
	// Done alone.
	SampleArriving(ctx context.Context, arrive func() []Arrival) error
}
