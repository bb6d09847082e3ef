package credit

// This file credits a teacher for what it told a student to do, by the student's own estimates, on a clock of its own ("bidirectional
// teacher–student", after Gu, arXiv 2401.06603; the equations are parley's).
//
// The teacher says u at a state s, the student does a. With the student's values V and action values Q:
//
//	δ   = r + γ·V(s') − V(s)                       the student's temporal difference          [Difference]
//	A_u = r + γ·max_a Q(s',a) − mean_a Q(s,a)      the worth of the instruction                [Advantage]
//
// without the values of s' where the episode is over. The teacher learns by ∇ log π_T(u|s)·A_u, every so many steps of the student, from the
// instructions that were shown, and with partial compliance from those that were followed; the gradient is the mean over these ([Clock]).
//
// A teacher may instead shape the student's rewards by a potential Φ(s,u), u' being the instruction in force at s':
//
//	r' = r + λ·(γ·Φ(s',u') − Φ(s,u)),   Φ(end) = 0        [Shape]
//
// which leaves the optimal policy as it is. For that γ and the 0 at the end are needed: the return of a whole episode changes by −λ·Φ(s₀) alone.

import (
	"fmt"
	"slices"
)

// TemporalDifference is the student's temporal difference of a step.
func TemporalDifference(reward, gamma, value, next float64, done bool) float64 {
	if done {
		next = 0
	}
	return TDTarget([]float64{reward}, next, gamma) - value
}

// InstructionAdvantage is the worth of the instruction of a step; q and next are the student's values of its actions before and after it.
func InstructionAdvantage(reward, gamma float64, q, next []float64, done bool) (float64, error) {
	if len(q) == 0 || !done && len(next) == 0 {
		return 0, fmt.Errorf("advantage of an instruction: values of %d actions before the step, %d after it", len(q), len(next))
	}
	best, mean := 0.0, 0.0
	if !done {
		best = slices.Max(next)
	}
	for _, x := range q {
		mean += x / float64(len(q))
	}
	return TemporalDifference(reward, gamma, mean, best, done), nil
}

// ShapeRewards returns the shaped rewards of an episode; potentials are those of its states, one more than rewards. terminal says that the episode ended
// and was not cut off: the last state then has no potential.
func ShapeRewards(rewards, potentials []float64, gamma, lambda float64, terminal bool) ([]float64, error) {
	if len(potentials) != len(rewards)+1 {
		return nil, fmt.Errorf("shaping: %d potentials for %d rewards: one more is needed", len(potentials), len(rewards))
	}
	out := make([]float64, len(rewards))
	for t, r := range rewards {
		next := potentials[t+1]
		if terminal && t == len(rewards)-1 {
			next = 0
		}
		out[t] = r + lambda*(gamma*next-potentials[t])
	}
	return out, nil
}

// A StudentStep is one decision of the student under an instruction.
type StudentStep struct {
	Shown, Followed bool
	Advantage       float64
}

// A TeacherClock says when the teacher learns.
type TeacherClock struct {
	Every        int  // steps of the student
	OnlyFollowed bool // from instructions that the student followed
}

// A TeacherUpdate of the teacher.
type TeacherUpdate struct {
	After   int       // steps of the student since the beginning
	Used    []int     // steps, from 0
	Weights []float64 // of each used step in the gradient: its advantage over their number
}

// Updates returns the updates of the teacher in a run of so many steps. Steps after the last full turn of the clock wait.
func (c TeacherClock) Updates(steps []StudentStep) ([]TeacherUpdate, error) {
	if c.Every < 1 {
		return nil, fmt.Errorf("clock of the teacher: every %d steps, at least 1 is needed", c.Every)
	}
	var out []TeacherUpdate
	for end := c.Every; end <= len(steps); end += c.Every {
		u := TeacherUpdate{After: end}
		for i := end - c.Every; i < end; i++ {
			if steps[i].Shown && (steps[i].Followed || !c.OnlyFollowed) {
				u.Used = append(u.Used, i)
			}
		}
		for _, i := range u.Used {
			u.Weights = append(u.Weights, steps[i].Advantage/float64(len(u.Used)))
		}
		out = append(out, u)
	}
	return out, nil
}
