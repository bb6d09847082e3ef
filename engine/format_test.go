package engine_test

import (
	"testing"

	"parley/engine"
)

func TestParseFormat(t *testing.T) {
	for _, f := range []engine.Format{engine.F32, engine.BF16, engine.Int8, engine.NF4} {
		if got, err := engine.ParseFormat(f.String()); got != f || err != nil {
			t.Errorf("ParseFormat(%q) is %v, %v", f, got, err)
		}
	}
	if _, err := engine.ParseFormat("f16"); err == nil {
		t.Error("f16 is accepted")
	}
}
