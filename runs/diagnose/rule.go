// Package diagnose watches a training for the ways in which it goes wrong unnoticed: those of any algorithm ([Watch.Observe]), and those of
// group-relative training and its relatives (MAGRPO §13; [Watch.See]).
//
// A [Watch] sees the episodes of every update, keeps what the rules need of the latest joint actions, and says
// which rules fire, with places in the run's episodes that show it. It is a function of the episodes alone, and its
// [State] goes through JSON unchanged, so that a resumed training finds what an unbroken one does.
//
// The rules themselves are functions of numbers; each returns a [Finding]:
//
//	rule.go         how a value is held against a threshold; the kinds of findings and their remedies
//	cooperation.go  agents that contribute nothing; programs that fail by the other's mistakes
//	groups.go       groups of equal rewards, and of differences that mean nothing
//	turns.go        turns and feedback that make it worse
//	health.go       what any training may suffer from: failures, flags, no signal, no movement; a reward that rises without its audit; data without anything to cooperate on
//	harness.go      programs that do not ask an agent, rewrite its chats, use up their calls, or do not mind what agents say
//	roles.go        agents who have most or next to nothing of a shared policy's gradient; gradients that jump
//
// Rewards are looked at as shares of the reward's range, so thresholds do not depend on scale and shift.
package diagnose

import "cmp"

// A Kind names a way in which multi-agent training goes wrong unnoticed (MAGRPO §13).
type Kind string

// The kinds of findings, and what each is about.
const (
	TrivialCooperation     Kind = "trivial_cooperation"      // an agent contributes nothing, or nothing that matters
	FeedbackInstability    Kind = "feedback_instability"     // later turns, or switching feedback on, make it worse
	RewardHacking          Kind = "reward_hacking"           // the training reward rises, the audit does not
	NoCooperativeStructure Kind = "no_cooperative_structure" // one agent alone does as well on nearly every item
	CascadingErrors        Kind = "cascading_errors"         // good work of one agent fails by the other's mistakes
	DeadGroups             Kind = "dead_groups"              // equal rewards inside groups: nothing to learn from
	WhiteningNoise         Kind = "whitening_noise"          // normalisation blows tiny differences up
)

// Remedy returns what a user may try against a kind of finding.
func (k Kind) Remedy() string {
	switch k {
	case TrivialCooperation:
		return "use the robust reward, a gate per role, or cross mode"
	case FeedbackInstability:
		return "warm up with single turns, then few lines of feedback, then full feedback"
	case RewardHacking:
		return "train on the robust reward and look at the flagged samples"
	case NoCooperativeStructure:
		return "drop items that one agent solves alone, or change the data set"
	case CascadingErrors:
		return "ask for fallback logic, or score the parts separately"
	case DeadGroups:
		return "draw more samples, raise the temperature, or filter the items"
	case WhiteningNoise:
		return "switch normalisation off"
	}
	return cmp.Or(roleRemedies[k], healthRemedies[k], playedRemedies[k])
}

// A Finding is a diagnosis: it fires when it has reasons.
type Finding struct {
	Kind     Kind
	Reasons  []string // which of the kind's rules fired
	Remedy   string   // what to try here; empty: what helps against its kind
	Evidence []int    // indices of joint actions, items or groups that show it
	Checks   []Check  // every rule of the kind for which there was data
}

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
