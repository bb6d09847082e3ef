package reward

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// pipeline is three agents who answer one after the other; leader is a round of two who propose, one who decides, and again.
func pipeline(scores ...float64) []Turn {
	var debate []Turn
	for agent, v := range scores {
		debate = append(debate, Turn{{Agent: agent, Score: v, Correct: v > 0.5}})
	}
	return debate
}

func leader(scores ...float64) []Turn {
	var debate []Turn
	for ; len(scores) > 0; scores = scores[3:] {
		debate = append(debate, Turn{{Agent: 1, Score: scores[0], Correct: scores[0] > 0.5}, {Agent: 2, Score: scores[1], Correct: scores[1] > 0.5}},
			Turn{{Agent: 0, Score: scores[2], Correct: scores[2] > 0.5}})
	}
	return debate
}

// Who speaks before others is credited with what they make of it; own later turns are those in which an agent speaks. By hand, γ = 1/2.
func TestDesignsWhereSomeAreSilent(t *testing.T) {
	for _, c := range []struct {
		design Design
		debate []Turn
		want   [][]float64
	}{
		{Immediate, pipeline(0.2, 0.4, 0.8), [][]float64{{0.2}, {0.4}, {0.8}}},
		{Cumulative, pipeline(0.2, 0.4, 0.8), [][]float64{{0.2}, {0.4}, {0.8}}}, // nobody speaks again
		{Influence, pipeline(0.2, 0.4, 0.8), [][]float64{{(0.2 + 0.4/2 + 0.8/4) / 1.75}, {(0.4 + 0.8/2) / 1.5}, {0.8}}},
		{TurnMean, leader(0.2, 0.6, 1, 0.4, 0.8, 0), [][]float64{{0.4, 0.4}, {1}, {0.6, 0.6}, {0}}},
		{LastTurnMean, leader(0.2, 0.6, 1, 0.4, 0.8, 0.3), [][]float64{{0.3, 0.3}, {0.3}, {0.3, 0.3}, {0.3}}},
		{LastTurnOwn, leader(0.2, 0.6, 1, 0.4, 0, 0.3), [][]float64{{0.4, 0}, {0.3}, {0.4, 0}, {0.3}}},
		{Cumulative, leader(0.2, 0.6, 1, 0.4, 0.8, 0), [][]float64{{(0.2 + 0.4/4) / 1.25, (0.6 + 0.8/4) / 1.25}, {1 / 1.25}, {0.4, 0.8}, {0}}},
		{Influence, leader(0.2, 0.6, 1, 0.4, 0.8, 0), [][]float64{
			{(0.2 + 1.0/2 + 0.6/4) / 1.875, (0.6 + 1.0/2 + 0.6/4) / 1.875}, {(1 + 0.6/2) / 1.75}, {0.4 / 1.5, 0.8 / 1.5}, {0},
		}},
	} {
		near(t, Rewards(c.design, 0.5, c.debate), c.want, 1e-12)
	}
}

// A majority is one of what the others said last. By hand.
func TestIncentivesWhereSomeAreSilent(t *testing.T) {
	c := Coefficients{Alpha0: 1, Alpha1: 2, Beta0: 4, Beta1: 8}
	for _, row := range []struct {
		debate []Turn
		want   [][]float64
	}{
		// Nobody speaks twice, so nobody revises. After the answer of agent 2 the others stay right; before that of agent 1 nobody has
		// spoken, so that there is no majority to change.
		{pipeline(1, 0, 1), [][]float64{{0}, {0}, {0}}},
		// Proposers are wrong and right, the leader is right; then both are right, and the leader becomes wrong.
		// Agent 1 turns right beside agent 2 and the leader, who are right: +α1. Agent 2 has before agent 1 alone, wrong, and at its next
		// answer agent 1 and the leader, right: +β1. The leader had a tie before, so earns no β, and turns wrong against two who are right: -α1.
		{leader(0, 1, 1, 1, 1, 0), [][]float64{{0, 8}, {0}, {2, 0}, {-2}}},
		// Both proposers turn from wrong to right against a wrong leader: the leader's answer was wrong but useful, +β0. Each had a majority
		// of wrong ones around it, +α0. After their last answers the leader turns right: it follows two who are right, +α1.
		{leader(0, 0, 0, 1, 1, 1), [][]float64{{0, 0}, {4}, {1, 1}, {2}}},
	} {
		near(t, Incentives(PaperRule, c, row.debate), row.want, 0)
	}
}

// someSpeak draws a debate in which some agents speak in each turn, at least one.
func someSpeak(t *rapid.T) []Turn {
	agents := rapid.IntRange(1, 4).Draw(t, "agents")
	debate := make([]Turn, rapid.IntRange(1, 5).Draw(t, "turns"))
	for i := range debate {
		one := rapid.IntRange(0, agents-1).Draw(t, "speaker")
		for a := range agents {
			if a == one || rapid.Bool().Draw(t, "speaks") {
				debate[i] = append(debate[i], Answer{Agent: a, Score: rapid.Float64Range(0, 1).Draw(t, "score"), Correct: rapid.Bool().Draw(t, "correct")})
			}
		}
	}
	return debate
}

// The recursions agree with the sums of §2.2, written out, whoever speaks.
func TestDesignsAreTheirSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		debate := someSpeak(t)
		gamma := rapid.SampledFrom([]float64{0, 0.3, 0.9, 1}).Draw(t, "gamma")
		cumulative, influence := Rewards(Cumulative, gamma, debate), Rewards(Influence, gamma, debate)
		for i, turn := range debate {
			for s, answer := range turn {
				var own, ownNorm, team, norm float64
				for later := i; later < len(debate); later++ {
					weight := math.Pow(gamma, float64(later-i))
					sum := 0.0
					for _, other := range debate[later] {
						sum += other.Score
						if other.Agent == answer.Agent {
							own, ownNorm = own+weight*other.Score, ownNorm+weight
						}
					}
					norm += weight
					if later > i {
						team += weight * sum / float64(len(debate[later]))
					}
				}
				if want := own / ownNorm; math.Abs(cumulative[i][s]-want) > 1e-12 {
					t.Fatalf("turn %d, agent %d: cumulative %v, want %v", i+1, answer.Agent+1, cumulative[i][s], want)
				}
				if want := (answer.Score + team) / norm; math.Abs(influence[i][s]-want) > 1e-12 {
					t.Fatalf("turn %d, agent %d: influence %v, want %v", i+1, answer.Agent+1, influence[i][s], want)
				}
			}
		}
	})
}

// Every bonus is the sum of at most one revision and one influence, and changing what everybody said to its opposite exchanges the
// coefficients, whoever speaks (§2.3).
func TestIncentivesMirrorWhoeverSpeaks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		debate := someSpeak(t)
		opposite := Penalise(debate, 0)
		for i := range opposite {
			for s := range opposite[i] {
				opposite[i][s].Correct = !opposite[i][s].Correct
			}
		}
		got := Incentives(PaperRule, Coefficients{Alpha0: 1, Alpha1: 2, Beta0: 4, Beta1: 8}, debate)
		mirrored := Incentives(PaperRule, Coefficients{Alpha0: 2, Alpha1: 1, Beta0: 8, Beta1: 4}, opposite)
		for i := range got {
			for s := range got[i] {
				if got[i][s] != -mirrored[i][s] {
					t.Fatalf("turn %d: %v and mirrored %v", i+1, got[i], mirrored[i])
				}
			}
		}
	})
}
