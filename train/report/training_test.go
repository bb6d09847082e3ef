package report

import (
	"reflect"
	"testing"
)

// TestMeanUpdates: the mean over seeds goes as far as all of them went, and has no number that none of them has.
func TestMeanUpdates(t *testing.T) {
	a := Training{"plain", []Update{{Update: 1, Accuracy: []float64{0.25, 0.5}}, {Update: 2, Accuracy: []float64{0.5, 1}}}}
	b := Training{"plain", []Update{{Update: 1, Accuracy: []float64{0.75, 0}}}}
	other := Training{"bold", []Update{{Update: 1, Reward: []float64{3}}}}
	all := []Training{a, other, b}
	if got, want := meanUpdates(ofVariant(all, "plain")), []Update{{Update: 1, Accuracy: []float64{0.5, 0.25}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := meanUpdates(ofVariant(all, "bold")); !reflect.DeepEqual(got, other.Updates) {
		t.Errorf("%+v of one", got)
	}
	if meanUpdates(nil) != nil {
		t.Error("a mean of nothing")
	}
}
