package vectortest

import (
	"math"
	"testing"
)

// returnPercent returns a reward as a percentage of its nominal maximum (3 in writing tasks, 4 in code tasks; MAGRPO §10).
func returnPercent(reward, maximum float64) float64 { return 100 * reward / maximum }

// episodeReturnPercent returns the return of a multi-turn episode, the mean over its turns, in percent of the maximum.
func episodeReturnPercent(turnRewards []float64, maximum float64) float64 {
	sum := 0.0
	for _, r := range turnRewards {
		sum += r
	}
	return returnPercent(sum/float64(len(turnRewards)), maximum)
}

// writingPercents breaks the parts of a writing reward down: structure is the first three levels of at most 2, coherence
// the transition part of at most 0.4, consistency the Jaccard part of at most 0.6.
func writingPercents(parts map[string]float64) map[string]float64 {
	return map[string]float64{
		"structure":   returnPercent(parts["structure"]+parts["length_ratio"]+parts["vocabulary"], 2),
		"coherence":   returnPercent(parts["transition"], 0.4),
		"consistency": returnPercent(parts["jaccard"], 0.6),
	}
}

// codePercents breaks the parts of a code reward down: structure of at most 1, syntax 0.5, tests 1, cooperation 1.5.
func codePercents(parts map[string]float64) map[string]float64 {
	return map[string]float64{
		"structure":   returnPercent(parts["aux_defined"]+parts["main_defined"], 1),
		"syntax":      returnPercent(parts["syntax"], 0.5),
		"tests":       returnPercent(parts["tests"], 1),
		"cooperation": returnPercent(parts["use"]+parts["non_wrapper"]+parts["ignored"], 1.5),
	}
}

// A full score is 100 % of everything, a missing part 0 %.
func TestPercentsOfFullScores(t *testing.T) {
	full := writingPercents(map[string]float64{"structure": 0.5, "length_ratio": 1, "vocabulary": 0.5, "transition": 0.4, "jaccard": 0.6})
	code := codePercents(map[string]float64{"aux_defined": 0.4, "main_defined": 0.6, "syntax": 0.5, "tests": 1, "use": 0.5, "non_wrapper": 1})
	for _, breakdown := range []map[string]float64{full, code} {
		for name, p := range breakdown {
			if math.Abs(p-100) > 1e-9 {
				t.Errorf("%s is %v %%", name, p)
			}
		}
	}
	if p := codePercents(nil)["cooperation"]; p != 0 {
		t.Errorf("cooperation of nothing is %v %%", p)
	}
}
