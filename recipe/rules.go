package recipe

import (
	"fmt"
	"slices"

	"parley/recipe/catalog"
	"parley/recipe/keys"
	"parley/recipe/teams"
	"parley/rl/learn"
)

// A rule is one combination of values that is refused.
type rule struct {
	keys   []string               // the keys it is about, the one to point at first
	broken func(r *Recipe) string // what is wrong and what was expected; empty: nothing
	hint   string
}

// runRules are about what is learned, how it is measured and what it may cost.
var runRules = []rule{
	{[]string{"team.turns", "algorithm", "reward.source"}, func(r *Recipe) string {
		return unless(!r.Prefers() || r.Team.Turns == 1 || r.Harnessed(), "team.turns is %d, expected 1: pairs of joint responses are those of one turn", r.Team.Turns)
	}, ""},
	{[]string{"algorithm", "reward.source"}, func(r *Recipe) string {
		return unless(r.Reward.Source != keys.Preferences || r.trees() && r.Kind() != learn.Preferences, "algorithm is %s, expected one that rewards joint responses: the reward model of reward.source preferences scores them", r.Algorithm)
	}, "write for example magrpo"},
	{[]string{"training.mlflow.url"}, func(r *Recipe) string {
		u := r.Training.MLflow.URL
		return unless(u == "" || keys.WebAddress(u), "training.mlflow.url is %q, expected an http address", u)
	}, "write for example url: http://127.0.0.1:5000"},
	{[]string{"servers"}, func(r *Recipe) string { return r.Servers.Broken() }, ""},
	{[]string{"engine.torch.device", "engine.torch.devices", "engine.torch", "engine.tinker.url"}, func(r *Recipe) string { return r.Engine.TorchFault() }, "docs/gpus.md says which device is whose"},
	{[]string{"training.updates", "training.problems", "group.size", "group.buffer_across_updates", "team.turns", "sampling.max_tokens"}, func(r *Recipe) string {
		n, err := r.Generations()
		if err != nil {
			return ""
		}
		answers, updates := product(r.Training.Problems, n), product(r.Training.Updates)
		switch tokens := updates * answers * product(r.Sampling.MaxTokens); {
		case tokens > mostTokens:
			return fmt.Sprintf("training.updates, training.problems and sampling.max_tokens ask for %.0g tokens, expected at most %g", tokens, mostTokens)
		case answers > mostAnswers:
			return fmt.Sprintf("training.problems and group.size ask for %.0g answers in an update, expected at most %g, since all of an update are held at once; lower training.problems", answers, mostAnswers)
		case updates*answers > mostCounted && Section[learn.Group](r).BufferAcrossUpdates:
			return fmt.Sprintf("training.updates, training.problems and group.size ask for %.0g answers, expected at most %g with group.buffer_across_updates, whose steps are counted one by one; lower training.updates", updates*answers, mostCounted)
		}
		return ""
	}, ""},
	{[]string{"eval.problems", "eval.pass_at", "sampling.max_tokens"}, func(r *Recipe) string {
		answers := product(r.Eval.Problems, r.Answers(r.MeasuredAgents()), max(1, r.Eval.Samples()))
		if tokens := answers * product(r.Sampling.MaxTokens); tokens > mostTokens {
			return fmt.Sprintf("eval.problems and sampling.max_tokens ask for %.0g tokens, expected at most %g", tokens, mostTokens)
		}
		return unless(answers <= mostMeasured, "eval.problems asks for %.0g answers in an evaluation, expected at most %g; lower eval.problems", answers, mostMeasured)
	}, ""},

	// How they are measured, how much they may cost.
	{[]string{"eval.agents", "policies.sharing"}, func(r *Recipe) string {
		perAgent := r.Policies.Sharing == "per-agent" || r.Policies.Sharing == "per-agent-turn"
		return unless(!r.otherSize() || !perAgent, "eval.agents is %d and team.agents %d, but policies.sharing %s gives every agent policies of its own", r.Eval.Agents, r.Team.Agents.N, r.Policies.Sharing)
	}, "set policies.sharing to per-turn, first-and-later or shared"},
	{[]string{"eval.agents", "models", "policies.frozen", "team.prompts.roles"}, func(r *Recipe) string {
		told := len(r.Models) > 0 || len(r.Policies.Frozen) > 0 || len(r.Team.Prompts.Roles) > 0
		return unless(!r.otherSize() || !told, "eval.agents is %d and team.agents %d, but models, policies.frozen or team.prompts.roles tell the agents apart", r.Eval.Agents, r.Team.Agents.N)
	}, "leave eval.agents out"},
	{[]string{"eval.agents", "team.protocol", "reward.source"}, func(r *Recipe) string {
		return unless(!r.otherSize() || r.protocol().Exchanges && !r.Reward.Joint(), "eval.agents is %d and team.agents %d: only the agents of a debate that are rewarded one by one can become more or fewer", r.Eval.Agents, r.Team.Agents.N)
	}, "leave eval.agents out"},
	{[]string{"eval.task.name", "task.name"}, func(r *Recipe) string {
		return unless(!r.Eval.Task.Other() || r.traits().Answers && !r.Reward.Joint(), "eval.task.name is %s, but reward.source %s scores no single answers of task %s", r.Eval.Task.Name, r.Reward.Source, r.Task.Name)
	}, "leave it out"},
	{[]string{"eval.task.match", "eval.task.name"}, func(r *Recipe) string {
		if !r.Eval.Task.Other() {
			return ""
		}
		t, _ := r.language.Task(r.Eval.Task.Name)
		return unless(catalog.Described(t, r.Eval.Task.Settings).Answers, "eval.task has no right answers to measure with")
	}, "set eval.task.match to how answers are compared"},
	{[]string{"eval.baselines"}, func(r *Recipe) string {
		voted := slices.Contains(r.Eval.Baselines, "majority-vote") && !r.Votes()
		return unless(!voted, "eval.baselines names majority-vote, but answers of task %s cannot be voted on", r.Task.Name)
	}, "leave it out"},
	{[]string{"eval.baselines", "reward.source"}, func(r *Recipe) string {
		for _, name := range r.Eval.Baselines {
			if together := name == "concatenation" || name == "pipeline" || name == "discussion"; together && (!r.Reward.OfTask() || r.Team.Agents.N < 2) {
				return fmt.Sprintf("eval.baselines names %s, expected a team with the joint reward of a task: there its texts are scored together", name)
			}
		}
		return ""
	}, "leave it out, or set reward.source to joint"},
	{[]string{"eval.pass_at"}, func(r *Recipe) string {
		return teams.Once("eval.pass_at", "k", r.Eval.PassAt)
	}, ""},
	{[]string{"eval.pass_hat"}, func(r *Recipe) string { return teams.PassHatFault(r.Eval) }, ""},
	{[]string{"eval.accuracy_at"}, func(r *Recipe) string {
		return teams.Once("eval.accuracy_at", "k", r.Eval.AccuracyAt)
	}, ""},
	{[]string{"limits.generations", "group.size", "team.turns"}, func(r *Recipe) string {
		n, err := r.Generations()
		if err != nil {
			return err.Error()
		}
		return unless(n <= r.Limits.Generations, "one item implies %d generations, above limits.generations, %d", n, r.Limits.Generations)
	}, "lower group.size (of algorithm c3 group.fanout, or set group.replay), team.turns, team.agents or team.harness.calls, or raise limits.generations"},
}

// distinct says that no number stands twice in a list.
func unless(fine bool, format string, args ...any) string {
	if fine {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// mostTokens are more than any team will write: below, sums and sizes that are made of counts fit their types.
const mostTokens = 1e15

// Bounds on the answers of an update, of an evaluation, and of a run whose buffers last: above those of any team, and below what fails to be held or
// counted.
const (
	mostAnswers  = 1e6
	mostMeasured = 1e8
	mostCounted  = 1e8
)

func product(counts ...int) float64 {
	p := 1.0
	for _, n := range counts {
		p *= float64(n)
	}
	return p
}
