package harness

import (
	"parley/rl/rollout/harness"
	"parley/train/lineup"
)

// A Backend is one on which teams may work in programs: it has the door by which these ask their agents.
type Backend struct{ lineup.Backend }

var _ lineup.Doored = Backend{}

// Door implements [lineup.Doored].
func (Backend) Door() harness.Door { return New() }
