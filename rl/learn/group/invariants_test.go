package group

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/learn/group/words"
	"parley/rl/rollout"
)

// rules are ways to credit whole episodes, by name.
func rules() map[string]func(*words.Credit, *learn.Group) {
	own := 1.
	return map[string]func(*words.Credit, *learn.Group){
		"problem":            func(c *words.Credit, _ *learn.Group) {},
		"problem, replaced":  func(c *words.Credit, _ *learn.Group) { c.Baseline, c.Replace = "problem", true },
		"agent":              func(c *words.Credit, _ *learn.Group) { c.Baseline = "agent" },
		"agent_turn":         func(c *words.Credit, _ *learn.Group) { c.Baseline = "agent_turn" },
		"agent_turn by step": func(c *words.Credit, _ *learn.Group) { c.Baseline, c.Turn = "agent_turn", "step" },
		"global":             func(c *words.Credit, _ *learn.Group) { c.Baseline = "global" },
		"whole batch":        func(c *words.Credit, _ *learn.Group) { c.Baseline, c.Scope = "global", "batch" },
		"calls weighed":      func(c *words.Credit, _ *learn.Group) { c.Baseline, c.Calls = "agent", "weight" },
		"with its deviation": func(c *words.Credit, _ *learn.Group) { c.Baseline, c.Std, c.Divide = "agent", "sample", "add" },
		"without episode":    func(c *words.Credit, _ *learn.Group) { c.LOO = "episode" },
		"a role's past": func(c *words.Credit, _ *learn.Group) {
			c.Baseline, c.OwnWeight = "rae", &own
			c.RAE = words.RoleBaselines{Decay: 0.95, Mode: "batch", Order: "before", Key: "role", Warm: "zero"}
		},
	}
}

// TestEveryRuleOfOneMessageIsGRPO: with one agent and one turn every group, whatever its name, is that of GRPO, to the bit.
func TestEveryRuleOfOneMessageIsGRPO(t *testing.T) {
	rewards := []float64{0.1, 0.7, 0.3, 0.3}
	var episodes [][]told
	for _, r := range rewards {
		episodes = append(episodes, []told{{team: r}})
	}
	for name, rule := range rules() {
		if name == "a role's past" {
			continue // no group: its mean is over updates
		}
		want, err := credit.Advantages(rewards, credit.ModeMean, false)
		l := creditor(t, func(c *words.Credit, g *learn.Group) { rule(c, g); g.Size = 4 })
		switch {
		case l.credit.LOO == "episode":
			want, err = credit.Advantages(rewards, credit.ModeRLOO, false)
		case l.credit.Std != "none":
			want = l.credit.Spread().Centred(rewards)
		}
		if err != nil {
			t.Fatal(err)
		}
		got := advantagesOf(t, l, new(learn.Stats), problem(nil, episodes...))
		if exact := l.credit.LOO == "auto"; exact && !slices.Equal(got, want) || !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-15 }) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestOrderOfEpisodesDoesNotMatter: permuting the episodes of a problem permutes advantages, and changes no step's loss; only the sequence of games that
// a role's average follows is one of time, so that its batch form is looked at.
func TestOrderOfEpisodesDoesNotMatter(t *testing.T) {
	for name, rule := range rules() {
		rapid.Check(t, func(rt *rapid.T) {
			var episodes [][]told
			for range rapid.IntRange(1, 5).Draw(rt, "episodes") {
				var says []told
				for range rapid.IntRange(1, 4).Draw(rt, "messages") {
					says = append(says, told{
						agent: rapid.IntRange(0, 2).Draw(rt, "agent"), team: float64(rapid.IntRange(-4, 4).Draw(rt, "reward")) / 4,
						own: []float64{float64(rapid.IntRange(-2, 2).Draw(rt, "own")), 0, 1},
					})
				}
				episodes = append(episodes, says)
			}
			order := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "order"), 0)).Perm(len(episodes))
			failed, moved := []int{}, []int{}
			if rapid.Bool().Draw(rt, "one fails") {
				failed, moved = []int{order[0]}, []int{0}
			}
			var shuffled [][]told
			for _, i := range order {
				shuffled = append(shuffled, episodes[i])
			}
			credited := func(failed []int, list [][]told) *rollout.Episode {
				e := problem(failed, list...)
				l := creditor(t, func(c *words.Credit, g *learn.Group) { rule(c, g); g.Size = len(list) })
				l.Actors = make([]rollout.Actor, 3)
				advantagesOf(t, l, new(learn.Stats), e)
				return e
			}
			want, got := credited(failed, episodes), credited(moved, shuffled)
			of := func(e *rollout.Episode, sample int) (out []float64) {
				for _, n := range e.Nodes {
					if n.Sample == sample {
						out = append(out, n.Agents[0].Completions[0].Advantage)
					}
				}
				return out
			}
			for to, from := range order {
				a, b := of(want, from), of(got, to)
				if !slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-9 }) {
					rt.Fatalf("%s: episode %d has %v, and %v as episode %d", name, from, a, b, to)
				}
			}
		})
	}
}

// TestHardGroups: what is left when little is there. One episode, or one that did not fail, is compared with nobody; of a problem whose episodes all
// failed nothing is learned and no average moves; an agent that is silent everywhere has no group.
func TestHardGroups(t *testing.T) {
	for name, rule := range rules() {
		credited := func(failed []int, episodes ...[]told) ([]float64, *learner) {
			l := creditor(t, func(c *words.Credit, g *learn.Group) { rule(c, g) })
			l.Actors = make([]rollout.Actor, 3)
			return advantagesOf(t, l, new(learn.Stats), problem(failed, episodes...)), l
		}
		both := []told{{agent: 0, team: 0.5}, {agent: 1, team: 0.5}}
		if got, l := credited([]int{0, 1}, both, both); slices.ContainsFunc(got, func(a float64) bool { return a != 0 }) || len(l.averages) > 0 {
			t.Errorf("%s: all failed, and messages have %v, averages %v", name, got, l.averages)
		}
		if name == "a role's past" {
			continue // it is for groups of one
		}
		alone := [][]told{{{agent: 1, team: 0.5}}}
		if got, _ := credited(nil, alone...); got[0] != 0 {
			t.Errorf("%s: a message that is compared with nobody has %v", name, got)
		}
		if got, _ := credited([]int{0}, both, alone[0]); got[2] != 0 {
			t.Errorf("%s: beside a failed episode a message has %v", name, got)
		}
	}
}

// TestSilentRoles: a role that says nothing in a game has earned something all the same, and its average moves; whoever would have spoken for it, also
// an earlier checkpoint, for that one said nothing either. What a checkpoint earned that did speak moves nothing.
func TestSilentRoles(t *testing.T) {
	own := 1.
	rae := func() *learner {
		l := creditor(t, func(c *words.Credit, g *learn.Group) {
			c.Baseline, c.OwnWeight, g.Size = "rae", &own, 1
			c.RAE = words.RoleBaselines{Decay: 0.5, Mode: "sequential", Order: "before", Key: "role", Warm: "zero"}
		})
		l.Actors, l.Sharing.Names, l.Game = make([]rollout.Actor, 2), []string{"first", "second"}, "kuhn"
		return l
	}
	l := rae()
	if got := advantagesOf(t, l, new(learn.Stats), problem(nil, []told{{agent: 0, own: []float64{1, -1}}})); got[0] != 1 {
		t.Errorf("the first role has %v, want 1", got)
	}
	if a := l.averages["kuhn/second"]; a.N != 1 || a.Value != -0.5 {
		t.Errorf("the average of a silent role is %+v, want -0.5 after one game", a)
	}
	l = rae()
	e := problem(nil, []told{{agent: 0, own: []float64{0, 0}}, {agent: 1, own: []float64{1, -1}}})
	e.Nodes[1].Agents[0].Opponent = "update-1"
	advantagesOf(t, l, new(learn.Stats), e)
	if a := l.averages["kuhn/second"]; a.N != 0 {
		t.Errorf("an opponent that spoke has moved the average to %+v", a)
	}
}

// TestPastAcrossResumes: a role's averages and advantages over random games are the same to the bit, however often a learner is saved and begun anew.
func TestPastAcrossResumes(t *testing.T) {
	own := 1.
	for _, mode := range []string{"sequential", "batch"} {
		for _, warm := range []string{"zero", "corrected"} {
			rae := func() *learner {
				return creditor(t, func(c *words.Credit, g *learn.Group) {
					c.Baseline, c.OwnWeight, g.Size = "rae", &own, 1
					c.RAE = words.RoleBaselines{Decay: 0.95, Mode: mode, Order: "before", Key: "role", Warm: warm}
				})
			}
			play := func(resume bool) (out []float64, averages string) {
				rng := rand.New(rand.NewPCG(3, 7))
				l := rae()
				for update := range 30 {
					var games [][]told
					for range 1 + update%3 {
						r := rng.NormFloat64()
						games = append(games, []told{{agent: 0, own: []float64{0, 0}}, {agent: 1, own: []float64{r, -r}}})
					}
					out = append(out, advantagesOf(t, l, new(learn.Stats), problem(nil, games...))...)
					if resume && update%4 == 1 {
						saved := l.Averages()
						l = rae()
						l.Remember(saved)
					}
				}
				return out, fmt.Sprint(l.Averages())
			}
			whole, end := play(false)
			again, endAgain := play(true)
			if !slices.Equal(whole, again) || end != endAgain {
				t.Errorf("%s, %s: a resumed run differs", mode, warm)
			}
		}
	}
}
