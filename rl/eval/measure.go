package eval

import "fmt"

// A Measure says what a number is: what it is called, in which unit, between which bounds, and which way is better. Every number of a report
// belongs to one. Numbers of two measures are never subtracted: see [Scores].
type Measure struct {
	Name   string  `json:"name"`   // accuracy, reward, return, share of the range, success
	Unit   string  `json:"unit"`   // of what the number is a count, a share or a sum
	Low    float64 `json:"low"`    // the least that it can be
	High   float64 `json:"high"`   // the most
	Better string  `json:"better"` // higher or lower

	// Of a share of the range: what has the range, reward or return, and its bounds, of which the share is 0 and 1.
	Of     string  `json:"of,omitempty"`
	OfLow  float64 `json:"of_low,omitempty"`
	OfHigh float64 `json:"of_high,omitempty"`
}

// Range is the name of the share that a reward is of its range.
const Range = "share of the range"

// Accuracy is the measure of answers that are right or wrong.
func Accuracy() Measure {
	return Measure{Name: "accuracy", Unit: "share of problems", High: 1, Better: "higher"}
}

// Success is the measure of episodes that reach their goal or do not.
func Success() Measure {
	return Measure{Name: "success", Unit: "share of episodes", High: 1, Better: "higher"}
}

// Solved is the measure of samples by the share that they solve of a problem, without what is paid for working together.
func Solved() Measure {
	return Measure{Name: "solved", Unit: "share of a problem", High: 1, Better: "higher"}
}

// Earned is the measure of what a team earned, with this name, between low and high. From 0 to 1 it is the number itself. Else it is a share of
// the range, so that scores of all tasks lie between 0 and 1.
func Earned(name string, low, high float64) Measure {
	if low == 0 && high == 1 {
		return Measure{Name: name, Unit: name + " of a problem", High: 1, Better: "higher"}
	}
	return Measure{Name: Range, Unit: "share", High: 1, Better: "higher", Of: name, OfLow: low, OfHigh: high}
}

// Score is the number of this measure that an earned one is.
func (m Measure) Score(earned float64) float64 {
	if m.Of == "" {
		return earned
	}
	return (earned - m.OfLow) / (m.OfHigh - m.OfLow)
}

// Raw is what was earned, in its own unit: the other way round. ok is false where the number is in its own unit.
func (m Measure) Raw(score float64) (earned float64, ok bool) {
	return m.OfLow + score*(m.OfHigh-m.OfLow), m.Of != ""
}

// String is the measure in words: two that differ have different ones.
func (m Measure) String() string {
	if m.Of == "" {
		return m.Name
	}
	return fmt.Sprintf("%s (%s from %g to %g)", m.Name, m.Of, m.OfLow, m.OfHigh)
}

// Scores are numbers of one measure, one a problem. [Compare] and Less subtract them, and refuse those of two measures.
type Scores struct {
	Measure Measure
	Values  []float64
}

// Mean is their mean; 0 of nothing.
func (s Scores) Mean() float64 { return Mean(s.Values) }

// Less is the mean of s less that of other scores. It refuses scores of two measures.
func (s Scores) Less(other Scores) (float64, error) {
	return s.Mean() - other.Mean(), same(s.Measure, other.Measure)
}

// A MeasuresError says that numbers of two measures were to be subtracted.
type MeasuresError struct{ First, Second Measure }

// Error implements error.
func (e *MeasuresError) Error() string {
	return fmt.Sprintf("%s is not subtracted from %s: they are two measures", e.Second, e.First)
}

// same refuses two measures.
func same(a, b Measure) error {
	if a != b {
		return &MeasuresError{a, b}
	}
	return nil
}
