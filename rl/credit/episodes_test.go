package credit

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// TestEpisodeAdvantages are the numbers of the episodes [p 1, c 1, p .5, c .5], [p 0], [p .25, c −.5].
func TestEpisodeAdvantages(t *testing.T) {
	returns := [][]float64{{1, 1, .5, .5}, {0}, {.25, -.5}}
	got, err := EpisodeAdvantages(returns, ModeMean, false)
	if err != nil {
		t.Fatal(err)
	}
	const mean = (.75 + 0 - .125) / 3
	for i := range returns {
		for j, r := range returns[i] {
			if math.Abs(got[i][j]-(r-mean)) > 1e-12 {
				t.Errorf("episode %d, message %d: %v, want %v", i, j, got[i][j], r-mean)
			}
		}
	}
}

// TestEpisodesOfOneMessage: then nothing but the group is left, whatever the mode.
func TestEpisodesOfOneMessage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		group := drawGroup(t)
		returns := make([][]float64, len(group))
		for i, r := range group {
			returns[i] = []float64{r}
		}
		for _, mode := range modes {
			for _, normalize := range []bool{false, true} {
				got, err := EpisodeAdvantages(returns, mode, normalize)
				if err != nil {
					t.Fatal(err)
				}
				var flat []float64
				for _, a := range got {
					flat = append(flat, a...)
				}
				want := advantages(t, group, mode, normalize)
				if normalize && !closeTo(flat, want) || !normalize && !reflect.DeepEqual(flat, want) {
					t.Fatalf("%s, normalize %v: %v, want %v", mode, normalize, flat, want)
				}
			}
		}
	})
}

// TestEpisodesWithoutMessages take no part, and too few others are an error.
func TestEpisodesWithoutMessages(t *testing.T) {
	got, err := EpisodeAdvantages([][]float64{{1}, nil, {0, 0}}, ModeMean, false)
	if err != nil || !reflect.DeepEqual(got, [][]float64{{.5}, nil, {-.5, -.5}}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := EpisodeAdvantages([][]float64{{1}, nil}, ModeRLOO, false); err == nil {
		t.Error("one episode is compared with the others")
	}
}
