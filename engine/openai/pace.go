package openai

import (
	"context"
	"sync"
	"time"
)

// A pace says when the next one may come: each takes its share of a minute, and they follow each other.
type pace struct {
	each time.Duration // share of one; 0: any number may come
	free time.Time     // when the shares of all before are over
}

func newPace(perMinute int) pace {
	if perMinute == 0 {
		return pace{}
	}
	return pace{each: time.Minute / time.Duration(perMinute)}
}

// wait is how long the next one has to wait.
func (p *pace) wait(now time.Time) time.Duration { return max(p.free.Sub(now), 0) }

// take takes the shares of n.
func (p *pace) take(now time.Time, n int) {
	if p.free.Before(now) {
		p.free = now
	}
	p.free = p.free.Add(time.Duration(n) * p.each)
}

// together is how many requests are on their way to one address at once, unless options say it.
const together = 8

// A gate lets requests pass to one address.
type gate struct {
	places chan struct{}

	mu       sync.Mutex
	requests pace
	tokens   pace // known only once they are drawn: the next one waits for those before
}

func newGate(o PoolOptions) *gate {
	n := o.Together
	if n == 0 {
		n = together
	}
	return &gate{places: make(chan struct{}, n), requests: newPace(o.Requests), tokens: newPace(o.PerMinute)}
}

// enter waits for a place, and for the pace.
func (g *gate) enter(ctx context.Context) (done func(), err error) {
	select {
	case g.places <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for {
		pause := g.pause(time.Now())
		if pause == 0 {
			return func() { <-g.places }, nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			<-g.places
			return nil, ctx.Err()
		}
	}
}

// pause is how long the next request has to wait; one that need not has its share from now on.
func (g *gate) pause(now time.Time) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	pause := max(g.requests.wait(now), g.tokens.wait(now))
	if pause == 0 {
		g.requests.take(now, 1)
	}
	return pause
}

// drew counts tokens that were read and drawn.
func (g *gate) drew(tokens int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tokens.take(time.Now(), tokens)
}
