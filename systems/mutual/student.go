// Package mutual lets a teacher that is a language model and a student that is a table learn from each other in one run: a bidirectional
// teacher–student, after Gu (arXiv 2401.06603). The equations are parley's, see package [parley/rl/credit].
//
//	run := mutual.New(world, teacher, settings)
//	for i, p := range problems { err := run.Episode(ctx, p, i) }
//
// At every decision the teacher is shown what it observes of the world and says one word, u ~ π_T(·|desc(s)). The student is shown its own
// observation, and with some probability does what it was told; else it chooses by itself, ε-greedily. It learns after every step:
//
//	Q(s,a) ← Q(s,a) + step·(r + γ·max Q(s',·) − Q(s,a))
//
// The teacher learns on a clock of its own, every so many steps of the student, by ∇ log π_T(u|desc(s))·A_u with
// A_u = r + γ·max_a Q(s',a) − mean_a Q(s,a), of the values before the student's own update, from instructions that were shown and followed.
//
// [TwoWay] is that. In [OneWay] the teacher stays as it is; in [None] it says nothing. Both are the same run with one word changed.
//
//	student.go  the table
//	teacher.go  a policy of an engine
//	run.go      an episode, the two clocks, the state that a run goes on from, and what recipes may say
package mutual

import (
	"math/rand/v2"
	"slices"
)

// A Student is a table of the values of its actions in every state that it has seen. It is no language model.
type Student struct {
	Q       map[string][]float64 `json:"q"`
	actions int
}

// NewStudent knows nothing.
func NewStudent(actions int) *Student { return &Student{Q: map[string][]float64{}, actions: actions} }

// values are those of the actions in a state: 0 where it is new.
func (s *Student) values(state string) []float64 {
	q, known := s.Q[state]
	if !known {
		q = make([]float64, s.actions)
		s.Q[state] = q
	}
	return q
}

// choose is an action from 0: any with probability explore, else one of the best.
func (s *Student) choose(state string, explore float64, random *rand.Rand) int {
	q := s.values(state)
	if random.Float64() < explore {
		return random.IntN(len(q))
	}
	most := slices.Max(q)
	var best []int
	for a, x := range q {
		if x == most {
			best = append(best, a)
		}
	}
	return best[random.IntN(len(best))]
}

// learn moves the value of an action towards a target.
func (s *Student) learn(state string, action int, step, target float64) {
	q := s.values(state)
	q[action] += step * (target - q[action])
}
