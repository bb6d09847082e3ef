package progress

import (
	"fmt"
	"time"

	"parley/recipe"
	"parley/rl/rollout"
)

// betweenNews is the least time between two events of work that goes on.
const betweenNews = 200 * time.Millisecond

// A Newsroom adds to the events of a run how far it is and how long it still takes. It serves the goroutine of the run.
type Newsroom struct {
	observe  func(Event)
	clock    func() time.Time
	forecast *Forecast
	turns    int   // of a dialogue; 0: a program decides how many calls there will be
	current  Event // what goes on: its kind, phase, system and update
	said     time.Time
}

// NewNewsroom passes the events of a run of recipe r and so many updates on to observe.
func NewNewsroom(observe func(Event), r *recipe.Recipe, updates int) *Newsroom {
	n := &Newsroom{observe: observe, clock: time.Now, forecast: New(Stages(r, updates), time.Now), turns: r.Team.Turns}
	if r.Harnessed() {
		n.turns = 0
	}
	return n
}

// Event passes e on.
func (n *Newsroom) Event(e Event) {
	switch e.Kind {
	case Measuring:
		n.current = e
		n.forecast.Enter(e.System, 0)
	case Training:
		n.current = e
		n.forecast.Enter(e.Phase, float64(e.Update)/float64(max(e.Updates, 1)))
	case Updated:
		n.current.Update = e.Update
		if e.Timing != nil {
			n.forecast.Aside(e.Timing.PanelSeconds)
		}
		n.forecast.Reach(float64(e.Update) / float64(max(e.Updates, 1)))
	case Measured:
		n.forecast.Reach(1)
	}
	e.TotalLeft = n.forecast.Left()
	n.observe(e)
}

// Drawn is called for every token that a rollout draws.
func (n *Newsroom) Drawn(p rollout.Progress) {
	if n.turns == 0 {
		n.work("answers", p.Whole, 0)
		return
	}
	if n.current.Kind == Measuring {
		n.forecast.Reach((float64(p.Turn) + float64(p.Whole)/float64(max(p.Completions, 1))) / float64(max(n.turns, p.Turn+1)))
	}
	n.work(fmt.Sprintf("turn %d: answers", p.Turn+1), p.Whole, p.Completions)
}

// OnPanel is called for every token that a measurement within a training draws.
func (n *Newsroom) OnPanel(p rollout.Progress) {
	if n.turns == 0 {
		n.work("answers to held-out problems", p.Whole, 0)
		return
	}
	n.work(fmt.Sprintf("held-out problems, turn %d: answers", p.Turn+1), p.Whole, p.Completions)
}

// Learned is called after every pass of training.
func (n *Newsroom) Learned(done, all int) { n.work("learning: answers", done, all) }

// work tells what goes on, at most so often. Nobody knows how much there is in all where that is 0.
func (n *Newsroom) work(doing string, done, all int) {
	now := n.clock()
	if now.Sub(n.said) < betweenNews {
		return
	}
	n.said = now
	n.observe(Event{
		Kind: Working, Phase: n.current.Phase, System: n.current.System, Update: n.current.Update, Updates: n.current.Updates,
		Message: doing, Done: done, All: all, TotalLeft: n.forecast.Left(),
	})
}
