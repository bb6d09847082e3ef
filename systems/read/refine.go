package read

// This file asks a planner for an action again and again until its score passes a threshold (ReAd, arXiv 2405.14314, Algorithms 2 and 3). The
// planner is frozen; the scores come from a critic, see prefix.go.
//
//	loop := Loop{Tries: 10, Threshold: NewThreshold(PerRobot, 0)}
//	decisions, ok := loop.Step(robots, propose)   // of one step of the environment; propose asks and scores
//
// Robots plan one after the other, and each sees what the earlier ones of the step are going to do and no later action (ReAd-S). A joint plan is that
// of one robot (ReAd-J). An action is executed iff its score is above the threshold, strictly. After the last refusal the best-scored one is, the
// first among equals.
//
// The paper has one threshold ε for the run: it doubles at every step, halves before every comparison and is never set back. So with several robots
// it shrinks without any refusal, which looks unintended. The default here is per_robot: comparison m = 0, 1, … of each robot in each step uses
// ε·2^(−m).

import (
	"slices"

	"parley/internal/tie"
)

// A Schedule says how the threshold falls.
type Schedule string

// The schedules.
const (
	PerRobot Schedule = "per_robot"
	Paper    Schedule = "paper"
)

// A Threshold is what scores are compared with.
type Threshold struct {
	schedule Schedule
	start    float64
	next     float64 // of the next comparison
}

// NewThreshold begins a run.
func NewThreshold(schedule Schedule, start float64) Threshold {
	return Threshold{schedule: schedule, start: start, next: start / 2} // the first step doubles it
}

// step begins a step of the environment.
func (t *Threshold) step() { t.next *= 2 }

// robot begins the turn of a robot.
func (t *Threshold) robot() {
	if t.schedule != Paper {
		t.next = t.start
	}
}

// compare returns the threshold of a comparison.
func (t *Threshold) compare() float64 {
	now := t.next
	t.next /= 2
	return now
}

// A Try is one proposal of a planner with its score.
type Try struct {
	Action string
	Score  float64 // −Inf: an action that cannot be
}

// An Ask is what a planner knows when it is asked.
type Ask struct {
	Robot    int
	Before   []string // what the earlier robots of the step do
	Refused  []Try    // earlier proposals of this robot in this step
	Previous float64  // the threshold that the last of them did not pass
}

// A Decision is what one robot does in a step.
type Decision struct {
	Executed   string
	Accepted   bool
	Tries      []Try
	Thresholds []float64 // that each try was compared with
}

// Refused are the tries that did not pass.
func (d Decision) Refused() []Try {
	if d.Accepted {
		return d.Tries[:len(d.Tries)-1]
	}
	return d.Tries
}

// A Loop asks a planner through a run.
type Loop struct {
	Tries     int // the most of one robot in one step, at least 1
	Threshold Threshold
}

// Step decides one step of the environment. propose asks the planner and scores what it says; ok is false where the answer is not there yet, and then
// the loop is as it was before.
func (l *Loop) Step(robots int, propose func(Ask) (t Try, ok bool)) (decisions []Decision, ok bool) {
	threshold := l.Threshold
	threshold.step()
	var before []string
	for robot := range robots {
		threshold.robot()
		d, ok := l.decide(&threshold, Ask{Robot: robot, Before: slices.Clone(before)}, propose)
		if !ok {
			return nil, false
		}
		decisions, before = append(decisions, d), append(before, d.Executed)
	}
	l.Threshold = threshold
	return decisions, true
}

// width is that of the range of scores, where differences by rounding count as none.
const width = 1

// decide asks for the action of one robot.
func (l *Loop) decide(t *Threshold, a Ask, propose func(Ask) (Try, bool)) (Decision, bool) {
	var d Decision
	var scores []float64
	for range l.Tries {
		a.Refused = d.Tries
		try, ok := propose(a)
		if !ok {
			return Decision{}, false
		}
		bound := t.compare()
		d.Tries, d.Thresholds, scores = append(d.Tries, try), append(d.Thresholds, bound), append(scores, try.Score)
		if try.Score > bound && !tie.Equal(try.Score, bound, 0) {
			d.Executed, d.Accepted = try.Action, true
			return d, true
		}
		a.Previous = bound
	}
	d.Executed = d.Tries[tie.Best(scores, width)].Action
	return d, true
}
