package train_test

import (
	"testing"

	"parley/runs"
)

func wantPolicies(t *testing.T, list []runs.LoneScore, want ...string) {
	t.Helper()
	var got []string
	for _, x := range list {
		got = append(got, x.Policy)
		if x.CI95[0] > x.Score || x.CI95[1] < x.Score {
			t.Errorf("%+v: the interval does not hold the score", x)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("without history: %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("without history: %v, want %v", got, want)
		}
	}
}
