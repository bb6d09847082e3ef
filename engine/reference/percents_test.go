package reference

import (
	"math"
	"testing"
)

// A full score is 100 % of everything, a missing part 0 %.
func TestPercentsOfFullScores(t *testing.T) {
	full := WritingPercents(map[string]float64{"structure": 0.5, "length_ratio": 1, "vocabulary": 0.5, "transition": 0.4, "jaccard": 0.6})
	code := CodePercents(map[string]float64{"aux_defined": 0.4, "main_defined": 0.6, "syntax": 0.5, "tests": 1, "use": 0.5, "non_wrapper": 1})
	for _, breakdown := range []map[string]float64{full, code} {
		for name, p := range breakdown {
			if math.Abs(p-100) > 1e-9 {
				t.Errorf("%s is %v %%", name, p)
			}
		}
	}
	if p := CodePercents(nil)["cooperation"]; p != 0 {
		t.Errorf("cooperation of nothing is %v %%", p)
	}
}
