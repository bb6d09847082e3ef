package credit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// game is a one-turn matrix game of two agents with a joint reward.
type game [][]float64

var climbing = game{{11, -30, 0}, {-30, 7, 6}, {0, 0, 5}} // MAGRPO §15.7

// policies holds one softmax policy per agent.
type policies [2][]float64

func softmax(logits []float64) []float64 {
	p, sum := make([]float64, len(logits)), 0.0
	for i, z := range logits {
		p[i] = math.Exp(z)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// estimate is the gradient of MAGRPO's objective (§2.4) with respect to the logits of both agents, from one group of
// samples [agent][G].
func (g game) estimate(t testing.TB, logits policies, samples [2][]int, joint JointMode, cross CrossMode, mode AdvantageMode) policies {
	t.Helper()
	group := len(samples[0])
	var rewards []float64
	for _, a := range JointActions(joint, 2, group) {
		rewards = append(rewards, g[samples[0][a[0]]][samples[1][a[1]]])
	}
	credits, err := NodeCredit(rewards, joint, 2, group, cross)
	if err != nil {
		t.Fatal(err)
	}
	var grad policies
	for i := range grad {
		adv, err := Advantages(credits[i], mode, false)
		if err != nil {
			t.Fatal(err)
		}
		p := softmax(logits[i])
		grad[i] = make([]float64, len(p))
		for k, action := range samples[i] {
			for a := range p {
				dlog := -p[a]
				if a == action {
					dlog++
				}
				grad[i][a] += adv[k] * dlog / float64(group)
			}
		}
	}
	return grad
}

// truth is the exact gradient of the expected reward.
func (g game) truth(logits policies) policies {
	p, q := softmax(logits[0]), softmax(logits[1])
	value := 0.0
	rows, cols := make([]float64, len(p)), make([]float64, len(q))
	for a := range p {
		for b := range q {
			rows[a] += q[b] * g[a][b]
			cols[b] += p[a] * g[a][b]
			value += p[a] * q[b] * g[a][b]
		}
	}
	for a := range p {
		rows[a] = p[a] * (rows[a] - value)
	}
	for b := range q {
		cols[b] = q[b] * (cols[b] - value)
	}
	return policies{rows, cols}
}

// moments enumerates every group of samples and returns the exact mean of the estimator and its total variance.
func (g game) moments(t testing.TB, logits policies, group int, joint JointMode, cross CrossMode, mode AdvantageMode) (mean policies, variance float64) {
	t.Helper()
	probability := [2][]float64{softmax(logits[0]), softmax(logits[1])}
	actions := len(g)
	mean = policies{make([]float64, actions), make([]float64, actions)}
	square := 0.0
	for outcome := range power(actions, 2*group) {
		var samples [2][]int
		weight := 1.0
		for n := range 2 * group {
			a := outcome % actions
			outcome /= actions
			samples[n%2] = append(samples[n%2], a)
			weight *= probability[n%2][a]
		}
		grad := g.estimate(t, logits, samples, joint, cross, mode)
		for i := range grad {
			for a, v := range grad[i] {
				mean[i][a] += weight * v
				square += weight * v * v
			}
		}
	}
	return mean, square - dot(mean, mean)
}

func dot(a, b policies) float64 {
	sum := 0.0
	for i := range a {
		for k := range a[i] {
			sum += a[i][k] * b[i][k]
		}
	}
	return sum
}

// Statistical property of §2.3, exact: (G−1)/G times the true gradient in mode mean, the true gradient in mode rloo, G times
// that of mean credit with sum credit of two agents; cross never varies more than aligned.
func TestEstimatorExpectation(t *testing.T) {
	logits := policies{{0.3, -0.5, 0.1}, {0, 0.7, -0.4}}
	for _, group := range []int{2, 3} {
		g := float64(group)
		truth := climbing.truth(logits)
		variance := map[string]float64{}
		for _, c := range []struct {
			joint  JointMode
			cross  CrossMode
			mode   AdvantageMode
			factor float64
		}{
			{Aligned, CrossMean, ModeMean, (g - 1) / g},
			{Cross, CrossMean, ModeMean, (g - 1) / g},
			{Aligned, CrossMean, ModeRLOO, 1},
			{Cross, CrossMean, ModeRLOO, 1},
			{Aligned, CrossMean, ModeRaw, 1},
			{Cross, CrossMean, ModeRaw, 1},
			{Cross, CrossSum, ModeRLOO, g},
		} {
			name := fmt.Sprintf("G=%d %s %s %s", group, c.joint, c.cross, c.mode)
			mean, v := climbing.moments(t, logits, group, c.joint, c.cross, c.mode)
			variance[name] = v
			for i := range truth {
				for a, want := range truth[i] {
					if got := mean[i][a]; math.Abs(got-c.factor*want) > 1e-9 {
						t.Errorf("%s: agent %d action %d: expectation %v, want %v", name, i, a, got, c.factor*want)
					}
				}
			}
		}
		for _, mode := range []AdvantageMode{ModeMean, ModeRLOO, ModeRaw} {
			aligned := variance[fmt.Sprintf("G=%d aligned mean %s", group, mode)]
			cross := variance[fmt.Sprintf("G=%d cross mean %s", group, mode)]
			if cross >= aligned {
				t.Errorf("G=%d %s: variance %v in cross mode, %v in aligned", group, mode, cross, aligned)
			}
		}
	}
}

// train plays a game with sampled groups and plain gradient ascent, and returns the final policies.
func (g game) train(t testing.TB, logits policies, joint JointMode, seed uint64) policies {
	t.Helper()
	const group, steps, rate = 8, 3000, 0.05
	rng := rand.New(rand.NewPCG(seed, seed))
	for range steps {
		var samples [2][]int
		for i := range samples {
			p := softmax(logits[i])
			for range group {
				samples[i] = append(samples[i], draw(rng, p))
			}
		}
		grad := g.estimate(t, logits, samples, joint, CrossMean, ModeMean)
		for i := range grad {
			for a := range grad[i] {
				logits[i][a] += rate * grad[i][a]
			}
		}
	}
	return policies{softmax(logits[0]), softmax(logits[1])}
}

func draw(rng *rand.Rand, p []float64) int {
	u := rng.Float64()
	for a, q := range p {
		if u -= q; u < 0 {
			return a
		}
	}
	return len(p) - 1
}

func likeliest(p []float64) int {
	best := 0
	for a := range p {
		if p[a] > p[best] {
			best = a
		}
	}
	return best
}

// Matrix games of §15.7 with a joint reward. Where miscoordination is dear, learners that start from uniform policies settle
// on the safe plateau of the climbing game (rewards 6 and 7) and not on its optimum of 11, which they find only from nearby;
// where it is not, they find the optimum from anywhere.
func TestMatrixGameLearning(t *testing.T) {
	// Pay-offs (5,5) (4,3) (3,4) (0,0), summed to a joint reward.
	summed := game{{10, 7}, {7, 0}}
	for _, c := range []struct {
		name            string
		game            game
		start           func() policies
		least, greatest float64 // of the reward of the likeliest joint action
	}{
		{"climbing from uniform", climbing, func() policies { return policies{{0, 0, 0}, {0, 0, 0}} }, 6, 7},
		{"climbing from near the optimum", climbing, func() policies { return policies{{3, 0, 0}, {3, 0, 0}} }, 11, 11},
		{"2x2 from uniform", summed, func() policies { return policies{{0, 0}, {0, 0}} }, 10, 10},
	} {
		for _, joint := range []JointMode{Aligned, Cross} {
			for seed := range uint64(3) {
				p := c.game.train(t, c.start(), joint, seed+1)
				a, b := likeliest(p[0]), likeliest(p[1])
				if r := c.game[a][b]; r < c.least || r > c.greatest || p[0][a]*p[1][b] < 0.7 {
					t.Errorf("%s, %s, seed %d: joint action (%d,%d) of reward %v with probability %.2f",
						c.name, joint, seed, a, b, r, p[0][a]*p[1][b])
				}
			}
		}
	}
}
