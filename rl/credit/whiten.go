package credit

import "math"

// Whiten returns the advantages with mean 0 and variance 1 over all tokens of all answers of one batch, in MAPoRL those of
// one turn and agent (MAPoRL §4): (A − mean)/√(var + 1e−8), var with n−1. A batch of a single token is returned unchanged.
// advantages is [answer][token]; returns are computed before whitening.
func Whiten(advantages [][]float64) [][]float64 {
	n, sum := 0, 0.0
	for _, answer := range advantages {
		n += len(answer)
		for _, a := range answer {
			sum += a
		}
	}
	mean, scale := 0.0, 1.0
	if n > 1 {
		mean = sum / float64(n)
		scale = 1 / math.Sqrt(sumOfSquares(advantages, mean)/float64(n-1)+1e-8)
	}
	white := make([][]float64, len(advantages))
	for i, answer := range advantages {
		white[i] = make([]float64, len(answer))
		for x, a := range answer {
			white[i][x] = (a - mean) * scale
		}
	}
	return white
}

func sumOfSquares(rows [][]float64, mean float64) float64 {
	ss := 0.0
	for _, row := range rows {
		for _, x := range row {
			ss += (x - mean) * (x - mean)
		}
	}
	return ss
}
