package recipe

import (
	"slices"

	"parley/recipe/keys"
)

// idleKeys are keys and sections that do nothing under some condition: when says under which, or "".
var idleKeys = []struct {
	when func(r *Recipe) string
	keys []string
}{
	{unlessFrom(keys.Preferences), []string{"reward.model"}},
	{func(r *Recipe) string {
		return given(r.Sampling.Truncated != "penalty", "sampling.truncated "+r.Sampling.Truncated)
	}, []string{"sampling.truncated_penalty"}},
	{func(r *Recipe) string {
		return given(!r.Team.Asks() && r.Reward.Source != "server" && !r.Prefers(), "no server that is asked")
	}, []string{"servers"}},
	{underTrees, []string{"team.consensus"}},
	{func(r *Recipe) string { return given(!r.Harnessed(), "team.protocol "+r.Team.Protocol) }, []string{"team.harness"}},
	{func(r *Recipe) string { return given(r.Team.Harness.Python == "", "no team.harness.python") }, []string{"team.harness.interpreter"}},
	{func(r *Recipe) string { return given(len(r.Team.Harness.Command) == 0, "no team.harness.command") }, []string{"team.harness.keep"}},
	{func(r *Recipe) string { return given(r.Team.Harness.URL == "", "no team.harness.url") }, []string{"team.harness.key_env"}},
	{func(r *Recipe) string { return given(r.Harnessed(), "team.protocol "+r.Team.Protocol) }, append(keys.InHarness(), "truncate", "training.deadline")},
	{func(r *Recipe) string { return given(!r.AlgorithmType().DesignsRewards, r.learning()) }, []string{"reward.design", "reward.gamma", "reward.incentives", "reward.penalties.scope"}},
	{unprocessed, []string{"reward.scale", "reward.shift", "reward.clamp", "reward.processors"}},
	{func(r *Recipe) string {
		return given(r.traits().Acts, "task "+r.Task.Name+", whose environment pays step by step")
	}, []string{"reward.scale", "reward.shift", "reward.clamp", "reward.processors", "group.terminate"}},
	{unlessFrom("trained"), []string{"reward.scoring.folders"}},
	{unlessFrom("program"), []string{"reward.scoring.command"}},
	{unlessFrom("server"), []string{"reward.scoring.url", "reward.scoring.model", "reward.scoring.key_env"}},
	{unlessFrom("program", "server"), []string{"reward.scoring.seconds", "reward.scoring.retries"}},
	{unlessFrom("user"), []string{"reward.user.python", "reward.user.isolated", "reward.user.command", "reward.user.expression", "reward.user.url", "reward.user.key_env", "reward.user.seconds", "reward.user.retries", "reward.user.memory_mb"}},
	{unlessFrom("user", keys.OfHarness), []string{"reward.user.min", "reward.user.max"}},
	{func(r *Recipe) string {
		return given(r.Engine.Torch.Device == "", "an empty engine.torch.device, which auto is the usual value of")
	}, []string{"engine.torch"}},
	{func(r *Recipe) string { return given(r.Reward.User.Python == "", "no reward.user.python") }, []string{"reward.user.isolated", "reward.user.memory_mb"}},
	{func(r *Recipe) string { return given(r.Reward.User.URL == "", "no reward.user.url") }, []string{"reward.user.key_env"}},
	{func(r *Recipe) string { return given(r.Training.MLflow.URL == "", "no training.mlflow.url") }, []string{"training.mlflow.experiment", "training.mlflow.token_env"}},
	{func(r *Recipe) string { return given(r.Reward.User.Tried(), "a reward that is computed once") }, []string{"reward.user.retries"}},
	{func(r *Recipe) string { return given(!r.traits().Choice, "task "+r.Task.Name) }, []string{"reward.penalties.no_reasoning"}},
	{func(r *Recipe) string { return given(!r.slices(), "team.feedback "+r.Team.Feedback) }, []string{"team.sandbox_slice"}},
	{func(r *Recipe) string { return given(r.Team.Program == "", "no team.program") }, []string{"team.lessons"}},
	{func(r *Recipe) string { return given(r.Team.Proposals.Each == 0, "team.proposals.each 0") }, []string{"team.proposals.most_right"}},
	{func(r *Recipe) string { return given(r.Team.Feedback != "expert", "team.feedback "+r.Team.Feedback) }, []string{"team.expert"}},
	{func(r *Recipe) string { return given(!r.Team.CallsTools(), "agents that have no tools") }, []string{"team.tools"}},
	{func(r *Recipe) string { return given(r.Team.Tools.Form != "text", "another form than text") }, []string{"team.tools.open", "team.tools.close"}},
	{func(r *Recipe) string {
		return given(r.Policies.Sharing == "per-agent" || r.Policies.Sharing == "per-agent-turn", "policies.sharing "+r.Policies.Sharing)
	}, []string{"training.role_gradients"}},
	{func(r *Recipe) string { return given(r.Team.Turns == 1, "one turn") }, []string{"team.chat_memory", "team.warm_up"}},
	{func(r *Recipe) string {
		return given(!r.protocol().Exchanges && r.Reward.Source != "trained", "team.protocol "+r.Team.Protocol)
	}, []string{"team.normalize_visible"}},
	{func(r *Recipe) string {
		return given(r.protocol().Partial && !r.Stepwise(), "team.protocol "+r.Team.Protocol)
	}, []string{"team.history", "team.chat_memory", "team.reward_feedback"}},
	{func(r *Recipe) string { return given(r.protocol().Partial, "team.protocol "+r.Team.Protocol) }, []string{"team.warm_up", "team.prompts.later"}},
	{func(r *Recipe) string { return given(!r.Stepwise(), "team.protocol "+r.Team.Protocol) }, []string{"team.workflow", "team.program", "team.answer", "team.fields", "team.proposals"}},
	{func(r *Recipe) string { return given(!r.trees(), r.learning()) }, []string{"team.warm_up"}},
	{func(r *Recipe) string { return given(len(r.Models) > 0, "models, which names the base of every agent") }, []string{"model"}},
	{func(r *Recipe) string {
		return given(!r.Task.Filter.Active(), "task.filter.min_pass_rate 0 and most 1, which leave nothing out")
	}, []string{"task.filter.samples", "task.filter.held_out"}},
	{func(r *Recipe) string {
		return given(!r.trees() && r.Team.Consensus.Share > 1, "team.consensus.share above 1")
	}, []string{"team.consensus.score"}},
	{func(r *Recipe) string { return given(r.Reward.Joint(), "reward.source "+r.Reward.Source) }, []string{"eval.extract", "eval.without_history"}},
	{func(r *Recipe) string { return given(!r.traits().Solvable, "task "+r.Task.Name) }, []string{"eval.pass_at", "eval.accuracy_at", "task.filter"}},
	{func(r *Recipe) string { return given(!r.Votes(), "task "+r.Task.Name) }, []string{"eval.passes", "eval.ablations"}},
	{func(r *Recipe) string {
		return given(r.AlgorithmType().Alone() || r.AlgorithmType().Untrained(), r.learning())
	}, []string{"eval.every"}},
	{func(r *Recipe) string { return given(r.Eval.Every == 0, "eval.every 0") }, []string{"eval.panel"}},
	{func(r *Recipe) string {
		// Such answers have nothing but the user's reward, which does not say what is solved.
		return given(!r.traits().Answers && !r.Reward.OfTask(), "reward.source "+r.Reward.Source+" and task "+r.Task.Name)
	}, []string{"eval.pass_at", "eval.accuracy_at"}},
	{func(r *Recipe) string { return given(r.AlgorithmType().Untrained(), r.learning()) }, []string{"optimizer", "policies.full", "policies.rank", "policies.alpha", "policies.targets", "policies.first_trained_turn", "task.filter.held_out"}},
	{func(r *Recipe) string { return given(!r.AlgorithmType().Untrained(), r.learning()) }, []string{"team.cast"}},
	{func(r *Recipe) string { return given(r.Policies.Full, "policies.full") }, []string{"policies.rank", "policies.alpha", "policies.targets"}},
	{func(r *Recipe) string { return given(r.AlgorithmType().Unheard() || r.Prefers(), r.learning()) }, []string{"training.deadline"}},
	{func(r *Recipe) string { return given(r.Optimizer.Decay == "none", "optimizer.decay none") }, []string{"optimizer.final_lr"}},
}

// unlessFrom is when rewards come from none of some sources.
func unlessFrom(sources ...string) func(*Recipe) string {
	return func(r *Recipe) string {
		return given(!slices.Contains(sources, r.Reward.Source), "reward.source "+r.Reward.Source)
	}
}

func underTrees(r *Recipe) string { return given(r.trees(), r.learning()) }

// unprocessed is when scores go through a reward design instead of the reward processor.
func unprocessed(r *Recipe) string {
	return given(!r.trees() && !r.Reward.Joint(), r.learning()+" and reward.source "+r.Reward.Source)
}

func given(condition bool, why string) string {
	if condition {
		return why
	}
	return ""
}
