package words

import "parley/rl/learn"

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
