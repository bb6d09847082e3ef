package learn

import "parley/engine"

// An Outline is what is known of a run before anything of it is there. Algorithms say by it what a run would cost, at most: no dialogue
// ends early, everybody speaks in every turn, and all joint responses earn different rewards.
type Outline struct {
	Settings []any // of the families, each by its type
	Updates  int
	Problems int // of an update
	Sharing  Sharing
	Turns    int
	// Branching is how many nodes follow one in the tree of an episode, at least 1.
	Branching int
	// Episodes are the whole episodes of a problem, which share nothing; 0: one.
	Episodes int
	// Actions are the joint actions of a node.
	Actions int
	// EpochEnds is as in [Config].
	EpochEnds func(update int) bool
}

// Trained counts the policies of the run, with a critic beside each where wanted.
func (o Outline) Trained(critics bool) int { return len(o.Sharing.Trained(o.Turns, critics)) }

// A Unit stands for a sample of a policy in a buffer.
type Unit struct {
	Policy engine.Policy
	Turn   int
	Agent  int
	Leads  bool // it is the first trained one of its turn
}

// Units are those of the trained agents in a turn.
func (o Outline) Units(turn int) []Unit {
	var out []Unit
	for agent := range o.Sharing.Bases {
		if p := o.Sharing.Policy(turn, agent); p != engine.Base {
			out = append(out, Unit{p, turn, agent, len(out) == 0})
		}
	}
	return out
}

// BufferSteps counts the optimizer steps of buffers into which every problem puts some units, in their order (MAGRPO §2.4); steps
// counts those of one minibatch. Buffers are drained at the end of every update, or, where they last across updates, of every epoch.
func (o Outline) BufferSteps(g Group, across bool, problem []Unit, steps func([]Unit) int) int {
	total := 0
	b := Buffers[Unit]{Size: g.Buffer, Drain: func(full []PolicySamples[Unit]) error {
		for _, f := range full {
			for _, batch := range StepBatches(g, f.Samples, func(u Unit) int { return u.Turn }, nil) {
				total += steps(batch)
			}
		}
		return nil
	}}
	for update := range o.Updates {
		for range o.Problems {
			for _, u := range problem {
				_ = b.Add(PolicyRef{Policy: u.Policy}, u) // counting does not fail
			}
		}
		if across && !o.EpochEnds(update) {
			continue
		}
		if _ = b.Flush(); !across {
			return total * o.Updates // the others are like the first
		}
	}
	return total
}

// AnswerTokens are the lengths of an answer and of what stands before it, in tokens.
type AnswerTokens struct {
	Question float64 // the first prompt
	Prompt   float64 // of the turn
	Answer   float64
	Agents   int // of the team
	// Penalized says that agents have KL penalties of their own.
	Penalized bool
}

// Passes are the tokens that go through a base because of an answer, beside those of sampling it.
type Passes struct {
	Scored  float64 // forward
	Trained float64 // forward and back
}
