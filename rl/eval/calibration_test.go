package eval

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func predictions(t *rapid.T) []Prediction {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Prediction {
		return Prediction{Score: float64(rapid.IntRange(0, 20).Draw(t, "score")) / 20, Right: rapid.Bool().Draw(t, "right")}
	}), 1, 60).Draw(t, "predictions")
}

// The area equals the share of ordered pairs, counted one by one.
func TestAUCCountsPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := predictions(t)
		won, pairs := 0.0, 0.0
		for _, r := range list {
			for _, w := range list {
				if !r.Right || w.Right {
					continue
				}
				pairs++
				switch {
				case r.Score > w.Score:
					won++
				case r.Score == w.Score:
					won += 0.5
				}
			}
		}
		auc, ok := AUC(list)
		if ok != (pairs > 0) || ok && math.Abs(auc-won/pairs) > 1e-12 {
			t.Fatalf("AUC %v, %v; %v of %v pairs", auc, ok, won, pairs)
		}
	})
}

func TestPredictionAccuracyHalfIsNeither(t *testing.T) {
	list := []Prediction{{0.5, true}, {0.5, false}, {0.6, true}, {0.4, false}, {0.6, false}}
	if got := PredictionAccuracy(list); math.Abs(got-0.4) > 1e-12 {
		t.Errorf("accuracy %v, want 2 of 5", got)
	}
	if PredictionAccuracy(nil) != 0 {
		t.Error("no predictions have an accuracy")
	}
}

func TestCalibration(t *testing.T) {
	list := []Prediction{{0.1, false}, {0.1, true}, {0.95, true}, {1, true}}
	bins := Reliability(list, 10)
	if bins[1].Count != 2 || bins[1].Right != 0.5 || bins[9].Count != 2 || bins[9].Right != 1 {
		t.Errorf("bins %+v", bins)
	}
	// Two at |0.1 - 0.5|, two at |0.975 - 1|.
	if got := CalibrationError(bins); math.Abs(got-(0.4+0.025)/2) > 1e-12 {
		t.Errorf("calibration error %v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		list := predictions(t)
		n := 0
		for _, b := range Reliability(list, rapid.IntRange(1, 20).Draw(t, "bins")) {
			n += b.Count
			if b.Count > 0 && (b.Score < b.Low-1e-9 || b.Score > b.High+1e-9) {
				t.Fatalf("bin %+v", b)
			}
		}
		if n != len(list) {
			t.Fatalf("%d predictions in bins of %d", n, len(list))
		}
	})
}
