package words

import (
	"slices"
	"strings"

	"parley/rl/learn"
)

// Section declares the settings of groups. Every algorithm that learns from groups of completions has it, as actor-critics have.
func Section() learn.Section {
	return learn.Section{Name: "group", Settings: learn.Group{}, Rules: slices.Concat(sizes(), forms(), soloRules(), asyncRules()), Warnings: warnings(), Idle: idle()}
}

// of are the values of group in the recipe that v shows.
func of(v learn.View) learn.Group { return learn.SettingsIn[learn.Group](v.Settings) }

// trees says that episodes are trees of joint actions, not debates.
func trees(v learn.View) bool { return v.Kind() != learn.Debates }

// chains says that of these trees the best joint action alone goes on (MAGRPO §2.6).
func chains(v learn.View) bool { return trees(v) && of(v).Rollout == "chain" }

// forms are the rules on what becomes of the completions of a group.
func forms() []learn.Rule {
	return []learn.Rule{
		// A step takes its samples from what the buffer holds.
		{Keys: []string{"group.train_batch", "group.buffer"}, Broken: func(v learn.View) string {
			g := of(v)
			return learn.If(g.Buffer > 0 && g.TrainBatch > g.Buffer, "group.train_batch is %d, expected at most group.buffer, %d", g.TrainBatch, g.Buffer)
		}},
		{Keys: []string{"group.padding", "group.ratio_cap"}, Broken: func(v learn.View) string {
			g := of(v)
			return learn.If(g.Padding != "exact" && g.RatioCap != 0, "group.padding is padded, but group.ratio_cap is %g: pads were never sampled, so they have no ratio", g.RatioCap)
		}, Hint: "set group.ratio_cap to 0"},
		{Keys: []string{"group.turn_weights", "team.turns"}, Broken: func(v learn.View) string {
			n := len(of(v).TurnWeights)
			return learn.If(n != 0 && n != v.Turns, "group.turn_weights has %d numbers, expected one for each of %d turns", n, v.Turns)
		}},
	}
}

// episodes says that a problem has several whole episodes in the place of a tree.
func episodes(v learn.View) bool { return trees(v) && of(v).Rollout == "episodes" }

// joint says that those who are asked at once answer as one joint action, at the nodes of a tree or of a chain.
func joint(v learn.View) bool {
	return trees(v) && (of(v).Rollout == "tree" || of(v).Rollout == "chain")
}

// played says in a message what episodes are.
func played(v learn.View) string {
	if joint(v) || episodes(v) {
		return "group.rollout is " + of(v).Rollout
	}
	return "algorithm is " + v.Algorithm.Name
}

// DecisionKeys are those of algorithms that execute one of several candidates.
func DecisionKeys() []string { return []string{"group.alpha", "group.pick"} }

// AlternativeKeys are those of algorithms that follow all alternatives of a message.
func AlternativeKeys() []string {
	return []string{"group.fanout", "group.replay", "group.siblings", "group.backup"}
}

// JointKeys are those of joint actions.
func JointKeys() []string {
	return []string{"group.rollout", "group.joint", "group.cross_credit", "group.terminate", "group.turn_weights", "group.end_value", "group.end_weight"}
}

// sizes are the rules on how many completions there are, and which are tried together.
func sizes() []learn.Rule {
	return []learn.Rule{
		// The best joint action goes on, and it is one of the j-th completions together.
		{Keys: []string{"group.joint", "group.rollout"}, Broken: func(v learn.View) string {
			return learn.If(chains(v) && of(v).Joint != "aligned", "group.joint is %s, expected aligned with rollout chain", of(v).Joint)
		}},
		// What the agent's other completions would have returned with the same partners is known where all combinations were tried.
		{Keys: []string{"group.cross_credit", "group.joint"}, Broken: func(v learn.View) string {
			alone := v.Kind() == learn.GroupRelative && of(v).CrossCredit == "counterfactual" && of(v).Joint == "aligned"
			return learn.If(alone, "group.cross_credit is counterfactual, but with group.joint aligned no completion is tried with other partners")
		}, Hint: "set group.joint to cross"},
		{Keys: []string{"group.rollout", "algorithm"}, Broken: func(v learn.View) string {
			a, said := v.Algorithm, of(v).Rollout
			played := slices.DeleteFunc([]string{"tree", "chain", "episodes"}, func(word string) bool { return a.ShapeOf(word) == "" })
			return learn.If(trees(v) && a.ShapeOf(said) == "", "group.rollout is %s, expected %s with algorithm %s, whose advantages are defined there", said, strings.Join(played, " or "), a.Name)
		}},
		// A choice among equals is no comparison, and what is followed once has no siblings.
		{Keys: []string{"group.fanout", "group.rollout"}, Broken: func(v learn.View) string {
			fan := of(v).FanOut
			return learn.If(len(fan) > 0 && slices.Max(fan) < 2, "group.fanout has one alternative of every message, which then has no sibling")
		}, Hint: "write for example [4, 2]"},
		{Keys: []string{"group.replay", "group.rollout"}, Broken: func(v learn.View) string {
			n := of(v).Replay
			return learn.If(len(n) > 0 && (len(n) != 2 || n[0] < 2), "group.replay is %d, expected two numbers, of at least 2 alternatives and of their continuations", n)
		}, Hint: "write for example [4, 2]"},
		{Keys: []string{"group.replay", "group.fanout"}, Broken: func(v learn.View) string {
			return learn.If(len(of(v).Replay) > 0 && len(of(v).FanOut) > 0, "group.replay has alternatives of one message, and group.fanout of all")
		}, Hint: "leave one of them out"},
		{Keys: []string{"group.replay_turn", "team.turns"}, Broken: func(v learn.View) string {
			return learn.If(of(v).ReplayTurn > v.Turns, "group.replay_turn is %d, expected at most %d, the turns of the team", of(v).ReplayTurn, v.Turns)
		}},
		// The advantage of an only completion is 0, or has no others to be compared with. A role is compared with its own past, a vote with those of others.
		{Keys: []string{"group.size", "algorithm"}, Broken: func(v learn.View) string {
			alone := v.Kind() == learn.GroupRelative && of(v).Size < 2 && creditOf(v).InGroups() && len(of(v).Replay) == 0
			return learn.If(alone, "group.size is 1, expected at least 2: advantages of algorithm %s compare the completions of a group", v.Algorithm.Name)
		}},
		// A critic values one state after another; several completions at a node would be several next states.
		{Keys: []string{"group.size", "team.turns", "algorithm"}, Broken: func(v learn.View) string {
			return learn.If(v.Kind() == learn.ActorCritic && v.Turns > 1 && of(v).Size != 1, "group.size is %d, expected 1: algorithm %s over several turns follows a single dialogue", of(v).Size, v.Algorithm.Name)
		}, Hint: "write group: {size: 1}"},
	}
}

// terminates says that nodes end where their reward is great enough.
func terminates(v learn.View) bool { return trees(v) && v.Turns > 1 && of(v).Terminate != nil }

// warnings are about settings that make the algorithms equal, or the end of a node a matter of course.
func warnings() []learn.Warning {
	return []learn.Warning{
		{
			When: func(v learn.View) bool {
				return of(v).Normalize && slices.Contains([]string{"mareinforce", "marloo", "maremax"}, v.Algorithm.Name)
			},
			Text: "group.normalize makes mareinforce, marloo, maremax and magrpo the same algorithm (magrpo.md 2.3): leave it out to compare them",
		},
		{
			When: func(v learn.View) bool { return terminates(v) && *of(v).Terminate < 0 },
			Text: "group.terminate is below 0, a share of the reward's range that every node exceeds: turn 2 is never played",
		},
		{
			When: func(v learn.View) bool { return terminates(v) && *of(v).Terminate >= 1 },
			Text: "group.terminate is at least 1, a share of the reward's range that no node exceeds: nothing ends early",
		},
	}
}

// idle are the keys of one kind of rollout in the other, and those that nothing asks for.
func idle() []learn.Idle {
	return []learn.Idle{
		{When: func(v learn.View) string { return learn.If(episodes(v), "group.rollout episodes") }, Keys: []string{"group.joint", "group.cross_credit", "group.terminate"}},
		{When: func(v learn.View) string {
			return learn.If(v.Reward == "preferences", "reward.source preferences, whose scores have no range")
		}, Keys: []string{"group.terminate"}},
		{When: func(v learn.View) string { return learn.If(chains(v), "group.rollout chain") }, Keys: []string{"group.discount", "group.normalize", "group.kl"}},
		{When: func(v learn.View) string { return learn.If(len(of(v).Replay) == 0, "group.replay []") }, Keys: []string{"group.replay_turn"}},
		{When: func(v learn.View) string {
			return learn.If(episodes(v) || joint(v) && !chains(v), "group.rollout %s", of(v).Rollout)
		}, Keys: []string{"group.turn_weights", "group.end_value", "group.end_weight"}},
		{When: func(v learn.View) string { return learn.If(trees(v) && v.Turns == 1, "one turn") }, Keys: []string{"group.terminate"}},
		{When: func(v learn.View) string {
			return learn.If(trees(v) && of(v).Buffer == 0, "group.buffer 0")
		}, Keys: []string{"group.train_batch", "group.buffer_across_updates"}},
	}
}
