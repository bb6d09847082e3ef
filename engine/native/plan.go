package native

import (
	"parley/engine"
	"parley/model/config"
)

// A Plan is an engine that is not open: the shape of its model, and its options. It says beforehand what the engine takes.
type Plan struct {
	shape   shape
	options settings
}

// NewPlan plans an engine over a model of shape c.
func NewPlan(c config.Config, o engine.Options) *Plan { return &Plan{shape{c}, settings{o}} }

// settings are the options of an engine, with what follows where they say nothing.
type settings struct{ engine.Options }
