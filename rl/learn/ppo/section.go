package ppo

import (
	"cmp"

	"parley/rl/learn"
)

// section declares the settings of multi-agent PPO.
func section() learn.Section {
	return learn.Section{Name: "ppo", Settings: Settings{}, Rules: rules(), Idle: idle()}
}

// of are the values of ppo in the recipe that v shows.
func of(v learn.View) Settings { return learn.SettingsIn[Settings](v.Settings) }

// rules refuse what a run of MAPPO cannot do, or would do in vain.
func rules() []learn.Rule {
	return []learn.Rule{
		// The schedule of the published code lets turn 2 learn first, then one turn at a time (maporl.md 6): turn 1 never learns.
		{Keys: []string{"ppo.schedule"}, Broken: func(v learn.View) string {
			return learn.If(of(v).alternates() && v.Turns-v.FirstTrainedTurn < 1, "ppo.schedule is alternating, but only one turn is trained")
		}, Hint: "it needs team.turns of at least 2"},
		{Keys: []string{"ppo.schedule", "policies.first_trained_turn"}, Broken: func(v learn.View) string {
			first := v.FirstTrainedTurn
			return learn.If(of(v).alternates() && first != 2 && v.Turns > first, "ppo.schedule is alternating, which trains the turns from 2 on, but policies.first_trained_turn is %d", first)
		}, Hint: "set policies.first_trained_turn to 2"},
		// KL(π_ref, π) = Σ π_ref log(π_ref/π) is infinite where π gives no probability to a token that π_ref gives one.
		{Keys: []string{"ppo.kl_form", "sampling.top_k", "sampling.top_p"}, Broken: func(v learn.View) string {
			return learn.If(v.Read && of(v).KLForm == "ref_policy_exact" && v.Cut, "ppo.kl_form is ref_policy_exact, but sampling.top_k and sampling.top_p cut the policy's distribution: the divergence would be infinite")
		}, Hint: "set sampling.top_k to 0 and sampling.top_p to 1"},
		// A bound below 1 + ε would cut the ratio before the clip does.
		{Keys: []string{"ppo.ratio_bound", "ppo.clip_high", "ppo.clip"}, Broken: func(v learn.View) string {
			s := of(v)
			least := 1 + cmp.Or(s.ClipHigh, s.Clip)
			return learn.If(v.Read && s.Loss == "ppo_two_sided" && s.RatioBound < least, "ppo.ratio_bound is %g, expected at least the end of the clip range, %g", s.RatioBound, least)
		}, Hint: "the paper of dual-clip PPO has 3"},
		// A minibatch without an answer has no gradient, and its step would move by momentum alone.
		{Keys: []string{"ppo.minibatches", "training.problems"}, Broken: func(v learn.View) string {
			n := v.AnswersPerPolicy
			return learn.If(v.Read && n >= 1 && of(v).Minibatches > n, "ppo.minibatches is %d, expected at most the %d answers that a policy gives in an update", of(v).Minibatches, n)
		}, Hint: "raise training.problems"},
	}
}

// alternates says that one turn learns at a time.
func (s Settings) alternates() bool { return s.Schedule == "alternating" }

// unclipped are the losses without a clip range.
func (s Settings) unclipped() bool { return s.Loss == "importance_sampling" || s.Loss == "reinforce" }

// idle are the keys that only some losses and schedules read.
func idle() []learn.Idle {
	under := func(loss func(Settings) bool) func(learn.View) string {
		return func(v learn.View) string { return learn.If(v.Read && loss(of(v)), "ppo.loss %s", of(v).Loss) }
	}
	return []learn.Idle{
		{When: under(Settings.unclipped), Keys: []string{"ppo.clip", "ppo.clip_high"}},
		{When: under(func(s Settings) bool { return s.Loss != "ppo_two_sided" }), Keys: []string{"ppo.ratio_bound"}},
		{When: func(v learn.View) string {
			return learn.If(v.Read && !of(v).alternates(), "ppo.schedule %s", of(v).Schedule)
		}, Keys: []string{"ppo.schedule_initial", "ppo.schedule_block"}},
		{When: under(func(s Settings) bool { return s.Loss != "grpo" }), Keys: []string{"ppo.loss_kl"}},
	}
}
