package workflow

import (
	"parley/team/workflow/spec"
)

// Workflows as data: package spec says what each of them holds.
type (
	Spec       = spec.Spec
	Agent      = spec.Agent
	Step       = spec.Step
	Group      = spec.Group
	Answer     = spec.Answer
	AnswerKind = spec.AnswerKind
)

// How an answer is made: see [spec.AnswerKind].
const (
	Last      = spec.Last
	Vote      = spec.Vote
	Joint     = spec.Joint
	Computed  = spec.Computed
	EveryTurn = spec.EveryTurn
	Tagged    = spec.Tagged
)

// Faults is everything that is wrong with a workflow, one [Fault] after the other.
type (
	Fault  = spec.Fault
	Faults = spec.Faults
)
