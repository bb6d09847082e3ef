package main

import (
	"container/heap"

	"parley/internal/seed"
)

// Work is a rollout: problems whose turns follow each other. A turn asks for some answers at once, and is scored before the next one.
type Work struct {
	Problems, Turns int
	Asks            int     // answers of a turn of a problem: agents times the size of groups
	Score           float64 // seconds
	// Stream is the random stream of an answer; nil: one by these numbers.
	Stream func(problem, turn, ask int) uint64
}

// A Schedule says when the turns of problems begin.
type Schedule int

// Together is how the embedded engine is asked, Apart an engine that serves many calls at once.
const (
	Together Schedule = iota // a turn begins for all problems when the turn before is over for all
	Apart                    // each problem by itself; twice as many are under way as there are slots
)

// Usage is what became of a rollout.
type Usage struct {
	Seconds float64
	Busy    float64 // seconds of all slots together that went into answers, lost tries left out
	Share   float64 // Busy as a share of what the slots had
	Tokens  int
}

// Play plays a rollout by a virtual clock.
func (c Cluster) Play(w Work, s Schedule) Usage {
	p := player{cluster: c, work: w, schedule: s, free: c.Slots(), open: make([]int, w.Problems), turn: make([]int, w.Problems), left: w.Problems}
	if w.Stream == nil {
		p.work.Stream = func(problem, turn, ask int) uint64 { return seed.Derive(1, "simulated", problem, turn, ask) }
	}
	p.next = min(w.Problems, p.most())
	for problem := range p.next {
		p.ask(problem)
	}
	for len(p.events) > 0 {
		e := heap.Pop(&p.events).(event)
		p.now = e.at
		p.happen(e)
		p.serve()
	}
	p.usage.Seconds = p.now
	if slots := float64(c.Slots()) * p.now; slots > 0 {
		p.usage.Share = p.usage.Busy / slots
	}
	return p.usage
}

// An event is the end of an answer, or of the scoring of a turn.
type event struct {
	at      float64
	order   int // of its making: of two at one time the first comes first
	problem int
	scored  bool
}

// A player is a rollout that goes on.
type player struct {
	cluster  Cluster
	work     Work
	schedule Schedule

	now     float64
	events  events
	made    int
	free    int      // slots
	waiting []uint64 // streams of the answers that wait for one, and ...
	of      []int    // ... their problems
	open    []int    // answers that a problem's turn still waits for
	turn    []int    // of each problem
	next    int      // problem that begins next
	left    int      // problems whose turn is not over, where all wait for each other
	usage   Usage
}

// most is how many problems are under way at once.
func (p *player) most() int {
	if p.schedule == Apart {
		return 2 * p.cluster.Slots()
	}
	return p.work.Problems
}

// ask puts the answers of a problem's turn into the line.
func (p *player) ask(problem int) {
	p.open[problem] = p.work.Asks
	for ask := range p.work.Asks {
		p.waiting, p.of = append(p.waiting, p.work.Stream(problem, p.turn[problem], ask)), append(p.of, problem)
	}
	p.serve()
}

// serve gives free slots to those who wait.
func (p *player) serve() {
	n := min(p.free, len(p.waiting))
	for i, stream := range p.waiting[:n] {
		a := p.cluster.Answer(stream)
		p.usage.Tokens, p.usage.Busy = p.usage.Tokens+a.Tokens, p.usage.Busy+a.Useful
		p.later(a.Takes, event{problem: p.of[i]})
	}
	p.free -= n
	p.waiting, p.of = p.waiting[n:], p.of[n:]
}

func (p *player) later(seconds float64, e event) {
	e.at, e.order = p.now+seconds, p.made
	p.made++
	heap.Push(&p.events, e)
}

// happen lets a problem go on: the last answer of a turn is scored, and then the next turn begins. Together it does for all problems at once.
func (p *player) happen(e event) {
	if !e.scored {
		p.free++
		if p.open[e.problem]--; p.open[e.problem] > 0 {
			return
		}
		if p.left--; p.schedule == Apart || p.left == 0 {
			p.later(p.work.Score, event{problem: e.problem, scored: true})
		}
		return
	}
	if p.schedule == Together {
		p.left = p.work.Problems
		for problem := range p.work.Problems {
			p.goOn(problem)
		}
		return
	}
	p.goOn(e.problem)
	if p.turn[e.problem] == p.work.Turns && p.next < p.work.Problems {
		p.next++
		p.ask(p.next - 1)
	}
}

// goOn begins the next turn of a problem, if there is one.
func (p *player) goOn(problem int) {
	if p.turn[problem]++; p.turn[problem] < p.work.Turns {
		p.ask(problem)
	}
}

// events are a heap by time.
type events []event

func (e events) Len() int      { return len(e) }
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}

// Push implements [heap.Interface].
func (e *events) Push(x any) { *e = append(*e, x.(event)) }

// Pop implements [heap.Interface].
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}
