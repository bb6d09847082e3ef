package bank

// A Turn is one agent's turn in one round.
type Turn struct{ Round, Agent int }

// A Relay has agents write programs one after the other, from the largest to the smallest, round by round. The first that passes all of its own tests
// is submitted at once, right or not; smaller agents are not asked any more. On a failure its author writes a lesson.
type Relay struct {
	Agents, Rounds int
	Tests          int // that every program has to pass
}

// A Standing is how far a relay has come.
type Standing struct {
	Over, Early bool // early: a program passed all tests
	Next        Turn // who is asked, where it goes on
	Lessons     []Turn
	Submitted   Turn // once it is over: of programs that passed equally many tests the first
}

// Standing returns how far a relay has come, after programs that passed so many tests, in the order of their calls.
func (r Relay) Standing(passed []int) Standing {
	var s Standing
	most := -1
	for i, n := range passed {
		turn := r.turn(i)
		if n > most {
			most, s.Submitted = n, turn
		}
		if n >= r.Tests {
			s.Over, s.Early = true, true
			return s
		}
		s.Lessons = append(s.Lessons, turn)
	}
	s.Next, s.Over = r.turn(len(passed)), len(passed) >= r.Agents*r.Rounds
	return s
}

func (r Relay) turn(call int) Turn { return Turn{call / r.Agents, call % r.Agents} }
