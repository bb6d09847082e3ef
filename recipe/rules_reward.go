package recipe

import (
	"parley/internal/service/web"
	"parley/recipe/keys"
	"parley/rl/reward"
)

// rewardRules are about what answers earn.
var rewardRules = []rule{
	{[]string{"reward.scoring.folders", "reward.source"}, func(r *Recipe) string {
		return unless(r.Reward.Source != "trained" || len(r.Reward.Scoring.Folders) > 0, "reward.source is trained, but reward.scoring.folders names no folder")
	}, "parley verifier train makes one"},
	{[]string{"reward.scoring.command", "reward.source"}, func(r *Recipe) string {
		return unless(r.Reward.Source != "program" || len(r.Reward.Scoring.Command) > 0 && r.Reward.Scoring.Command[0] != "", "reward.source is program, but reward.scoring.command is empty")
	}, "write for example command: [python3, verifier.py]"},
	{[]string{"reward.scoring.url", "reward.scoring.model", "reward.source"}, func(r *Recipe) string {
		s := r.Reward.Scoring
		return unless(r.Reward.Source != "server" || keys.WebAddress(s.URL) && s.Model != "", "reward.source is server, but reward.scoring.url is %q and model %q, expected an http address and a name", s.URL, s.Model)
	}, "write for example url: http://127.0.0.1:8000/v1"},
	{[]string{"reward.source", "task.name"}, func(r *Recipe) string {
		return unless(!r.Reward.OfTask() || r.traits().Joint, "reward.source is %s, but task %s has no joint reward", r.Reward.Source, r.Task.Name)
	}, "set reward.source to label, or task.name to a task that has one"},
	{[]string{"reward.source", "task.name"}, func(r *Recipe) string {
		return unless(r.Reward.Joint() || r.traits().Answers, "reward.source is %s, but task %s has no right answers", r.Reward.Source, r.Task.Name)
	}, "set reward.source to user, or to joint where the task has a joint reward"},
	{[]string{"reward.user", "reward.source"}, func(r *Recipe) string {
		n := len(r.Reward.User.Sources())
		return unless(r.Reward.Source != "user" || n == 1, "reward.source is user, and reward.user has %d of python, command, expression and url, expected one", n)
	}, "write for example python: reward.py"},
	{[]string{"reward.user.url"}, func(r *Recipe) string {
		u := r.Reward.User.URL
		return unless(u == "" || keys.Answers(u), "reward.user.url is %q, expected an http address, or host: and a path", u)
	}, "write for example url: http://127.0.0.1:8000/reward"},
	{[]string{"reward.user.key_env", "reward.user.url"}, func(r *Recipe) string {
		u := r.Reward.User
		return unless(u.KeyEnv == "" || !web.OfHost(u.URL), "reward.user.key_env is %s, but the program that starts parley has a key of its own for %s", u.KeyEnv, u.URL)
	}, "leave it out"},
	{[]string{"reward.user.max", "reward.user.min"}, func(r *Recipe) string {
		u := r.Reward.User
		return unless(u.Min < u.Max, "reward.user.max is %g, expected more than reward.user.min, %g", u.Max, u.Min)
	}, ""},
	{[]string{"reward.source", "algorithm", "team.protocol"}, func(r *Recipe) string {
		tree := r.trees() && r.protocol().Exchanges && r.Team.Turns > 1
		return unless(!tree || r.Reward.Source != "final-label",
			"reward.source is final-label, expected label or joint: algorithm %s rewards every turn of a debate", r.Algorithm)
	}, "set reward.source to label"},
	{[]string{"reward.incentives"}, func(r *Recipe) string {
		return unless(r.Reward.Incentives.Zero() || r.Team.Agents.N > 1 && r.Team.Turns > 1,
			"reward.incentives compare an agent with the others over turns, but the team has %d agents and %d turns", r.Team.Agents.N, r.Team.Turns)
	}, "they need team.agents and team.turns of at least 2"},
	{[]string{"reward.incentives.beta0", "reward.incentives.beta1", "policies.first_trained_turn"}, func(r *Recipe) string {
		in := r.Reward.Incentives
		return unless(in.Beta0 == 0 && in.Beta1 == 0 || r.Policies.FirstTrainedTurn < r.Team.Turns || r.Team.Turns == 1,
			"reward.incentives beta is credited to the turns before the last, but policies.first_trained_turn is %d", r.Policies.FirstTrainedTurn)
	}, "set policies.first_trained_turn to 1"},
	{[]string{"reward.incentives"}, func(r *Recipe) string {
		return unless(r.Reward.Incentives.Zero() || r.traits().Answers, "reward.incentives need right and wrong answers, which task %s has not", r.Task.Name)
	}, "leave them out"},
	{[]string{"reward.penalties.min_tokens", "sampling.max_tokens"}, func(r *Recipe) string {
		least := r.Reward.Penalties.MinTokens
		return unless(r.Reward.Joint() || least <= r.Sampling.MaxTokens,
			"reward.penalties.min_tokens is %d and sampling.max_tokens is %d: every answer would be flagged", least, r.Sampling.MaxTokens)
	}, "set reward.penalties.min_tokens to 0, or raise sampling.max_tokens"},
	{[]string{"task.answer", "reward.penalties.no_box"}, func(r *Recipe) string {
		unboxed := r.unboxed()
		return unless(unboxed == "" || !r.Reward.Penalties.NoBox, "task.%s, but reward.penalties.no_box flags answers without a box", unboxed)
	}, "set reward.penalties.no_box to false"},
	{[]string{"reward.penalties.repeat_max", "reward.penalties.repeat_min"}, func(r *Recipe) string {
		p := r.Reward.Penalties
		return unless(p.RepeatMin <= p.RepeatMax, "reward.penalties.repeat_max is %d, expected at least repeat_min, %d", p.RepeatMax, p.RepeatMin)
	}, ""},
	{[]string{"reward.clamp"}, func(r *Recipe) string {
		c := r.Reward.Clamp
		return unless(len(c) == 0 || len(c) == 2 && c[0] < c[1], "reward.clamp is %v, expected a lesser and a greater number", c)
	}, "write for example [-10, 10]"},

	{[]string{"reward.processors"}, func(r *Recipe) string {
		for _, text := range r.Reward.Processors {
			if _, err := reward.ParseProcessor(text); err != nil {
				return "reward.processors: " + err.Error()
			}
		}
		return ""
	}, "write for example [sigmoid_scale 2]"},
}
