package kernel

import "time"

const (
	// spinTime is how long an idle worker polls for the next job before it parks. Waking a parked thread costs 10-40 µs, and
	// the joins of a transformer layer are closer together than this.
	spinTime = 80 * time.Microsecond
	// joinTime is how long the caller polls for the last pieces. They are short; one that takes longer belongs to a worker
	// that the operating system has stopped, perhaps in favour of this very loop.
	joinTime = 25 * time.Microsecond

	// shortWork is the work of one worker in a job of which the pieces are certainly short too.
	shortWork = 100 * time.Microsecond

	minPatience = 20 * time.Microsecond
	maxPatience = 400 * time.Microsecond
)

// A wakePolicy says when parked workers are worth waking. On an idle machine the answer is: for every job. Where other programs hold
// the processors, a worker that wakes may only take the caller's own processor from it; then the policy lets the caller work
// alone for longer and longer, up to maxPatience, before it tries again.
type wakePolicy struct {
	alone    time.Duration // that the caller has worked since workers last helped or were woken in vain
	patience time.Duration // that it works alone before it wakes them
}

// due reports whether to wake parked workers, so long after the beginning of a job.
func (p *wakePolicy) due(elapsed time.Duration) bool { return p.alone+elapsed >= p.patience }

// A jobOutcome is how a job went for the caller.
type jobOutcome struct {
	worked  time.Duration // until nothing was left to claim
	woken   bool          // parked workers were woken
	helped  bool          // workers did a part
	blocked bool          // they took much longer than the caller, or waited for the caller
}

func (p *wakePolicy) learn(e jobOutcome) {
	switch {
	case e.blocked, e.woken && !e.helped:
		p.patience = min(max(2*p.patience, minPatience), maxPatience)
		p.alone = e.worked
	case e.helped:
		p.patience, p.alone = 0, 0
	default:
		p.alone += e.worked
	}
}
