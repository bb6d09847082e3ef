package gather

import (
	"context"
	"math"
	"sync"

	"parley/engine"
)

// A Batcher is one engine for many callers at once. What they ask for is computed together, a token of each in a step, and nobody waits for the others to
// end: a request is let in before the next step, and leaves when it is done or its caller is gone. It is an [engine.Streamer], so that whoever samples
// need not know of the others.
type Batcher struct {
	engine engine.Continuous

	mu      sync.Mutex
	queue   []engine.Arrival
	running bool
	paused  int // callers that want the engine for themselves
	flying  int // requests that have not ended
}

// NewBatcher makes a batcher of an engine, which others may use too: what they call waits until nothing is in flight.
func NewBatcher(e engine.Continuous) *Batcher { return &Batcher{engine: e} }

// Context implements [engine.Contexter]: of an engine that does not say how long sequences may be, nothing is too long here.
func (b *Batcher) Context() int {
	if c, says := b.engine.(engine.Contexter); says {
		return c.Context()
	}
	return math.MaxInt
}

// Batched is a batcher of e if e can take requests in while it samples others, else e itself.
func Batched(e engine.Streamer) engine.Streamer {
	if c, ok := e.(engine.Continuous); ok {
		return NewBatcher(c)
	}
	return e
}

// Stream implements [engine.Streamer]. The first error of a request ends those of the same call.
func (b *Batcher) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &visit{samples: make([]engine.Sample, len(reqs)), news: make(chan struct{}, 1)}
	arrivals := make([]engine.Arrival, len(reqs))
	for i, r := range reqs {
		arrivals[i] = engine.Arrival{
			SampleRequest: r, Context: ctx,
			Token: func(token int) error { c.tell(event{i: i, token: token}); return nil },
			Done:  func(s engine.Sample, err error) { b.left(); c.tell(event{i: i, sample: &s, err: err}) },
		}
	}
	b.add(arrivals)
	var first error
	for open := len(reqs); open > 0; {
		<-c.news
		for _, e := range c.take() {
			err := e.err
			switch {
			case e.sample != nil:
				c.samples[e.i] = *e.sample
				open--
			case first == nil && each != nil:
				err = each(e.i, e.token)
			}
			if err != nil && first == nil {
				first = err
				cancel()
			}
		}
	}
	if first != nil {
		return nil, first
	}
	return c.samples, nil
}

// InFlight counts the requests that have not ended.
func (b *Batcher) InFlight() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.flying
}

// Alone lets f use the engine for other things. Requests in flight end before, and those that come meanwhile wait until f is done.
func (b *Batcher) Alone(f func(engine.Continuous) error) error {
	b.pause(1)
	defer b.pause(-1)
	return f(b.engine)
}

func (b *Batcher) pause(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.paused += n
	b.start()
}

// add queues arrivals, and sees to it that the engine runs.
func (b *Batcher) add(arrivals []engine.Arrival) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue = append(b.queue, arrivals...)
	b.flying += len(arrivals)
	b.start()
}

// start lets the engine run where it has something to do. b.mu is held.
func (b *Batcher) start() {
	if !b.running && b.paused == 0 && len(b.queue) > 0 {
		b.running = true
		go b.run()
	}
}

// run lets the engine sample until nobody asks for anything.
func (b *Batcher) run() {
	for {
		// The error is told to every request that it ended.
		_ = b.engine.SampleArriving(context.Background(), b.take)
		b.mu.Lock()
		b.running = b.paused == 0 && len(b.queue) > 0
		again := b.running
		b.mu.Unlock()
		if !again {
			return
		}
	}
}

// take hands out what is queued, and nothing while somebody wants the engine alone.
func (b *Batcher) take() []engine.Arrival {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.paused > 0 {
		return nil
	}
	q := b.queue
	b.queue = nil
	return q
}

func (b *Batcher) left() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flying--
}
