package native

import (
	"testing"

	"parley/engine"
	"parley/engine/enginetest"
	"parley/engine/native/kernel"
	"parley/model/config"
	"parley/model/modeltest"
)

// tiny is the shape of models that tests make up.
var tiny = modeltest.Tiny()

// shapeOf is c as the engine has it.
func shapeOf(c config.Config) *shape { return &shape{c} }

func openTiny(t testing.TB, c config.Config, opt engine.Options) *Engine {
	t.Helper()
	e, err := Open(Random(c, 3), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestConformance(t *testing.T) {
	cases := map[string]engine.Options{"one thread": {Threads: 1}, "small passes": {BatchTokens: 3}}
	for _, set := range kernel.Available() {
		cases[set] = engine.Options{Kernels: set}
	}
	for name, opt := range cases {
		t.Run(name, func(t *testing.T) {
			enginetest.Conformance(t, func(t *testing.T) engine.Engine { return openTiny(t, tiny, opt) }, tiny.Vocab)
		})
	}
}
