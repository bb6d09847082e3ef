package train

import (
	"context"
	"slices"

	"parley/engine"
	"parley/learn/ppo"
	"parley/rollout"
)

// runner returns r with engines and judge that record their calls.
func (t *timeline) runner(r *rollout.Runner) *rollout.Runner {
	watched := *r
	if _, already := r.Scorer.(watchedJudge); !already {
		watched.Scorer = watchedJudge{r.Scorer, t}
	}
	watched.Actors = slices.Clone(r.Actors)
	for i := range watched.Actors {
		actor := &watched.Actors[i]
		if t.watched[actor.Engine] == nil {
			t.watched[actor.Engine] = &watchedEngine{actor.Engine, t, true}
		}
		actor.Engine = t.watched[actor.Engine]
	}
	return &watched
}

// A watchedJudge moves the timeline to scoring.
type watchedJudge struct {
	judge    rollout.Scorer
	timeline *timeline
}

// Judge implements [rollout.Score].
func (j watchedJudge) Score(ctx context.Context, turn []rollout.ScoreItem) error {
	j.timeline.enter(phaseScore)
	return j.judge.Score(ctx, turn)
}

// Early implements [rollout.StreamingScorer].
func (j watchedJudge) Streams() bool {
	e, ok := j.judge.(rollout.StreamingScorer)
	return ok && e.Streams()
}

// JudgeEarly implements [rollout.StreamingScorer].
func (j watchedJudge) ScoreSome(ctx context.Context, some []rollout.ScoreItem) (err error) {
	j.timeline.measure("judge", "judge", trackJudge, func() { err = j.judge.(rollout.StreamingScorer).ScoreSome(ctx, some) })
	return err
}

// A watchedEngine records the calls in which an engine computes.
type watchedEngine struct {
	engine.Engine
	timeline *timeline // nil: nobody watches
	speaks   bool      // it samples what agents say, which moves the timeline to sampling
}

// judging is the engine of the base as judges ask it, about answers of agents.
func (b *base) judging() *watchedEngine {
	if b.judge == nil {
		b.judge = &watchedEngine{Engine: b.engine}
	}
	return b.judge
}

// judges records what judges ask of the engines of bases, too.
func (t *timeline) judges(bases []*base) {
	for _, b := range bases {
		b.judging().timeline = t
	}
}

// Sample implements [engine.Engine].
func (e *watchedEngine) Sample(ctx context.Context, reqs []engine.SampleRequest) (out []engine.Sample, err error) {
	e.sampling()
	e.measure("sample", func() { out, err = e.Engine.Sample(ctx, reqs) })
	return out, err
}

// Stream implements [engine.Streamer]; nobody hears of the tokens of an engine that is none.
func (e *watchedEngine) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) (out []engine.Sample, err error) {
	s, ok := e.Engine.(engine.Streamer)
	if !ok {
		return e.Sample(ctx, reqs)
	}
	e.sampling()
	e.measure("sample", func() { out, err = s.Stream(ctx, reqs, each) })
	return out, err
}

// Forward implements [engine.Engine].
func (e *watchedEngine) Forward(ctx context.Context, data []engine.Datum) (out []engine.Output, err error) {
	e.measure("forward", func() { out, err = e.Engine.Forward(ctx, data) })
	return out, err
}

// ForwardBackward implements [engine.Engine].
func (e *watchedEngine) ForwardBackward(ctx context.Context, data []engine.Datum, loss engine.Loss) (err error) {
	split := false // an engine asks for the loss of each pass; that of another policy is one of its own in any case
	counted := func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		split = split || first > 0 && data[first].Policy == data[first-1].Policy
		return loss(first, outputs)
	}
	e.measure("forward-backward", func() { err = e.Engine.ForwardBackward(ctx, data, counted) })
	if split && e.timeline != nil {
		e.timeline.split()
	}
	return err
}

// Step implements [engine.Engine].
func (e *watchedEngine) Step(ctx context.Context, p engine.Policy, opt engine.Adam) (info engine.StepInfo, err error) {
	e.measure("step", func() { info, err = e.Engine.Step(ctx, p, opt) })
	return info, err
}

// Divergence implements [engine.Diverger] where the engine does.
func (e *watchedEngine) Divergence(ctx context.Context, data []engine.Datum) (out [][]float32, err error) {
	whole, ok := e.Engine.(engine.Diverger)
	if !ok {
		return nil, ppo.ErrSampledOnly
	}
	e.measure("divergence", func() { out, err = whole.Divergence(ctx, data) })
	return out, err
}

func (e *watchedEngine) sampling() {
	if e.speaks {
		e.timeline.enter(phaseSample)
	}
}

func (e *watchedEngine) measure(call string, f func()) {
	if e.timeline == nil {
		f()
		return
	}
	e.timeline.measure(call, "engine", trackLoop, f)
}
