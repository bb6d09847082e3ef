package modelcmd

import (
	"strings"
	"testing"

	"parley/engine"
	"parley/model"
)

// A model that is larger than what is free is refused before it is loaded, with what to do.
func TestModelThatDoesNotFit(t *testing.T) {
	m, err := model.Open(model.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	f := &EngineInput{ModelInput: ModelInput{Model: model.Shipped}}
	for _, c := range []struct {
		left   float64
		format engine.Format
		want   string // empty: it fits
	}{{1 << 30, engine.F32, ""}, {1 << 20, engine.F32, "in f32, and 1 MiB are free: hold it in less with --dtype"}, {1 << 18, engine.NF4, "choose a smaller one"}} {
		err := f.fits(m, engine.Options{Format: c.format, Available: func() float64 { return c.left }})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("with %.0f bytes in %s: %v, want %q", c.left, c.format, err, c.want)
		}
	}
}
