package eval

// A CrossPlay says how agents of n runs play together, by what every pair of runs scores.
type CrossPlay struct {
	Self  Centre `json:"self_play"`  // of the pairs (i, i), who have learned together
	Cross Centre `json:"cross_play"` // of the pairs (i, j), i ≠ j, who have never met
	Gap   Centre `json:"difference"` // cross-play less self-play: 0 where what was learned does not hang on the partner
}

// A Centre is a mean with its 95 % interval over runs; nil: there are too few runs for one.
type Centre struct {
	Mean float64     `json:"mean"`
	CI95 *[2]float64 `json:"ci95"`
}

// LeastRuns are those that an interval of cross-play takes: without one of them there is still a pair.
const LeastRuns = 3

// NewCrossPlay computes it from the scores of pairs, [first][second]. Pairs that share a run are not independent, so intervals are over runs, by the
// jackknife (Quenouille, Tukey). With θ the mean of all pairs and θ₋ᵢ that of the pairs without run i,
//
//	θᵢ = n·θ − (n−1)·θ₋ᵢ        mean of θᵢ ± t_{n−1}·sd(θᵢ)/√n
//
// The mean of θᵢ is θ. For self-play θᵢ is the score of the pair (i, i), and the interval is Student's.
func NewCrossPlay(scores [][]float64) CrossPlay {
	n := float64(len(scores))
	self, cross, gap := make([]float64, len(scores)), make([]float64, len(scores)), make([]float64, len(scores))
	all := off(scores, -1)
	for i := range scores {
		self[i], cross[i] = scores[i][i], all
		if len(scores) >= LeastRuns {
			cross[i] = n*all - (n-1)*off(scores, i)
		}
		gap[i] = cross[i] - self[i]
	}
	return CrossPlay{centred(self), centred(cross), centred(gap)}
}

// off is the mean of the pairs of two runs, but for those of one run.
func off(scores [][]float64, but int) float64 {
	var list []float64
	for i, row := range scores {
		for j, x := range row {
			if i != j && i != but && j != but {
				list = append(list, x)
			}
		}
	}
	return Mean(list)
}

func centred(values []float64) Centre {
	mean, ci := Student(values)
	if len(values) < LeastRuns {
		return Centre{Mean: mean}
	}
	return Centre{mean, &[2]float64{ci.Low, ci.High}}
}
