package measure

import (
	"errors"
	"fmt"

	"parley/rl/eval"
)

// Check says what is wrong with a measurement that was read from a file, so that whoever uses it can rely on its form; nil: nothing. There
// is one result a problem in every list, and every debate has the turns that were scored.
func (m *Measurement) Check() error {
	n := len(m.Tokens)
	if n == 0 || len(m.Scores) == 0 {
		return errors.New("it has no problems or no turns")
	}
	for t, scores := range m.Scores {
		if err := wantShares(fmt.Sprintf("scores of turn %d", t+1), scores, n); err != nil {
			return err
		}
	}
	for t, right := range m.Accuracy {
		if err := wantShares(fmt.Sprintf("accuracy of turn %d", t+1), right, n); err != nil {
			return err
		}
	}
	for name, length := range map[string]int{"latency": len(m.Latency), "solved": len(m.Solved), "shares": len(m.Shares), "debates": len(m.Debates)} {
		if length != 0 && length != n {
			return fmt.Errorf("%s: %d for %d problems", name, length, n)
		}
	}
	for i, x := range m.Missing {
		if x.Number < 0 || x.Number >= m.Problems() || i > 0 && x.Number <= m.Missing[i-1].Number {
			return fmt.Errorf("problem %d of %d is missing, out of order", x.Number, m.Problems())
		}
	}
	if err := wantShares("solved", m.Solved, len(m.Solved)); err != nil {
		return err
	}
	for i, shares := range m.Shares {
		if err := wantShares(fmt.Sprintf("shares of problem %d", i+1), shares, len(m.Shares[0])); err != nil {
			return err
		}
	}
	for i, d := range m.Debates {
		if err := wantTurns(d, len(m.Scores)); err != nil {
			return fmt.Errorf("debate %d: %w", i+1, err)
		}
	}
	return nil
}

// wantShares checks numbers that lie in [0, 1]; those of a part of the tasks leave it by rounding.
func wantShares(what string, list []float64, n int) error {
	if len(list) != n {
		return fmt.Errorf("%s: %d, expected %d", what, len(list), n)
	}
	const rounding = 1e-6
	for _, x := range list {
		if !(x >= -rounding && x <= 1+rounding) {
			return fmt.Errorf("%s: %v is no share", what, x)
		}
	}
	return nil
}

// wantTurns checks that a debate has so many turns, and something about each of their answers in all its arrays.
func wantTurns(d eval.Debate, turns int) error {
	if len(d.Answers) != turns {
		return fmt.Errorf("%d turns, expected %d", len(d.Answers), turns)
	}
	for t, answers := range d.Answers {
		n := len(answers)
		if n == 0 || d.Speakers == nil && n != len(d.Answers[0]) {
			return fmt.Errorf("turn %d has %d answers", t+1, n)
		}
		if !like(d.Flagged, t, n, turns) || !like(d.Extracted, t, n, turns) || !like(d.Speakers, t, n, turns) {
			return fmt.Errorf("turn %d: not one value an answer", t+1)
		}
	}
	return nil
}

// like reports whether an array [turn][answer] has n values in turn t, or is not there.
func like[T any](list [][]T, t, n, turns int) bool {
	return list == nil || len(list) == turns && len(list[t]) == n
}
