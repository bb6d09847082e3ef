package group

import (
	"slices"
	"testing"

	"parley/rl/learn"
	"parley/rl/learn/group/words"
	"parley/rl/rollout"
)

// thinkers is a creditor of a thinker and a solver, each compared with itself, with a bonus for the thinker.
func thinkers(t *testing.T, lambda float64) *learner {
	l := creditor(t, func(c *words.Credit, g *learn.Group) {
		g.Without, c.Baseline, c.Solo.Outcome, c.Solo.Lambda = "thinker", "agent", "sign", lambda
	})
	l.Actors = []rollout.Actor{{Name: "thinker"}, {Name: "solver"}}
	l.Sharing.Names = []string{"thinker", "solver"}
	return l
}

// thought are episodes of both, which earn rewards, beside episodes of the solver alone.
func thought(joint, solo []float64, failed ...int) *rollout.Episode {
	var both, alone [][]told
	for _, r := range joint {
		both = append(both, []told{{agent: 0}, {agent: 1, team: r}})
	}
	for _, r := range solo {
		alone = append(alone, []told{{agent: 1, team: r}})
	}
	e := problem(nil, both...)
	e.Solo = problem(failed, alone...)
	return e
}

// TestThinker: the bonus of help is the published one, over the mean of the solver's own answers; the thinker's advantages are the solver's times
// 1 + λ/2, and the rates say how often it helped.
func TestThinker(t *testing.T) {
	for _, reward := range []float64{1, 0.25} { // what counts is that it is above 0
		stats := new(learn.Stats)
		e := thought([]float64{reward, reward, 0, reward}, []float64{0, 0, 0, reward})
		got := advantagesOf(t, thinkers(t, 0.2), stats, e)
		about(t, "advantages", got, []float64{0.55, 0.5, 0.55, 0.5, -1.65, -1.5, 0.55, 0.5})
		if *stats.HelpRate != 0.75 || *stats.HurtRate != 0 || *stats.SameRate != 0.25 {
			t.Errorf("help %v, hurt %v, same %v", *stats.HelpRate, *stats.HurtRate, *stats.SameRate)
		}
		plain := advantagesOf(t, thinkers(t, 0), new(learn.Stats), e)
		about(t, "without a bonus", plain, []float64{0.5, 0.5, 0.5, 0.5, -1.5, -1.5, 0.5, 0.5})
	}
}

// TestThinkerWithoutSolo: answers alone that failed leave the mean; where none is left there is no bonus, and no rate counts.
func TestThinkerWithoutSolo(t *testing.T) {
	stats := new(learn.Stats)
	e := thought([]float64{1, 0}, []float64{1, 1}, 0, 1)
	about(t, "advantages", advantagesOf(t, thinkers(t, 0.2), stats, e), []float64{1, 1, -1, -1})
	if *stats.HelpRate != 0 || *stats.HurtRate != 0 || *stats.SameRate != 0 {
		t.Errorf("rates of nothing: %v, %v, %v", *stats.HelpRate, *stats.HurtRate, *stats.SameRate)
	}
	stats = new(learn.Stats)
	advantagesOf(t, thinkers(t, 0), stats, problem(nil, []told{{team: 1}}, []told{{}}))
	if stats.HelpRate != nil {
		t.Error("there is a rate, and nobody was left out")
	}
}

// TestRatesOfOtherRules: the rates are those of any rule, and change nothing of what messages return.
func TestRatesOfOtherRules(t *testing.T) {
	e := thought([]float64{1, 0.5}, []float64{0, 0})
	for _, baseline := range []string{"problem", "agent", "agent_turn", "global"} {
		l := thinkers(t, 0)
		l.credit.Solo.Outcome, l.credit.Baseline = "reward", baseline
		stats := new(learn.Stats)
		about(t, baseline, advantagesOf(t, l, stats, e), []float64{0.25, 0.25, -0.25, -0.25})
		if *stats.HelpRate != 1 {
			t.Errorf("%s: help %v", baseline, *stats.HelpRate)
		}
	}
}

// TestAlternate: agents learn in turns of so many updates, the one that is left out of episodes first; a learner that begins later, as after a
// resumption, goes on as the first did. Frozen agents have no turn.
func TestAlternate(t *testing.T) {
	learners := func(frozen ...int) (out []int) {
		for update := range 12 {
			l := thinkers(t, 0)
			l.credit.Alternate, l.settings.Without, l.Sharing.Frozen = 2, "solver", frozen
			for agent := range l.Actors {
				if !l.waits(agent, update) {
					out = append(out, agent)
				}
			}
		}
		return out
	}
	if got, want := learners(), []int{1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("%v learn, want %v", got, want)
	}
	if got, want := learners(2), slices.Repeat([]int{0}, 12); !slices.Equal(got, want) {
		t.Errorf("%v learn beside a frozen one, want %v", got, want)
	}
}
