// Package words declares the settings of groups, and of how their messages are credited: what a recipe may say, and what is refused, warned of or
// without effect. Package group learns by them.
//
//	section.go        group: how many completions, and what becomes of them
//	credit.go         credit and loss: what a message returns, whom it is compared with, and what losses are averaged over
//	creditsection.go  what of these is refused
//	solo.go           episodes without an agent
package words

import (
	"fmt"
	"slices"
	"strings"

	"parley/rl/learn"
)

// Section declares the settings of groups. Every algorithm that learns from groups of completions has it, as actor-critics have.
func Section() learn.Section {
	return learn.Section{Name: "group", Settings: learn.Group{}, Rules: slices.Concat(sizes(), forms(), soloRules(), harnessRules(), asyncRules()), Warnings: warnings(), Idle: idle()}
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
			return learn.If(v.Kind() == learn.ActorCritic && v.Turns > 1 && of(v).Size != 1 && of(v).Rollout != "episodes", "group.size is %d, expected 1: algorithm %s over several turns follows a single dialogue", of(v).Size, v.Algorithm.Name)
		}, Hint: "write group: {size: 1}, or group: {rollout: episodes} for several whole episodes of a problem"},
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

// asyncRules say where training cannot sample ahead of the learner: where nothing corrects for it, and where what is sampled depends on what the
// update before leaves.
func asyncRules() []learn.Rule {
	return []learn.Rule{
		{Keys: []string{"training.async", "algorithm"}, Broken: func(v learn.View) string {
			return learn.If(v.Async > 0 && !v.Algorithm.Corrects, "training.async is %d, but algorithm %s does not correct for answers of an older policy", v.Async, v.Algorithm.Name)
		}, Hint: "leave it out, or choose an algorithm that learns from groups, or iac or maac"},
		// Without weights the gradient is not that of the policy that is trained.
		{Keys: []string{"training.async", "group.ratio_cap"}, Broken: func(v learn.View) string {
			return learn.If(v.Async > 0 && v.Algorithm.Corrects && of(v).RatioCap == 0, "training.async is %d, but group.ratio_cap is 0: tokens of an older policy would be learned from without their weights", v.Async)
		}, Hint: "set group.ratio_cap to 2"},
		// A snapshot is taken before an update is sampled, of policies that then are not there yet.
		{Keys: []string{"training.async", "opponents.share"}, Broken: func(v learn.View) string {
			share := learn.SettingsIn[learn.Opponents](v.Settings).Share
			return learn.If(v.Async > 0 && v.Algorithm.Corrects && share > 0, "training.async is %d, but opponents.share is %g: an update would be sampled before the snapshots that play in it are taken", v.Async, share)
		}, Hint: "leave one of them out"},
		// A reward model learns from what the policies of an iteration write, before anybody is scored by it.
		{Keys: []string{"training.async", "reward.source"}, Broken: func(v learn.View) string {
			return learn.If(v.Async > 0 && v.Algorithm.Corrects && v.Reward == "preferences", "training.async is %d, but reward.source is preferences: an update would be scored by the reward model of the iteration before", v.Async)
		}, Hint: "leave training.async out"},
		// What was sampled ahead is never learned from where the budget ends the training.
		{Keys: []string{"training.async", "training.tokens"}, Broken: func(v learn.View) string {
			return learn.If(v.Async > 0 && v.Algorithm.Corrects && v.Budget > 0, "training.async is %d, but training.tokens is %d: the update that is sampled ahead of the last one would be generated for nothing, and not counted", v.Async, v.Budget)
		}, Hint: "bound the training by training.updates"},
	}
}

// harnessRules refuse what would have to put the program back in which a team works, and what learns from other than whole episodes.
func harnessRules() []learn.Rule {
	return []learn.Rule{
		{Keys: []string{"algorithm", "team.protocol"}, Broken: func(v learn.View) string {
			switch a := v.Algorithm; {
			case !v.Harness, a.Episodes == learn.FromNowhere:
				return ""
			case a.Episodes == learn.FromPolicies && (a.Kind == learn.GroupRelative && a.ShapeOf("episodes") == "episodes" || a.CriticsUnder(v.Settings) != learn.CriticsNone):
				return ""
			case a.Kind == learn.GroupRelative:
				return fmt.Sprintf("algorithm is %s, which tries other messages in one place, but a program cannot be put back to an earlier state", a.Name)
			}
			return fmt.Sprintf("algorithm is %s, which does not learn from whole episodes, but a program plays whole episodes", v.Algorithm.Name)
		}, Hint: "write magrpo, mareinforce, marloo, maremax, iac, maac or mappo, or none for a team that is measured"},
		{Keys: []string{"group.rollout", "team.protocol"}, Broken: func(v learn.View) string {
			return learn.If(v.Harness && v.Kind() == learn.GroupRelative && joint(v), "group.rollout is %s, which goes on from one state in several ways, but a program cannot be put back to an earlier state", of(v).Rollout)
		}, Hint: "set group.rollout to episodes"},
		{Keys: []string{"group.replay", "team.protocol"}, Broken: func(v learn.View) string {
			return learn.If(v.Harness && len(of(v).Replay) > 0, "group.replay goes on from an earlier message, but a program cannot be put back to an earlier state")
		}, Hint: "leave group.replay out"},
		{Keys: []string{"policies.first_trained_turn", "team.protocol"}, Broken: func(v learn.View) string {
			return learn.If(v.Harness && v.FirstTrainedTurn > 1, "policies.first_trained_turn is %d, but each call of the team's program is a turn", v.FirstTrainedTurn)
		}, Hint: "leave it out"},
	}
}

// Published are the rules of the field by name, each as its authors have it where that can be said of any team. What they are, and where the
// published codes differ from their papers, docs/credit.md says.
func Published() []learn.Bundle {
	// Of a rule's words, those that it does not say are the defaults, whatever a recipe had before.
	plain := []string{
		"algorithm=magrpo", "group.rollout=episodes", "group.discount=1", "group.normalize=false", "group.reduction=seq_sum", "group.fanout=[]", "group.replay=[]", "loss.per=messages",
		"credit.baseline=auto", "credit.std=none", "credit.divide=floor", "credit.eps=1e-6", "credit.loo=auto", "credit.single=zero", "credit.replace=false", "credit.calls=each",
		"credit.returns=to_go", "credit.clock=ask", "credit.alternate=0", "credit.solo.outcome=reward", "credit.solo.lambda=0",
		"credit.influence.alpha=0", "credit.influence.restart=", "credit.influence.beta=0",
	}
	whole := func(set ...string) []string { return slices.Concat(plain, set) }
	return []learn.Bundle{
		// arXiv 2602.08847: μ and σ of each agent; a message that nobody is compared with keeps its reward.
		{Word: "drmas", Set: whole("credit.baseline=agent", "credit.returns=episode", "credit.std=sample", "credit.divide=add", "credit.single=raw")},
		// arXiv 2506.24119: R less what the role earned before.
		{Word: "rae", Set: whole("credit.baseline=rae", "credit.rae.decay=0.95", "credit.rae.mode=sequential", "credit.rae.order=before", "credit.rae.key=role", "credit.rae.warm=zero")},
		// arXiv 2603.21563: R in {−1, 1}, λ = .2, roles in turns of ten updates, the mean alone.
		{Word: "ccpo", Set: whole("credit.baseline=agent", "credit.alternate=10", "credit.solo.outcome=sign", "credit.solo.lambda=0.2", "credit.solo.bonus=event", "credit.solo.baseline=group")},
		// arXiv 2511.13288: every episode counts the same for a sub-agent, however often it was called.
		{Word: "mgrpo", Set: whole("credit.baseline=agent", "credit.calls=weight")},
		// arXiv 2511.02303: 1/(G·|y|) without 1/T, and α = β = .1.
		{Word: "drmamr", Set: whole(
			"loss.per=episodes", "group.reduction=seq_mean", "credit.baseline=problem", "credit.returns=episode", "credit.std=population", "credit.divide=add",
			"credit.influence.alpha=0.1", "credit.influence.restart=<restart>", "credit.influence.beta=0.1")},
	}
}
