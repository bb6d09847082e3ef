package native

import (
	"testing"

	"parley/engine"
	"parley/engine/enginetest"
	"parley/engine/native/kernel"
)

// tiny is the shape of models that tests make up: 29 tokens, grouped queries, tied embeddings.
var tiny = Config{ModelType: "llama", Vocab: 29, Hidden: 16, Intermediate: 24, Layers: 2, Heads: 4, KVHeads: 2, HeadDim: 4,
	Context: 64, NormEps: 1e-5, Rope: Rope{Theta: 10000}, Tied: true}

func openTiny(t testing.TB, c Config, opt Options) *Engine {
	t.Helper()
	e, err := Open(Random(c, 3), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func TestConformance(t *testing.T) {
	cases := map[string]Options{"one thread": {Threads: 1}, "small passes": {BatchTokens: 3}}
	for _, set := range kernel.Available() {
		cases[set] = Options{CPU: set}
	}
	for name, opt := range cases {
		t.Run(name, func(t *testing.T) {
			enginetest.Conformance(t, func(t *testing.T) engine.Engine { return openTiny(t, tiny, opt) }, tiny.Vocab)
		})
	}
}
