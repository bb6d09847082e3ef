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
