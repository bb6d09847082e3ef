package modelcmd

import (
	"bytes"
	"math"
	"testing"

	"parley/cmd/parley/internal/cli"
	"parley/engine"
	"parley/engine/native"
	"parley/model"
	"parley/model/modeltest"
)

// `model generate` draws no id that the tokenizer has no text for; `model score` counts every one in.
func TestPaddedVocabulary(t *testing.T) {
	m, err := model.OpenIncomplete(modeltest.Padded(t, 300, 290))
	if err != nil {
		t.Fatal(err)
	}
	e, err := native.Open(m.Source, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := &Loaded{Model: m, Engine: e}
	defer b.Close()
	a := &cli.App{Ctx: t.Context(), Stdout: &bytes.Buffer{}}
	answers, err := b.generate(a, []generating{{IDs: []int{1, 9}, MaxTokens: 40, Temperature: 9, N: 5, IgnoreEOS: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range answers[0].Samples {
		for _, id := range s.IDs {
			if id == 290 || id >= 300 {
				t.Errorf("id %d was drawn, which has no text", id)
			}
		}
	}
	total, lines := 0.0, []idsLine{}
	for id := range 624 {
		lines = append(lines, idsLine{IDs: []int{1, 9, id}})
	}
	scores, err := b.score(a, lines)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scores {
		total += math.Exp(float64(*s.Logprobs[2]))
	}
	if math.Abs(total-1) > 1e-4 {
		t.Errorf("the probabilities of all ids sum to %v", total)
	}
}
