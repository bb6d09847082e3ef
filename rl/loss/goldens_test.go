package loss

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// readGolden reads a file of the shared goldens into v.
func readGolden(t *testing.T, name string, v any) {
	t.Helper()
	dir := os.Getenv("PARLEY_GOLDENS")
	if dir == "" {
		dir = "testdata"
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// A lossCase is one loss of losses.json and what it makes of its section's inputs.
type lossCase struct {
	Name         string   `json:"loss_name"`
	Reduction    string   `json:"reduction"`
	Formula      string   `json:"formula"`
	Loss         *float64 `json:"loss"`
	Gradient     []float64
	ClipFraction *float64 `json:"clip_fraction"`
}

// lossResult is what this package makes of them.
type lossResult struct {
	loss         float64
	gradient     []float64
	clipFraction float64
}

// lossSections says how the cases of each section of losses.json are computed, from the section's text.
var lossSections = map[string]func(section []byte) (func(lossCase) (lossResult, error), error){
	"policy": policyGoldens, "value": valueGoldens, "preference": preferenceGoldens,
}

// Every case of every section, whatever its numbers: what this package does not know is a failure.
func TestGoldensLosses(t *testing.T) {
	var sections map[string]json.RawMessage
	readGolden(t, "losses.json", &sections)
	for name, text := range sections {
		if name == "about" || name == "finite_difference_max_error" {
			continue
		}
		open, ok := lossSections[name]
		if !ok {
			t.Errorf("section %q is not known", name)
			continue
		}
		compute, err := open(text)
		if err != nil {
			t.Fatalf("section %s: %v", name, err)
		}
		var cases struct{ Cases []lossCase }
		if err := json.Unmarshal(text, &cases); err != nil {
			t.Fatalf("section %s: %v", name, err)
		}
		if len(cases.Cases) == 0 {
			t.Errorf("section %s has no cases", name)
		}
		for _, c := range cases.Cases {
			t.Run(name+"/"+c.Name+"/"+c.Reduction, func(t *testing.T) { compareLoss(t, c, compute) })
		}
	}
	for name := range lossSections {
		if sections[name] == nil {
			t.Errorf("section %s is missing", name)
		}
	}
}

func compareLoss(t *testing.T, c lossCase, compute func(lossCase) (lossResult, error)) {
	got, err := compute(c)
	if err != nil {
		t.Fatal(err)
	}
	if c.Loss == nil {
		t.Fatal("no loss is given")
	}
	if !closeTo(got.loss, *c.Loss) {
		t.Errorf("loss %v, want %v", got.loss, *c.Loss)
	}
	if c.ClipFraction != nil && !closeTo(got.clipFraction, *c.ClipFraction) {
		t.Errorf("clip fraction %v, want %v", got.clipFraction, *c.ClipFraction)
	}
	if len(got.gradient) != len(c.Gradient) {
		t.Fatalf("%d gradients, want %d", len(got.gradient), len(c.Gradient))
	}
	for i, want := range c.Gradient {
		if !closeTo(got.gradient[i], want) {
			t.Errorf("gradient[%d] %v, want %v", i, got.gradient[i], want)
		}
	}
}

// closeTo allows 1e-12 relative, and what rounding leaves of numbers that cancel.
func closeTo(got, want float64) bool { return math.Abs(got-want) <= 1e-12*math.Abs(want)+1e-15 }

// flags are 0 and 1, written as numbers.
type flags []bool

func (f *flags) UnmarshalJSON(text []byte) error {
	var numbers []float64
	if err := json.Unmarshal(text, &numbers); err != nil {
		return err
	}
	*f = make(flags, len(numbers))
	for i, x := range numbers {
		if x != 0 && x != 1 {
			return fmt.Errorf("mask entry %v is neither 0 nor 1", x)
		}
		(*f)[i] = x == 1
	}
	return nil
}
