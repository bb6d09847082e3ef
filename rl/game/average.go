package game

// GridMean returns the mean of f over payoffs on the midpoint grid of the paper's distribution, R_ind ~ U(0,1) and
// R_col ~ U(0, R_ind): RInd = (i+½)/n, RCol = RInd·(j+½)/n for i, j = 0..n-1. Everything else is that of g.
func (g Game) GridMean(n int, f func(Game) float64) float64 {
	sum := 0.0
	for i := range n {
		g.RInd = (float64(i) + 0.5) / float64(n)
		for j := range n {
			g.RCol = g.RInd * (float64(j) + 0.5) / float64(n)
			sum += f(g)
		}
	}
	return sum / float64(n*n)
}

// SampleMean returns the mean of f over n random payoffs of the same distribution; uniform draws from [0, 1). The paper takes 5,000.
func (g Game) SampleMean(n int, uniform func() float64, f func(Game) float64) float64 {
	sum := 0.0
	for range n {
		g.RInd = uniform()
		g.RCol = g.RInd * uniform()
		sum += f(g)
	}
	return sum / float64(n)
}
