package loss

import "fmt"

// TurnKind says which turns of a debate learn in one update (MAPoRL §6).
type TurnKind string

const (
	AllTurns         TurnKind = "all"         // every trained turn, in every update (the default)
	AlternatingTurns TurnKind = "alternating" // one turn at a time, as the authors' code does
)

// A TurnSchedule says which turns learn in which update. Turns count from 1, updates from 0.
type TurnSchedule struct {
	Kind  TurnKind `json:"kind"`
	Turns int      `json:"turns"` // of the debate
	First int      `json:"first"` // the first trained turn
	// Initial and Block belong to AlternatingTurns: turn 2 learns for Initial updates, then the turns T, T−1, …, 2, T, … take
	// turns for Block updates each. A debate of one turn always trains it.
	Initial int `json:"initial"`
	Block   int `json:"block"`
}

// Check reports whether s can be used.
func (s TurnSchedule) Check() error {
	switch {
	case s.Kind != AllTurns && s.Kind != AlternatingTurns:
		return fmt.Errorf("turn schedule %q is not known: use %q or %q", string(s.Kind), AllTurns, AlternatingTurns)
	case s.Turns < 1:
		return fmt.Errorf("turn schedule: a debate has at least 1 turn, not %d", s.Turns)
	case s.First < 1 || s.First > s.Turns:
		return fmt.Errorf("turn schedule: first trained turn %d: use 1 to %d", s.First, s.Turns)
	case s.Kind == AlternatingTurns && (s.Block < 1 || s.Initial < 0):
		return fmt.Errorf("turn schedule: blocks of %d updates after the first %d: use at least 1 and 0", s.Block, s.Initial)
	}
	return nil
}

// Trained returns the turns that learn in an update, ascending.
func (s TurnSchedule) Trained(update int) []int {
	if s.Kind == AlternatingTurns {
		return []int{s.alternating(update)}
	}
	var turns []int
	for t := s.First; t <= s.Turns; t++ {
		turns = append(turns, t)
	}
	return turns
}

func (s TurnSchedule) alternating(update int) int {
	switch {
	case s.Turns == 1:
		return 1
	case update < s.Initial:
		return 2
	}
	return s.Turns - (update-s.Initial)/s.Block%(s.Turns-1)
}

// A RateSchedule says how the learning rate of a policy changes. It rises linearly over the first Warmup optimizer steps of the policy, so that
// step 0 has Peak/Warmup and not 0, and the last of them exactly Peak. From the update of that step on it falls linearly over the updates, to
// Floor·Peak in the last one of the run.
type RateSchedule struct {
	Peak    float64 `json:"peak"`
	Warmup  int     `json:"warmup"`  // optimizer steps
	Updates int     `json:"updates"` // of the whole run
	Floor   float64 `json:"floor"`   // last rate as a fraction of Peak; 1: constant after the warm-up
}

// Rises says that a step, counted from 0, belongs to the warm-up, of which there is one step at least.
func (r RateSchedule) Rises(step int) bool { return step < max(r.Warmup, 1) }

// Rate returns the learning rate of a step in an update, both counted from 0; top is the update in which the warm-up ended. Updates past the
// end keep the last rate.
func (r RateSchedule) Rate(step, update, top int) float64 {
	if r.Rises(step) {
		return r.Peak * float64(step+1) / float64(max(r.Warmup, 1))
	}
	span := max(1, r.Updates-1-top)
	done := min(1, float64(update-top)/float64(span))
	return r.Peak * (1 - done + done*r.Floor)
}
