package group

import (
	"fmt"
	"testing"

	"parley/rl/credit"
	"parley/rl/learn"
	"parley/rl/learn/group/words"
	"parley/rl/rollout"
)

// A wage is what a team earns in a turn of an episode of so many messages, whatever is said.
type wage func(turn, messages int) float64

func atTheEnd(turn, messages int) float64 {
	if turn == messages-1 {
		return 0.7
	}
	return 0
}

func everyTurn(int, int) float64 { return 0.3 }

// equalEpisodes are those of a problem in which agents speak one after the other, everything is paid alike, and nothing else is.
func equalEpisodes(pay wage, speakers ...[]int) *rollout.Episode {
	var episodes [][]told
	for _, agents := range speakers {
		var messages []told
		for turn, agent := range agents {
			messages = append(messages, told{agent: agent, team: pay(turn, len(agents))})
		}
		episodes = append(episodes, messages)
	}
	return problem(nil, episodes...)
}

// TestEqualRewardsTeachNothing: where advantages compare, rewards that are the same whatever was said make no advantage, for every rule of credit,
// every discount and every shape of episodes. Episodes of one shape may be paid at their end or in every turn; of different lengths only what an
// episode earns as a whole is the same, so that there a discount that was asked for makes the shorter ones better.
func TestEqualRewardsTeachNothing(t *testing.T) {
	like := [][]int{{0, 1, 0, 2}, {0, 1, 0, 2}, {0, 1, 0, 2}}
	for name, shape := range map[string]struct {
		play     func() *rollout.Episode
		discount []float64
	}{
		"alike, paid at the end":    {func() *rollout.Episode { return equalEpisodes(atTheEnd, like...) }, []float64{-1, 0, 0.5, 0.9, 1}},
		"alike, paid in every turn": {func() *rollout.Episode { return equalEpisodes(everyTurn, like...) }, []float64{-1, 0, 0.5, 0.9, 1}},
		"one speaker":               {func() *rollout.Episode { return equalEpisodes(everyTurn, []int{0, 0, 0}, []int{0, 0, 0}) }, []float64{-1, 0.9}},
		"one episode":               {func() *rollout.Episode { return equalEpisodes(atTheEnd, []int{0, 1, 0}) }, []float64{-1, 0.9}},
		"other lengths and speakers": {func() *rollout.Episode {
			return equalEpisodes(atTheEnd, []int{0, 1, 0}, []int{0}, []int{0, 2, 1, 2, 0})
		}, []float64{-1, 1}},
	} {
		for _, baseline := range []string{"auto", "agent", "agent_turn", "global"} {
			for _, returns := range []string{"to_go", "episode"} {
				for _, std := range []string{"none", "population", "sample"} {
					for _, leave := range []string{"none", "message", "episode"} {
						for _, discount := range shape.discount {
							l := creditor(t, func(c *words.Credit, g *learn.Group) {
								c.Baseline, c.Returns, c.Std, c.LOO, g.Discount = baseline, returns, std, leave, discount
							})
							noAdvantage(t, fmt.Sprint(name, ": ", baseline, returns, std, leave, discount), l, shape.play())
						}
					}
				}
			}
		}
		for _, discount := range shape.discount {
			for _, mode := range []credit.AdvantageMode{credit.ModeMean, credit.ModeMax, credit.ModeRLOO} {
				for _, normalize := range []bool{false, true} {
					l := creditor(t, func(_ *words.Credit, g *learn.Group) { g.Discount, g.Normalize = discount, normalize })
					l.mode = mode
					noAdvantage(t, fmt.Sprint(name, ": ", mode, normalize, discount), l, shape.play())
				}
			}
			for _, calls := range []string{"weight", "sample"} {
				l := creditor(t, func(c *words.Credit, g *learn.Group) { c.Baseline, c.Calls, g.Discount = "agent", calls, discount })
				noAdvantage(t, fmt.Sprint(name, ": calls ", calls, discount), l, shape.play())
			}
		}
	}
}

// TestEqualRewardsOfTrees: neither do they in trees, chains, decisions and alternatives, at the rollout's own discount.
func TestEqualRewardsOfTrees(t *testing.T) {
	for _, rolled := range []string{"tree", "chain", learn.Decisions, learn.Alternatives} {
		for _, pay := range []wage{atTheEnd, everyTurn} {
			for _, loo := range []string{"auto", "none"} {
				l := creditor(t, func(c *words.Credit, g *learn.Group) {
					g.Rollout, g.Size, g.Discount, g.Pick, g.Alpha, g.Backup, c.LOO = rolled, 2, -1, "best", 1, "children", loo
				})
				e := equalTree(rolled, pay)
				if err := l.assign(t.Context(), []*rollout.Episode{e}, new(learn.Stats)); err != nil {
					t.Fatalf("%s: %v", rolled, err)
				}
				none(t, rolled, e)
			}
		}
	}
}

// equalTree has two turns of one agent each, in which everything is paid alike.
func equalTree(rolled string, pay wage) *rollout.Episode {
	e := &rollout.Episode{}
	add := func(turn, parent, action int) {
		n := &rollout.Node{Turn: turn, Parent: parent, ParentAction: action, Joint: [][]int{{0}, {1}}, Rewards: []float64{pay(turn, 2), pay(turn, 2)}}
		n.Agents = []rollout.AgentTurn{{Agent: turn, Policy: "policy", Completions: []rollout.Completion{{Tokens: []int{1}}, {Tokens: []int{2}}}}}
		e.Nodes = append(e.Nodes, n)
	}
	add(0, -1, -1)
	add(1, 0, 0)
	if rolled == "tree" || rolled == learn.Alternatives {
		add(1, 0, 1)
	}
	return e
}

func noAdvantage(t *testing.T, what string, l *learner, e *rollout.Episode) {
	t.Helper()
	if err := l.creditEpisodes(t.Context(), []*rollout.Episode{e}, nil, new(learn.Stats)); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	none(t, what, e)
}

func none(t *testing.T, what string, e *rollout.Episode) {
	t.Helper()
	for i, n := range e.Nodes {
		for _, c := range n.Agents[0].Completions {
			if c.Advantage != 0 {
				t.Errorf("%s: message %d has advantage %v", what, i, c.Advantage)
			}
		}
	}
}
