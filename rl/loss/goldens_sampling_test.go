package loss

import (
	"fmt"
	"math"
	"testing"

	"parley/engine"
	"parley/engine/enginetest"
)

type samplingGoldens struct {
	Logits   []float64
	Previous []int `json:"previous_tokens"`
	Cases    []samplingCase
}

type samplingCase struct {
	Temperature       *float64
	TopK              int       `json:"top_k"`
	TopP              float64   `json:"top_p"`
	MinP              float64   `json:"min_p"`
	RepetitionPenalty float64   `json:"repetition_penalty"`
	Kept              []int     `json:"kept"`
	Probabilities     []float64 `json:"probabilities"`
}

func (c samplingCase) filters() enginetest.Filters {
	return enginetest.Filters{
		Sampling: engine.Sampling{Temperature: *c.Temperature, TopK: c.TopK, TopP: c.TopP},
		MinP:     c.MinP, RepetitionPenalty: c.RepetitionPenalty,
	}
}

// The same tokens are left, with the same probabilities.
func TestGoldensSampling(t *testing.T) {
	var g samplingGoldens
	readGolden(t, "sampling.json", &g)
	if len(g.Cases) == 0 {
		t.Fatal("no cases")
	}
	for i, c := range g.Cases {
		if c.Temperature == nil || len(c.Probabilities) != len(g.Logits) || len(c.Kept) == 0 {
			t.Errorf("case %d is not complete", i)
			continue
		}
		t.Run(fmt.Sprintf("%d/%+v", i, c.filters()), func(t *testing.T) { compareDistribution(t, g, c) })
	}
}

func compareDistribution(t *testing.T, g samplingGoldens, c samplingCase) {
	kept := map[int]bool{}
	for _, i := range c.Kept {
		kept[i] = true
	}
	for i, lp := range enginetest.FilteredLogprobs(g.Logits, g.Previous, c.filters()) {
		if math.IsInf(lp, -1) == kept[i] {
			t.Errorf("token %d: log-probability %v, kept %v", i, lp, kept[i])
		}
		if p := math.Exp(lp); !closeTo(p, c.Probabilities[i]) {
			t.Errorf("token %d: probability %v, want %v", i, p, c.Probabilities[i])
		}
	}
}
