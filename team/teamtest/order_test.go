package teamtest_test

import (
	"math/rand/v2"
	"testing"

	"parley/team/teamtest"

	"parley/task/answer"
)

// A toy is one problem with five scripted agents. Some problems lure: an agent that is lured gives the one common wrong answer. Who is not lured fails
// where one of four steps slips, with a wrong answer of its own. The rates are assumed, so what comes out checks the wiring and not the method.
type toy struct {
	r     *rand.Rand
	lures bool
}

const (
	luring, lured, slips     = .35, .55, .15
	steps                    = 4
	finds, mends, spoils     = .6, .7, .05
	inTeam, inJudge, blurred = .35, .6, .25 // how much a fault costs a chain in the eyes of who compares, and the noise
)

var right = read("right")

func (p toy) chance(x float64) bool { return p.r.Float64() < x }

// solve is what an agent answers by itself.
func (p toy) solve() answer.Answer {
	if p.lures && p.chance(lured) {
		return read("lure")
	}
	for range steps {
		if p.chance(slips) {
			return read([]string{"a", "b", "c"}[p.r.IntN(3)])
		}
	}
	return right
}

// worth is how good a chain looks.
func (p toy) worth(a answer.Answer, fault float64) float64 {
	noise := p.r.NormFloat64() * blurred
	if a == right {
		return noise
	}
	return noise - fault
}

// talk is a discussion: in the second round both members of a team take the chain that looks better to them.
func (p toy) talk(t *testing.T, own []answer.Answer) answer.Answer {
	teams, _ := teamtest.Split([]int{0, 1, 2, 3, 4})
	agreed := map[int]answer.Answer{}
	for _, members := range [][]int{teams.First, teams.Second} {
		best := own[members[0]]
		if p.worth(own[members[1]], inTeam) > p.worth(best, inTeam) {
			best = own[members[1]]
		}
		agreed[members[0]], agreed[members[1]] = best, best
	}
	out := teamtest.Rules{Rounds: 2, Agree: teamtest.AgreeLast}.Play(teams, teamtest.Voices{
		Member: func(c teamtest.Call) (answer.Answer, bool) {
			if c.Round == 0 {
				return own[c.Agent], true
			}
			return agreed[c.Agent], true
		},
		Judge: func(c teamtest.Call) (int, bool) {
			if p.worth(agreed[teams.First[0]], inJudge) > p.worth(agreed[teams.Second[0]], inJudge) {
				return 1, true
			}
			return 2, true
		},
	})
	if out.Waiting {
		t.Fatal("the discussion waits")
	}
	return out.Result
}

func (p toy) review(own []answer.Answer) answer.Answer {
	now := own[0]
	return teamtest.Review([]int{0, 1, 2, 3, 4}, func(c teamtest.Call) (answer.Answer, bool) {
		switch {
		case c.Round == 0:
		case now != right && p.chance(finds) && p.chance(mends):
			now = right
		case now == right && p.chance(spoils):
			now = read("a")
		}
		return now, true
	}).Result
}

// retrieve scores lie in [0, 1], as a retriever's do.
func (p toy) retrieve(own []answer.Answer) answer.Answer {
	_, candidates := teamtest.Retriever([]int{0, 1, 2, 3, 4})
	scores := make([]float64, len(candidates))
	for i, agent := range candidates {
		scores[i] = min(1, max(0, .5+.25*p.worth(own[agent], inJudge)))
	}
	return own[candidates[teamtest.Retrieve(scores)]]
}

// TestOrder: single < vote < each mode, with a margin, for every seed.
func TestOrder(t *testing.T) {
	const problems, margin = 4000, .05
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 39))
		score := map[string]float64{}
		for range problems {
			p := toy{r, r.Float64() < luring}
			own := make([]answer.Answer, 5)
			for i := range own {
				own[i] = p.solve()
			}
			for mode, a := range map[string]answer.Answer{
				"single": own[0], "vote": answer.Plurality(own).Winner, "discuss": p.talk(t, own), "review": p.review(own), "retrieve": p.retrieve(own),
			} {
				if a == right {
					score[mode] += 1. / problems
				}
			}
		}
		t.Logf("seed %d: %v", seed, score)
		for _, mode := range []string{"discuss", "review", "retrieve"} {
			if score["vote"] < score["single"]+margin || score[mode] < score["vote"]+margin {
				t.Errorf("seed %d: %v, want single < vote < %s", seed, score, mode)
			}
		}
	}
}
