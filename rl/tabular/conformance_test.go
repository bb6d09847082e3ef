package tabular_test

import (
	"testing"

	"parley/engine"
	"parley/engine/enginetest"
	"parley/rl/tabular"
)

// TestConformance runs the suite of all engines.
func TestConformance(t *testing.T) {
	const actions = 60
	enginetest.Conformance(t, func(*testing.T) engine.Engine { return tabular.NewTabular(actions) }, actions)
}
