package words

import (
	"slices"

	"parley/rl/credit/workflow"
	"parley/rl/learn"
)

// CreditSection declares how messages of whole episodes are credited. MAGRPO has it: the other algorithms of the family are baselines of their own.
func CreditSection() learn.Section {
	return learn.Section{Name: "credit", Settings: Credit{}, BundleKey: "rule", Bundles: Published(), Rules: creditRules(), Warnings: slices.Concat(creditWarnings(), soloWarnings()), Idle: slices.Concat(creditIdle(), soloIdle(), influenceIdle())}
}

// EpisodeKeys are those of how messages of whole episodes are compared, which have no meaning where they are compared with their alternatives.
func EpisodeKeys() []string {
	return []string{
		"credit.rule", "credit.scope", "credit.turn", "credit.single", "credit.replace", "credit.calls", "credit.slots", "credit.returns", "credit.clock", "credit.team_weight",
		"credit.own_weight", "credit.failed", "credit.fail_reward", "credit.truncated", "credit.zero_sum", "credit.rae", "credit.solo", "credit.influence",
	}
}

// LossSection declares what losses of whole episodes are averaged over.
func LossSection() learn.Section {
	return learn.Section{Name: "loss", Settings: Loss{}, Rules: lossRules(), Warnings: lossWarnings()}
}

// creditRules refuse words that mean nothing for the episodes that are played.
func creditRules() []learn.Rule {
	// In a tree the node is the group, whose completions answered one prompt: there is nothing to choose. Its returns are expectations over what
	// follows, so that neither clocks nor single episodes that failed have a meaning there.
	return slices.Concat(baselineRules(), bonusRules(), influenceRules(), []learn.Rule{
		onlyEpisodes("credit.std", func(c Credit) bool { return c.Std != "none" }),
		onlyEpisodes("credit.loo", func(c Credit) bool { return c.LOO != "auto" }),
		onlyEpisodes("credit.single", func(c Credit) bool { return c.Single != "zero" }),
		onlyEpisodes("credit.returns", func(c Credit) bool { return c.Returns != "to_go" }),
		onlyEpisodes("credit.clock", func(c Credit) bool { return c.Clock != "ask" }),
		onlyEpisodes("credit.failed", func(c Credit) bool { return c.Failed != "drop" }),
		onlyEpisodes("credit.truncated", func(c Credit) bool { return c.Truncated != "auto" }),
		onlyEpisodes("credit.zero_sum", func(c Credit) bool { return c.ZeroSum }),
		onlyEpisodes("credit.team_weight", func(c Credit) bool { return c.TeamWeight != nil }),
		onlyEpisodes("credit.own_weight", func(c Credit) bool { return c.OwnWeight != nil }),
	})
}

// onlyEpisodes refuses a key's value where episodes are trees of joint actions.
func onlyEpisodes(key string, set func(Credit) bool) learn.Rule {
	return learn.Rule{Keys: []string{key, "group.rollout"}, Broken: func(v learn.View) string {
		return learn.If(v.Read && joint(v) && set(creditOf(v)), "%s is for rollout episodes, but group.rollout is %s", key, of(v).Rollout)
	}, Hint: "set group.rollout to episodes"}
}

// baselineRules are about the group that a message is compared in.
func baselineRules() []learn.Rule {
	return []learn.Rule{
		// The rules by name are what magrpo makes of whole episodes.
		{Keys: []string{"credit.rule", "algorithm"}, Broken: func(v learn.View) string {
			rule := creditOf(v).Rule
			return learn.If(rule != "none" && v.Algorithm.Name != "magrpo", "credit.rule is %s, which is a rule of algorithm magrpo, but algorithm is %s", rule, v.Algorithm.Name)
		}, Hint: "leave one of them out"},
		{Keys: []string{"credit.baseline", "group.rollout"}, Broken: func(v learn.View) string {
			b := creditOf(v).Baseline
			return learn.If(v.Read && !episodes(v) && b != "auto" && b != "node", "credit.baseline is %s, but %s: its episodes are compared node by node", b, played(v))
		}, Hint: "with algorithm magrpo, set group.rollout to episodes"},
		// Whole episodes share the first prompt and nothing else: behind it every message has a transcript of its own.
		{Keys: []string{"credit.baseline", "group.rollout"}, Broken: func(v learn.View) string {
			return learn.If(v.Read && episodes(v) && creditOf(v).Baseline == "node", "credit.baseline is node, but whole episodes share none")
		}, Hint: "set group.rollout to tree, or credit.baseline to problem"},
		// Both would divide by a deviation, and not by the same one: that of the scores, and that of the values of the baseline.
		{Keys: []string{"group.normalize", "credit.std", "credit.baseline"}, Broken: func(v learn.View) string {
			c := creditOf(v)
			return learn.If(v.Read && episodes(v) && of(v).Normalize && !c.Plain(), "group.normalize is true, but credit says how advantages are divided")
		}, Hint: "write credit.std population in the place of group.normalize"},
		// A score is what one value of the problem's group is; the other groups have returns.
		{Keys: []string{"credit.replace", "credit.baseline"}, Broken: func(v learn.View) string {
			c := creditOf(v)
			return learn.If(v.Read && c.Replace && c.Compared(of(v).Rollout) != "problem", "credit.replace is true, expected false with credit.baseline %s", c.Baseline)
		}},
		// The weights are of an agent's own messages, and their deviation is one with weights: only that with divisor Σw is defined.
		{Keys: []string{"credit.calls", "credit.baseline"}, Broken: func(v learn.View) string {
			c := creditOf(v)
			return learn.If(v.Read && c.Calls != "each" && c.Baseline != "agent", "credit.calls is %s, expected each with credit.baseline %s: it weighs the messages of one agent", c.Calls, c.Baseline)
		}, Hint: "set credit.baseline to agent"},
		{Keys: []string{"credit.calls", "credit.std", "credit.loo", "credit.single"}, Broken: func(v learn.View) string {
			c := creditOf(v)
			other := c.Std == "sample" || c.Leave("episodes") != workflow.LeaveNone || c.Single == "raw"
			return learn.If(v.Read && c.Calls != "each" && other, "credit.calls is %s, which has neither std sample nor loo nor single raw", c.Calls)
		}, Hint: "write credit.std none or population, and leave loo and single out"},
		// A role's past has no deviation, and nobody is left out of it.
		{Keys: []string{"credit.baseline", "credit.std", "credit.loo"}, Broken: func(v learn.View) string {
			c := creditOf(v)
			return learn.If(v.Read && c.Baseline == "rae" && (c.Std != "none" || c.LOO != "auto"), "credit.baseline rae compares a role with its own past: it has neither std nor loo")
		}, Hint: "leave credit.std and credit.loo out"},
		// What the vote would be without one is known where the team votes, and has no deviation.
		{Keys: []string{"credit.baseline", "team.answer"}, Broken: func(v learn.View) string {
			if v.Read && creditOf(v).Baseline == "vote" && v.Harness {
				return "credit.baseline is vote, but the program of the team votes, and nobody else sees how"
			}
			return learn.If(v.Read && creditOf(v).Baseline == "vote" && (!v.Workflow || v.Answer != "vote"), "credit.baseline is vote, but the team does not vote")
		}, Hint: "write team.answer: vote"},
		{Keys: []string{"credit.baseline", "credit.std", "credit.loo", "group.kl"}, Broken: func(v learn.View) string {
			c := creditOf(v)
			return learn.If(v.Read && c.Baseline == "vote" && (c.Std != "none" || c.LOO != "auto" || of(v).KL > 0), "credit.baseline vote compares one vote with that of the others: it has neither std nor loo nor group.kl")
		}, Hint: "leave credit.std, credit.loo and group.kl out"},
		// R − b would have the penalty in R and not in b, which then were no baseline of it.
		{Keys: []string{"credit.baseline", "group.kl"}, Broken: func(v learn.View) string {
			return learn.If(v.Read && creditOf(v).Baseline == "rae" && of(v).KL > 0, "group.kl is %g, expected 0 with credit.baseline rae: its averages are of rewards", of(v).KL)
		}},
	}
}

// creditWarnings are about words that run and are probably not meant.
func creditWarnings() []learn.Warning {
	return []learn.Warning{
		{
			When: func(v learn.View) bool { return v.Read && creditOf(v).Single == "raw" },
			// Its group has mean 0 and deviation 1 in the published code, so that A = R/(1+ε).
			Text: "credit.single raw gives a message that nobody is compared with its whole return as advantage: a rare agent is then pushed by the sign of its rewards",
		},
		{
			When: func(v learn.View) bool {
				c := creditOf(v)
				byAgent := c.Baseline == "agent" || c.Baseline == "agent_turn"
				return v.Read && byAgent && c.Std != "none" && of(v).Size == 2
			},
			// (x − (x+y)/2) / (|x−y|/2) is 1 or −1 with the population deviation; with the sample deviation ±1/√2.
			Text: "credit.std with groups of one agent and group.size 2: two messages that differ have advantages of one size, whatever they earned; take more episodes",
		},
		{
			// n/(n−1), which tells leave-one-out from the full mean, is common to all siblings and cancels with their deviation.
			When: func(v learn.View) bool {
				return v.Read && of(v).Rollout == learn.Alternatives && of(v).Normalize
			},
			Text: "group.normalize with algorithm c3 makes leave-one-out and the mean of all siblings the same (docs/credit.md): leave it out to compare them",
		},
		{
			When: func(v learn.View) bool {
				return v.Read && of(v).Rollout == learn.Alternatives && of(v).Siblings == "role"
			},
			Text: "group.siblings role compares messages behind different transcripts: their values differ by what stands above them too",
		},
		{
			When: func(v learn.View) bool { return v.Read && creditOf(v).Failed == "keep" },
			Text: "credit.failed keep learns from failures of the scorer and the environment too: use it only where every failure is the agents' own",
		},
		{
			When: func(v learn.View) bool { return v.Read && creditOf(v).RAE.Order == "after" },
			Text: "credit.rae.order after puts a reward into the average that it is compared with",
		},
	}
}

// creditIdle are keys of one baseline under another. A role's past is of whole rewards: it asks neither what follows a message nor for a deviation.
func creditIdle() []learn.Idle {
	unless := func(baseline string, keys ...string) learn.Idle {
		return learn.Idle{When: func(v learn.View) string {
			b := creditOf(v).Compared(of(v).Rollout)
			return learn.If(v.Read && b != baseline, "credit.baseline %s", b)
		}, Keys: keys}
	}
	return []learn.Idle{
		unless("rae", "credit.rae"), unless("global", "credit.scope"), unless("agent_turn", "credit.turn"),
		{When: func(v learn.View) string { return learn.If(creditOf(v).Calls == "each", "credit.calls each") }, Keys: []string{"credit.slots"}},
		{When: func(v learn.View) string { return learn.If(creditOf(v).Std == "none", "credit.std none") }, Keys: []string{"credit.divide", "credit.eps"}},
		{When: func(v learn.View) string { return learn.If(creditOf(v).Failed != "keep", "credit.failed drop") }, Keys: []string{"credit.fail_reward"}},
		{When: func(v learn.View) string { return learn.If(creditOf(v).Baseline == "rae", "credit.baseline rae") }, Keys: []string{"credit.single", "credit.returns", "credit.clock", "group.normalize"}},
	}
}

// lossRules refuse units that a step does not see whole.
func lossRules() []learn.Rule {
	return []learn.Rule{
		{Keys: []string{"loss.per", "group.rollout"}, Broken: func(v learn.View) string {
			per := lossOf(v).Per
			return learn.If(v.Read && !episodes(v) && per != "messages", "loss.per is %s, but group.rollout is %s: its losses are means over nodes", per, of(v).Rollout)
		}, Hint: "set group.rollout to episodes"},
		// Tokens for units: the number of episodes is none of tokens.
		{Keys: []string{"loss.per", "group.reduction"}, Broken: func(v learn.View) string {
			return learn.If(v.Read && lossOf(v).Per == "episodes" && of(v).Reduction == "token_mean", "loss.per is episodes, but group.reduction token_mean takes tokens for units")
		}, Hint: "set group.reduction to seq_sum or seq_mean"},
		// T of an episode, and the number of episodes, are known where an update is drained whole.
		{Keys: []string{"loss.per", "group.buffer"}, Broken: func(v learn.View) string {
			per, g := lossOf(v).Per, of(v)
			return learn.If(v.Read && (per == "turns" || per == "episodes") && (g.Buffer > 0 || g.BufferAcrossUpdates), "loss.per is %s, but buffers hold parts of episodes", per)
		}, Hint: "set group.buffer to 0, or loss.per to messages or agents"},
	}
}

// lossWarnings are about the harm of 1/T: with μ blind to the state, both a short and a long good episode have A > 0, and a step of the long one has
// A/T_long. To be taken it would have to be worth T_long/T_short times as much. A baseline that knows the state cures it too.
func lossWarnings() []learn.Warning {
	return []learn.Warning{{
		When: func(v learn.View) bool {
			return v.Read && lossOf(v).Per == "turns" && creditOf(v).Compared(of(v).Rollout) == "problem"
		},
		Text: "loss.per turns with credit.baseline problem favors short episodes: at equal outcome a step of a longer one counts less (docs/credit.md); write loss.per episodes",
	}}
}

func lossOf(v learn.View) Loss { return learn.SettingsIn[Loss](v.Settings) }
