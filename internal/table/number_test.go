package table_test

import (
	"encoding/json"
	"os"
	"testing"

	"parley/internal/table"
)

// TestNumbers: what rounds to 0 has no sign, and an interval leaves 0 only where both of its ends are shown on one side. The page has the same vectors.
func TestNumbers(t *testing.T) {
	data, err := os.ReadFile("testdata/numbers.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Numbers []struct {
			X              float64
			Number, Signed string
		}
		Intervals []struct {
			CI95             [2]float64
			Interval, Signed string
			LeavesZero       bool `json:"leaves_0"`
		}
	}
	if err := json.Unmarshal(data, &vectors); err != nil || len(vectors.Numbers) == 0 || len(vectors.Intervals) == 0 {
		t.Fatalf("%v, %+v", err, vectors)
	}
	for _, v := range vectors.Numbers {
		if number, signed := table.Number(v.X), table.Signed(v.X); number != v.Number || signed != v.Signed {
			t.Errorf("%v is %s and %s, want %s and %s", v.X, number, signed, v.Number, v.Signed)
		}
	}
	for _, v := range vectors.Intervals {
		if got, signed := table.Interval(v.CI95), table.SignedInterval(v.CI95); got != v.Interval || signed != v.Signed || table.LeavesZero(v.CI95) != v.LeavesZero {
			t.Errorf("%v is %s and %s, leaves 0: %v", v.CI95, got, signed, table.LeavesZero(v.CI95))
		}
	}
}
