package measure

import (
	"fmt"
	"slices"

	"parley/rl/rollout"
	"parley/train/failures"
)

// A Missing is a held-out problem that could not be scored. A measurement is of the others.
type Missing struct {
	Number  int    `json:"number"` // among the held-out problems, from 0
	Problem string `json:"problem"`
	Why     string `json:"why"`
}

// leaveOut returns the episodes that could be scored, and keeps what failed of the others. The first episode is that of so many problems before
// it.
func (m *Measurement) leaveOut(episodes []*rollout.Episode, before int) []*rollout.Episode {
	for _, e := range episodes {
		if why := e.Failed(); why != "" {
			m.Missing = append(m.Missing, Missing{Number: before + e.Index, Problem: e.Problem.ID, Why: why})
		}
	}
	return slices.DeleteFunc(slices.Clone(episodes), func(e *rollout.Episode) bool { return e.Failed() != "" })
}

// An UnscoredError says that too many problems of a measurement could not be scored.
type UnscoredError struct{ text string }

func (e *UnscoredError) Error() string { return e.text }

// enough is an [*UnscoredError] where none of n problems could be scored, or more than a share of them could not: what is left says little of the whole.
func (m *Measurement) enough(n int, most float64) error {
	failed := len(m.Missing)
	if failed == 0 {
		return nil
	}
	first := m.Missing[0]
	switch {
	case failed == n:
		return unscored("measure %s: none of %d held-out problems could be scored; the first, %s: %s", m.System, n, first.Problem, first.Why)
	case float64(failed) > most*float64(n)*(1+1e-9):
		return unscored("measure %s: %d of %d held-out problems could not be scored, more than the share that training.failed_share allows, %g; the first, %s: %s",
			m.System, failed, n, most, first.Problem, first.Why)
	}
	return nil
}

func unscored(format string, args ...any) error { return &UnscoredError{fmt.Sprintf(format, args...)} }

// Problems is how many problems a measurement had, those that could not be scored too.
func (m *Measurement) Problems() int { return len(m.Tokens) + len(m.Missing) }

// Notes say what could not be scored, one note a reason.
func (m *Measurement) Notes() []string {
	var out []string
	for _, reason := range failures.ByReason(m.Missing, func(x Missing) (name, why string) { return x.Problem, x.Why }) {
		out = append(out, fmt.Sprintf("the score of %s leaves out %s, which could not be scored: %s", m.System, reason.Names, reason.Why))
	}
	if m.Unplayed != "" {
		out = append(out, fmt.Sprintf("how %s plays is not known: %s", m.System, m.Unplayed))
	}
	return out
}

// Reasons say why problems could not be scored, by problem; nil: all were.
func (m *Measurement) Reasons() map[string]string {
	var out map[string]string
	for _, x := range m.Missing {
		if out == nil {
			out = map[string]string{}
		}
		out[x.Problem] = failures.Reason(x.Why)
	}
	return out
}

// numbers are those of the problems that were scored, in the order of the measurement's lists.
func (m *Measurement) numbers() []int {
	var out []int
	missing := m.Missing
	for i := range m.Problems() {
		if len(missing) > 0 && missing[0].Number == i {
			missing = missing[1:]
			continue
		}
		out = append(out, i)
	}
	return out
}

// Common says which problems two measurements both scored, by their numbers, and where these stand in the lists of each.
func Common(a, b *Measurement) (numbers, inA, inB []int) {
	theirs := b.numbers()
	for i, n := range a.numbers() {
		if k, both := slices.BinarySearch(theirs, n); both {
			numbers, inA, inB = append(numbers, n), append(inA, i), append(inB, k)
		}
	}
	return numbers, inA, inB
}

// At are some values of a list, by their places.
func At[T any](list []T, places []int) []T {
	out := make([]T, len(places))
	for i, p := range places {
		out[i] = list[p]
	}
	return out
}
