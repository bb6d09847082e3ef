package eval

import (
	"math"
	"testing"
)

func TestDistribution(t *testing.T) {
	shares, entropy := Distribution(map[string]int{"none": 2, "wrapper": 1, "decorator": 1, "fallback": 0})
	if shares["none"] != 0.5 || shares["decorator"] != 0.25 || shares["fallback"] != 0 {
		t.Errorf("shares %v", shares)
	}
	if want := 1.5 * math.Ln2; math.Abs(entropy-want) > 1e-12 {
		t.Errorf("entropy %v, want %v", entropy, want)
	}
	for _, counts := range []map[string]int{nil, {"none": 7}} {
		if _, entropy := Distribution(counts); entropy != 0 {
			t.Errorf("entropy of %v is %v", counts, entropy)
		}
	}
}
