package eval

// A Sense says on which side of its threshold a value makes a rule fire.
type Sense string

// The senses; all are exact up to rounding.
const (
	AtMost  Sense = "<="
	Below   Sense = "<"
	AtLeast Sense = ">="
	Above   Sense = ">"
)

// slack absorbs rounding where a share or a mean lies exactly on a threshold, as in 20 of 100.
const slack = 1e-9

// holds reports whether v lies on that side of a threshold.
func (s Sense) holds(v, threshold float64) bool {
	switch s {
	case AtMost:
		return v <= threshold+slack
	case Below:
		return v < threshold-slack
	case AtLeast:
		return v >= threshold-slack
	}
	return v > threshold+slack
}

// A Check is one rule of a kind, applied to data.
type Check struct {
	Rule      string  // such as agent0:unusable or turn2:drop
	Agent     int     // from 1; 0: the rule is about no single agent
	Value     float64 // what the rule looks at
	Sense     Sense
	Threshold float64
	Fired     bool
	Moot      bool  // a further condition of the rule does not hold, so that the value says nothing
	Evidence  []int // indices that show it
}

// check applies a rule; its evidence is kept when it fires.
func (f *Finding) check(c Check, evidence []int) { f.checkIf(true, c, evidence) }

// checkIf applies a rule that may fire only under a further condition.
func (f *Finding) checkIf(condition bool, c Check, evidence []int) {
	c.Moot = !condition
	if c.Fired = condition && c.Sense.holds(c.Value, c.Threshold); c.Fired {
		c.Evidence = evidence
		f.Reasons = append(f.Reasons, c.Rule)
		f.Evidence = append(f.Evidence, evidence...)
	}
	f.Checks = append(f.Checks, c)
}
