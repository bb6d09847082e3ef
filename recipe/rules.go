package recipe

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"time"

	"parley/learn"
	"parley/reward"
)

// A rule is one combination of values that is refused.
type rule struct {
	keys   []string               // the keys it is about, the one to point at first
	broken func(r *Recipe) string // what is wrong and what was expected; empty: nothing
	hint   string
}

// folderName matches what a run's folder may be named after.
var folderName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// rules in the order of the language. Each says one thing, so that a recipe with two mistakes gets two messages.
var rules = []rule{
	{[]string{"name"}, func(r *Recipe) string {
		return unless(folderName.MatchString(r.Name), "name is %q, expected letters, digits, dots, dashes and underscores", r.Name)
	}, "runs are named after it: write for example name: my-debate"},
	{[]string{"model"}, func(r *Recipe) string {
		return unless(r.Model != "", "model is empty, expected a base model")
	}, "parley-base ships with parley"},
	{[]string{"models", "team.agents"}, func(r *Recipe) string {
		n := len(r.Models)
		return unless(n == 0 || n == r.Seats(), "models has %d names, expected one for each of %d agents", n, r.Seats())
	}, "write the base of every agent, also where some have the same"},
	{[]string{"models"}, func(r *Recipe) string {
		return unless(!slices.Contains(r.Models, ""), "models has an empty name, expected a base model for every agent")
	}, "parley-base ships with parley"},
	{[]string{"memory"}, func(r *Recipe) string {
		_, ok := sizeOf(r.Memory)
		return unless(ok, "memory is %q, expected a number with a unit", r.Memory)
	}, "write for example memory: 8GiB"},

	{[]string{"task.filter.min_pass_rate", "task.filter.max_pass_rate"}, func(r *Recipe) string {
		f := r.Task.Filter
		return unless(f.MinPassRate <= f.MaxPassRate, "task.filter.min_pass_rate is %g, expected at most task.filter.max_pass_rate, %g", f.MinPassRate, f.MaxPassRate)
	}, ""},

	// Who plays.
	{[]string{"team.turns", "team.agents", "team.protocol"}, func(r *Recipe) string {
		if check := r.protocol().Check; check != nil {
			return check(r.Team.Agents, r.Team.Turns)
		}
		return ""
	}, "change the size of the team or its protocol"},
	{[]string{"team.protocol", "team.feedback", "group.rollout", "team.consensus.share"}, func(r *Recipe) string {
		whole := r.Team.Feedback == "none" && !r.chain() && (r.trees() || r.Team.Consensus.Share > 1)
		return unless(!r.protocol().Partial || whole,
			"team.protocol is %s, in which not all agents speak in every turn: it needs team.feedback none, and neither group.rollout chain nor team.consensus", r.Team.Protocol)
	}, "choose protocol debate or parallel, in which all speak"},
	{[]string{"team.protocol", "reward.source", "team.turns"}, func(r *Recipe) string {
		return unless(!r.OneModel() || r.Reward.OfTask() && r.Team.Turns == 1 && r.trees() && len(r.Policies.Frozen) == 0,
			"team.protocol is %s, which needs one turn, the joint reward of a task, a group-relative or actor-critic algorithm and no frozen agents", r.Team.Protocol)
	}, "choose protocol parallel for a team"},
	{[]string{"team.feedback", "team.turns"}, func(r *Recipe) string {
		return unless(r.Team.Feedback == "none" || r.Team.Turns > 1, "team.feedback is %s, but there is no later turn to show it in", r.Team.Feedback)
	}, "set team.turns to 2 or more"},
	{[]string{"team.feedback", "team.prompts.later"}, func(r *Recipe) string {
		silent := r.Team.Feedback == "self" || r.Team.Feedback == "first"
		return unless(!silent || r.Team.Prompts.Later == "", "team.feedback is %s, which is a prompt of its own, but team.prompts.later is another", r.Team.Feedback)
	}, "leave one of them out"},
	{[]string{"team.feedback", "task.name"}, func(r *Recipe) string {
		return unless(r.reported(), "team.feedback is %s, but task %s has no such report on answers", r.Team.Feedback, r.Task.Name)
	}, "write self, binary or first"},
	{[]string{"team.feedback", "reward.source"}, func(r *Recipe) string {
		return unless(r.Team.Feedback != "score" || r.Reward.Joint(), "team.feedback is score, which needs a joint reward, but reward.source is %s", r.Reward.Source)
	}, "write self, binary or first"},
	{[]string{"critic.init", "critic.hidden"}, func(r *Recipe) string {
		return unless(r.Critic.Hidden == 0 || r.Critic.Init > 0, "critic.init is 0, but critic.hidden is %d: a hidden layer of zeros learns nothing", r.Critic.Hidden)
	}, "leave critic.init out"},
	{[]string{"team.expert.recording", "team.expert.url", "team.feedback"}, func(r *Recipe) string {
		e := r.Team.Expert
		return unless(r.Team.Feedback != "expert" || e.Recording != "" || webAddress(e.URL) && e.Model != "", "team.feedback is expert, but team.expert has neither a recording nor an http address with a model")
	}, "write for example url: http://127.0.0.1:8000/v1"},
	{[]string{"team.prompts.examples"}, func(r *Recipe) string {
		n := len(r.Team.Prompts.Examples)
		return unless(n%2 == 0, "team.prompts.examples has %d texts, expected an answer for each user message", n)
	}, ""},
	{[]string{"team.prompts.roles", "team.agents"}, func(r *Recipe) string {
		n := len(r.Team.Prompts.Roles)
		return unless(n == 0 || n == r.Team.Agents, "team.prompts.roles has %d texts, expected one for each of %d agents", n, r.Team.Agents)
	}, ""},
	{[]string{"team.agents", "task.name", "reward.source"}, func(r *Recipe) string {
		pair := r.traits().Pair() && r.Reward.OfTask()
		alone := r.traits().Responses.Least == 1 && r.protocol().OneAgent // writes both texts (magrpo.md 6.3)
		return unless(!pair || alone || r.Team.Agents == 2, "team.agents is %d, expected 2: task %s rewards what a pair wrote together", r.Team.Agents, r.Task.Name)
	}, ""},
	{[]string{"team.consensus.share", "team.consensus"}, func(r *Recipe) string {
		return unless(r.Team.Consensus.Share > 1 || r.Team.Turns > 1, "team.consensus ends a debate early, but there is only one turn")
	}, "leave team.consensus out or set team.turns"},
	{[]string{"team.reward_feedback"}, func(r *Recipe) string {
		return unless(!r.Team.RewardFeedback || r.Reward.Source == "label" || r.Reward.Scored(),
			"team.reward_feedback shows a score of each answer, which reward.source %s does not give", r.Reward.Source)
	}, "set reward.source to label, trained, program or server"},
	{[]string{"team.reward_feedback"}, func(r *Recipe) string {
		return unless(!r.Team.RewardFeedback || r.Team.Turns > 1, "team.reward_feedback needs a later turn to show scores in, but there is only one turn")
	}, "set team.turns to 2 or more"},

	// How they sample, what is trained.
	{[]string{"sampling.min_tokens", "sampling.max_tokens"}, func(r *Recipe) string {
		return unless(r.Sampling.MinTokens <= r.Sampling.MaxTokens, "sampling.min_tokens is %d, expected at most sampling.max_tokens, %d", r.Sampling.MinTokens, r.Sampling.MaxTokens)
	}, ""},
	{[]string{"date"}, func(r *Recipe) string {
		_, err := time.Parse(time.DateOnly, r.Date)
		return unless(r.Date == "" || err == nil, "date is %q, expected a day such as 2026-07-14", r.Date)
	}, "leave it out for the day the run begins"},
	{[]string{"sampling.stop"}, func(r *Recipe) string {
		return unless(!slices.Contains(r.Sampling.Stop, ""), "sampling.stop has an empty text: every answer would end with its first token")
	}, "leave it out"},
	{[]string{"policies.first_trained_turn", "team.turns"}, func(r *Recipe) string {
		return unless(r.Policies.FirstTrainedTurn <= r.Team.Turns, "policies.first_trained_turn is %d, expected at most team.turns, %d", r.Policies.FirstTrainedTurn, r.Team.Turns)
	}, "otherwise nothing would be trained"},
	{[]string{"policies.frozen", "team.agents"}, func(r *Recipe) string {
		frozen := r.Policies.Frozen
		return unless(len(frozen) == 0 || slices.Max(frozen) <= r.Team.Agents, "policies.frozen is %v, expected agents from 1 to %d", frozen, r.Team.Agents)
	}, ""},
	{[]string{"policies.frozen"}, func(r *Recipe) string {
		return unless(distinct(r.Policies.Frozen), "policies.frozen is %v, expected each agent once", r.Policies.Frozen)
	}, ""},
	{[]string{"policies.frozen"}, func(r *Recipe) string {
		return unless(len(r.Policies.Frozen) < r.Team.Agents, "policies.frozen is %v: no agent would be trained", r.Policies.Frozen)
	}, "leave one agent out of the list"},

	{[]string{"policies.dropout"}, func(r *Recipe) string {
		return unless(r.Policies.Dropout == 0, "policies.dropout is %g, expected 0: with dropout the first pass would not have ratio 1, and the engine has none", r.Policies.Dropout)
	}, "leave it out"},

	// What they earn.
	{[]string{"reward.scoring.folders", "reward.source"}, func(r *Recipe) string {
		return unless(r.Reward.Source != "trained" || len(r.Reward.Scoring.Folders) > 0, "reward.source is trained, but reward.scoring.folders names no folder")
	}, "parley verifier train makes one"},
	{[]string{"reward.scoring.command", "reward.source"}, func(r *Recipe) string {
		return unless(r.Reward.Source != "program" || len(r.Reward.Scoring.Command) > 0 && r.Reward.Scoring.Command[0] != "", "reward.source is program, but reward.scoring.command is empty")
	}, "write for example command: [python3, verifier.py]"},
	{[]string{"reward.scoring.url", "reward.scoring.model", "reward.source"}, func(r *Recipe) string {
		s := r.Reward.Scoring
		return unless(r.Reward.Source != "server" || webAddress(s.URL) && s.Model != "", "reward.source is server, but reward.scoring.url is %q and model %q, expected an http address and a name", s.URL, s.Model)
	}, "write for example url: http://127.0.0.1:8000/v1"},
	{[]string{"reward.source", "task.name"}, func(r *Recipe) string {
		return unless(!r.Reward.OfTask() || r.traits().Joint, "reward.source is %s, but task %s has no joint reward", r.Reward.Source, r.Task.Name)
	}, "set reward.source to label, or task.name to a task that has one"},
	{[]string{"reward.source", "task.name"}, func(r *Recipe) string {
		return unless(r.Reward.Joint() || r.traits().Answers, "reward.source is %s, but task %s has no right answers", r.Reward.Source, r.Task.Name)
	}, "set reward.source to user, or to joint where the task has a joint reward"},
	{[]string{"reward.user", "reward.source"}, func(r *Recipe) string {
		n := len(r.Reward.User.sources())
		return unless(r.Reward.Source != "user" || n == 1, "reward.source is user, and reward.user has %d of python, command, expression and url, expected one", n)
	}, "write for example python: reward.py"},
	{[]string{"reward.user.url"}, func(r *Recipe) string {
		u := r.Reward.User.URL
		return unless(u == "" || webAddress(u), "reward.user.url is %q, expected an http address", u)
	}, "write for example url: http://127.0.0.1:8000/reward"},
	{[]string{"training.mlflow.url"}, func(r *Recipe) string {
		u := r.Training.MLflow.URL
		return unless(u == "" || webAddress(u), "training.mlflow.url is %q, expected an http address", u)
	}, "write for example url: http://127.0.0.1:5000"},
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
		return unless(r.Reward.Incentives.zero() || r.Team.Agents > 1 && r.Team.Turns > 1,
			"reward.incentives compare an agent with the others over turns, but the team has %d agents and %d turns", r.Team.Agents, r.Team.Turns)
	}, "they need team.agents and team.turns of at least 2"},
	{[]string{"reward.incentives.beta0", "reward.incentives.beta1", "policies.first_trained_turn"}, func(r *Recipe) string {
		in := r.Reward.Incentives
		return unless(in.Beta0 == 0 && in.Beta1 == 0 || r.Policies.FirstTrainedTurn < r.Team.Turns || r.Team.Turns == 1,
			"reward.incentives beta is credited to the turns before the last, but policies.first_trained_turn is %d", r.Policies.FirstTrainedTurn)
	}, "set policies.first_trained_turn to 1"},
	{[]string{"reward.incentives"}, func(r *Recipe) string {
		return unless(r.Reward.Incentives.zero() || r.traits().Answers, "reward.incentives need right and wrong answers, which task %s has not", r.Task.Name)
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

	// How they learn.
	{[]string{"ppo.schedule"}, func(r *Recipe) string {
		return unless(r.PPO.Schedule != "alternating" || r.Team.Turns-r.Policies.FirstTrainedTurn >= 1, "ppo.schedule is alternating, but only one turn is trained")
	}, "it needs team.turns of at least 2"},
	{[]string{"ppo.schedule", "policies.first_trained_turn"}, func(r *Recipe) string {
		first := r.Policies.FirstTrainedTurn
		return unless(r.PPO.Schedule != "alternating" || first == 2 || r.Team.Turns <= first, "ppo.schedule is alternating, which trains the turns from 2 on, but policies.first_trained_turn is %d", first)
	}, "set policies.first_trained_turn to 2"},
	{[]string{"ppo.kl_form", "sampling.top_k", "sampling.top_p"}, func(r *Recipe) string {
		cut := r.Sampling.TopK > 0 || r.Sampling.TopP < 1
		return unless(r.Algorithm != MAPPO || r.PPO.KLForm != "ref_policy_exact" || !cut, "ppo.kl_form is ref_policy_exact, but sampling.top_k and sampling.top_p cut the policy's distribution: the divergence would be infinite")
	}, "set sampling.top_k to 0 and sampling.top_p to 1"},
	{[]string{"ppo.ratio_bound", "ppo.clip_high", "ppo.clip"}, func(r *Recipe) string {
		least := 1 + cmp.Or(r.PPO.ClipHigh, r.PPO.Clip)
		return unless(r.Algorithm != MAPPO || r.PPO.Loss != "ppo_two_sided" || r.PPO.RatioBound >= least, "ppo.ratio_bound is %g, expected at least the end of the clip range, %g", r.PPO.RatioBound, least)
	}, "the paper of dual-clip PPO has 3"},
	{[]string{"ppo.minibatches", "training.problems"}, func(r *Recipe) string {
		n := r.answersPerPolicy()
		return unless(r.Algorithm != MAPPO || n < 1 || r.PPO.Minibatches <= n, "ppo.minibatches is %d, expected at most the %d answers that a policy gives in an update", r.PPO.Minibatches, n)
	}, "raise training.problems"},
	{[]string{"algorithm", "reward.source"}, func(r *Recipe) string {
		return unless(r.Algorithm != SFT || !r.Reward.Joint(), "algorithm is sft, but reward.source %s scores no single answers", r.Reward.Source)
	}, "it chooses debates by right answers: set reward.source to label"},
	{[]string{"group.joint", "group.rollout"}, func(r *Recipe) string {
		return unless(!r.chain() || r.Group.Joint == "aligned", "group.joint is %s, expected aligned with rollout chain", r.Group.Joint)
	}, ""},
	{[]string{"group.cross_credit", "group.joint"}, func(r *Recipe) string {
		alone := r.Algorithm.GroupRelative() && r.Group.CrossCredit == "counterfactual" && r.Group.Joint == "aligned"
		return unless(!alone, "group.cross_credit is counterfactual, but with group.joint aligned no completion is tried with other partners")
	}, "set group.joint to cross"},
	{[]string{"group.rollout", "algorithm"}, func(r *Recipe) string {
		return unless(!r.chain() || r.Algorithm == MAGRPO, "group.rollout is chain, expected tree with algorithm %s: a chain's advantages are MAGRPO's", r.Algorithm)
	}, "set group.rollout to tree or algorithm to magrpo"},
	{[]string{"group.size", "algorithm"}, func(r *Recipe) string {
		return unless(!r.Algorithm.GroupRelative() || r.Group.Size > 1, "group.size is 1, expected at least 2: advantages of algorithm %s compare the completions of a group", r.Algorithm)
	}, ""},
	{[]string{"group.size", "team.turns", "algorithm"}, func(r *Recipe) string {
		return unless(!r.Algorithm.ActorCritic() || r.Team.Turns == 1 || r.Group.Size == 1, "group.size is %d, expected 1: algorithm %s over several turns follows a single dialogue", r.Group.Size, r.Algorithm)
	}, "write group: {size: 1}"},
	{[]string{"critic.head", "algorithm"}, func(r *Recipe) string {
		return unless(r.Algorithm != MAAC || r.Critic.Head == "separate", "critic.head is shared, but the central critic of algorithm maac belongs to no single policy")
	}, "leave it out"},
	{[]string{"team.turns", "algorithm", "reward.source"}, func(r *Recipe) string {
		return unless(!r.Prefers() || r.Team.Turns == 1, "team.turns is %d, expected 1: pairs of joint responses are those of one turn", r.Team.Turns)
	}, ""},
	{[]string{"algorithm", "reward.source"}, func(r *Recipe) string {
		return unless(r.Reward.Source != "preferences" || r.trees() && r.Algorithm != MADPO, "algorithm is %s, expected one that rewards joint responses: the reward model of reward.source preferences scores them", r.Algorithm)
	}, "write for example magrpo"},
	{[]string{"preference.iterations", "training.updates"}, func(r *Recipe) string {
		n, u := r.Preference.Iterations, r.Training.Updates
		return unless(!r.Prefers() || u%n == 0, "training.updates is %d, expected a multiple of preference.iterations, %d", u, n)
	}, ""},
	{[]string{"preference.comparator", "preference.model"}, func(r *Recipe) string {
		p := r.Preference
		return unless(!r.Prefers() || p.Comparator != "model" || p.Model != "", "preference.comparator is model, but preference.model names none")
	}, "name a base model"},
	{[]string{"preference.comparator", "preference.iterations"}, func(r *Recipe) string {
		p := r.Preference
		return unless(!r.Prefers() || p.Comparator != "checkpoint" || p.Iterations > 1, "preference.comparator is checkpoint, but with one iteration there is no earlier team")
	}, "set preference.iterations to 2 or more"},
	{[]string{"preference.candidates", "preference.comparator"}, func(r *Recipe) string {
		p := r.Preference
		return unless(p.Comparator == "current" || p.Candidates%2 == 0, "preference.candidates is %d, expected an even number: half of them are the comparator's", p.Candidates)
	}, ""},
	{[]string{"group.train_batch", "group.buffer"}, func(r *Recipe) string {
		return unless(r.Group.Buffer == 0 || r.Group.TrainBatch <= r.Group.Buffer, "group.train_batch is %d, expected at most group.buffer, %d", r.Group.TrainBatch, r.Group.Buffer)
	}, ""},
	{[]string{"group.padding", "group.ratio_cap"}, func(r *Recipe) string {
		return unless(r.Group.Padding == "exact" || r.Group.RatioCap == 0, "group.padding is padded, but group.ratio_cap is %g: pads were never sampled, so they have no ratio", r.Group.RatioCap)
	}, "set group.ratio_cap to 0"},
	{[]string{"training.updates", "training.problems", "group.size", "sampling.max_tokens"}, func(r *Recipe) string {
		n, err := r.Generations()
		tokens := product(r.Training.Updates, r.Training.Problems, n, r.Sampling.MaxTokens)
		return unless(err != nil || tokens <= mostTokens, "training.updates, training.problems and sampling.max_tokens ask for %.0g tokens, expected at most %g", tokens, mostTokens)
	}, ""},
	{[]string{"eval.problems", "sampling.max_tokens"}, func(r *Recipe) string {
		tokens := product(r.Eval.Problems, max(r.MeasuredAgents()*r.Team.Turns, r.Eval.Samples()), r.Sampling.MaxTokens)
		return unless(tokens <= mostTokens, "eval.problems and sampling.max_tokens ask for %.0g tokens, expected at most %g", tokens, mostTokens)
	}, ""},
	{[]string{"group.turn_weights", "team.turns"}, func(r *Recipe) string {
		n := len(r.Group.TurnWeights)
		return unless(n == 0 || n == r.Team.Turns, "group.turn_weights has %d numbers, expected one for each of %d turns", n, r.Team.Turns)
	}, ""},

	// How they are measured, how much they may cost.
	{[]string{"eval.agents", "policies.sharing"}, func(r *Recipe) string {
		perAgent := r.Policies.Sharing == "per-agent" || r.Policies.Sharing == "per-agent-turn"
		return unless(!r.otherSize() || !perAgent, "eval.agents is %d and team.agents %d, but policies.sharing %s gives every agent policies of its own", r.Eval.Agents, r.Team.Agents, r.Policies.Sharing)
	}, "set policies.sharing to per-turn, first-and-later or shared"},
	{[]string{"eval.agents", "models", "policies.frozen", "team.prompts.roles"}, func(r *Recipe) string {
		told := len(r.Models) > 0 || len(r.Policies.Frozen) > 0 || len(r.Team.Prompts.Roles) > 0
		return unless(!r.otherSize() || !told, "eval.agents is %d and team.agents %d, but models, policies.frozen or team.prompts.roles tell the agents apart", r.Eval.Agents, r.Team.Agents)
	}, "leave eval.agents out"},
	{[]string{"eval.agents", "team.protocol", "reward.source"}, func(r *Recipe) string {
		return unless(!r.otherSize() || r.protocol().Exchanges && !r.Reward.Joint(), "eval.agents is %d and team.agents %d: only the agents of a debate that are rewarded one by one can become more or fewer", r.Eval.Agents, r.Team.Agents)
	}, "leave eval.agents out"},
	{[]string{"eval.task.name", "task.name"}, func(r *Recipe) string {
		return unless(!r.Eval.Task.Other() || r.traits().Answers && !r.Reward.Joint(), "eval.task.name is %s, but reward.source %s scores no single answers of task %s", r.Eval.Task.Name, r.Reward.Source, r.Task.Name)
	}, "leave it out"},
	{[]string{"eval.task.match", "eval.task.name"}, func(r *Recipe) string {
		if !r.Eval.Task.Other() {
			return ""
		}
		t, _ := r.language.Task(r.Eval.Task.Name)
		return unless(described(t, r.Eval.Task.Settings).Answers, "eval.task has no right answers to measure with")
	}, "set eval.task.match to how answers are compared"},
	{[]string{"eval.baselines"}, func(r *Recipe) string {
		voted := slices.Contains(r.Eval.Baselines, "majority-vote") && !r.Votes()
		return unless(!voted, "eval.baselines names majority-vote, but answers of task %s cannot be voted on", r.Task.Name)
	}, "leave it out"},
	{[]string{"eval.baselines", "reward.source"}, func(r *Recipe) string {
		for _, name := range r.Eval.Baselines {
			if together := name == "concatenation" || name == "pipeline" || name == "discussion"; together && (!r.Reward.OfTask() || r.Team.Agents < 2) {
				return fmt.Sprintf("eval.baselines names %s, expected a team with the joint reward of a task: there its texts are scored together", name)
			}
		}
		return ""
	}, "leave it out, or set reward.source to joint"},
	{[]string{"eval.pass_at"}, func(r *Recipe) string {
		return unless(distinct(r.Eval.PassAt), "eval.pass_at is %v, expected each k once", r.Eval.PassAt)
	}, ""},
	{[]string{"eval.accuracy_at"}, func(r *Recipe) string {
		return unless(distinct(r.Eval.AccuracyAt), "eval.accuracy_at is %v, expected each k once", r.Eval.AccuracyAt)
	}, ""},
	{[]string{"limits.generations", "group.size", "team.turns"}, func(r *Recipe) string {
		n, err := r.Generations()
		if err != nil {
			return err.Error()
		}
		return unless(n <= r.Limits.Generations, "one item implies %d generations, above limits.generations, %d", n, r.Limits.Generations)
	}, "lower group.size, team.turns or team.agents, or raise limits.generations"},
}

// distinct says that no number stands twice in a list.
func distinct(list []int) bool {
	sorted := slices.Sorted(slices.Values(list))
	return len(slices.Compact(sorted)) == len(list)
}

func unless(fine bool, format string, args ...any) string {
	if fine {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// idleKeys are keys and sections that do nothing under some condition: when says under which, or "".
var idleKeys = []struct {
	when func(r *Recipe) string
	keys []string
}{
	{underDebates, []string{"group"}},
	{underSFT, []string{"ppo"}},
	{func(r *Recipe) string { return given(r.Algorithm != SFT, r.learning()) }, []string{"sft"}},
	{func(r *Recipe) string { return given(r.Algorithm == MADPO, r.learning()) }, []string{"group"}},
	{func(r *Recipe) string { return given(!r.Prefers(), r.learning()) }, []string{"preference"}},
	{func(r *Recipe) string {
		return given(r.Reward.Source == "preferences", "reward.source preferences")
	}, []string{"preference.loss", "preference.smoothing", "preference.beta", "preference.reference", "preference.batch", "preference.replay"}},
	{func(r *Recipe) string {
		return given(r.Algorithm == MADPO && r.Preference.Loss != "dpo", "preference.loss "+r.Preference.Loss)
	}, []string{"preference.smoothing"}},
	{func(r *Recipe) string {
		return given(r.Reward.Source != "preferences", "reward.source "+r.Reward.Source)
	}, []string{"reward.model"}},
	{func(r *Recipe) string {
		return given(r.Prefers() && r.Preference.Choose == "all", "preference.choose all")
	}, []string{"preference.pairs"}},
	{func(r *Recipe) string {
		return given(r.Prefers() && r.Preference.Comparator != "checkpoint", "preference.comparator "+r.Preference.Comparator)
	}, []string{"preference.checkpoint_age"}},
	{func(r *Recipe) string {
		return given(r.Prefers() && r.Preference.Comparator != "model", "preference.comparator "+r.Preference.Comparator)
	}, []string{"preference.model"}},
	{func(r *Recipe) string {
		return given(r.Prefers() && r.Preference.Iterations == 1, "preference.iterations 1")
	}, []string{"preference.replay"}},
	{func(r *Recipe) string {
		return given(r.Prefers() && r.Preference.Replay != "nearest", "preference.replay "+r.Preference.Replay)
	}, []string{"preference.nearest"}},
	{func(r *Recipe) string {
		return given(r.Prefers() && r.Preference.Replay != "decay", "preference.replay "+r.Preference.Replay)
	}, []string{"preference.decay"}},
	{func(r *Recipe) string {
		return given(r.Reward.Source == "preferences", "reward.source preferences, whose scores have no range")
	}, []string{"group.terminate"}},
	{func(r *Recipe) string {
		return given(r.Sampling.Truncated != "penalty", "sampling.truncated "+r.Sampling.Truncated)
	}, []string{"sampling.truncated_penalty"}},
	{withoutCritic, []string{"critic"}},
	{underCritics, []string{"group.rollout", "group.joint", "group.normalize", "group.reduction", "group.turn_weights", "group.cross_credit", "group.padding", "group.logprobs_at", "group.buffer_across_updates"}},
	{func(r *Recipe) string {
		return given(r.Algorithm.ActorCritic() && r.Critic.Head == "shared", "critic.head shared")
	}, []string{"critic.lr"}},
	{func(r *Recipe) string {
		return given(r.Algorithm.ActorCritic() && r.Critic.Head == "separate", "critic.head separate")
	}, []string{"critic.clip"}},
	{underTrees, []string{"ppo", "team.consensus"}},
	{func(r *Recipe) string {
		return given(r.Algorithm == MAPPO && (r.PPO.Loss == "importance_sampling" || r.PPO.Loss == "reinforce"), "ppo.loss "+r.PPO.Loss)
	}, []string{"ppo.clip", "ppo.clip_high"}},
	{func(r *Recipe) string {
		return given(r.Algorithm == MAPPO && r.PPO.Loss != "ppo_two_sided", "ppo.loss "+r.PPO.Loss)
	}, []string{"ppo.ratio_bound"}},
	{func(r *Recipe) string {
		return given(r.Algorithm == MAPPO && r.PPO.Schedule != "alternating", "ppo.schedule "+r.PPO.Schedule)
	}, []string{"ppo.schedule_initial", "ppo.schedule_block"}},
	{func(r *Recipe) string {
		return given(r.Algorithm == MAPPO && r.PPO.Loss != "grpo", "ppo.loss "+r.PPO.Loss)
	}, []string{"ppo.loss_kl"}},
	{func(r *Recipe) string { return given(r.Algorithm != MAPPO, r.learning()) }, []string{"reward.design", "reward.gamma", "reward.incentives", "reward.penalties.scope"}},
	{unprocessed, []string{"reward.scale", "reward.shift", "reward.clamp", "reward.processors"}},
	{func(r *Recipe) string {
		return given(r.Reward.Source != "trained", "reward.source "+r.Reward.Source)
	}, []string{"reward.scoring.folders"}},
	{func(r *Recipe) string {
		return given(r.Reward.Source != "program", "reward.source "+r.Reward.Source)
	}, []string{"reward.scoring.command"}},
	{func(r *Recipe) string {
		return given(r.Reward.Source != "server", "reward.source "+r.Reward.Source)
	}, []string{"reward.scoring.url", "reward.scoring.model", "reward.scoring.key_env"}},
	{func(r *Recipe) string {
		return given(r.Reward.Source != "program" && r.Reward.Source != "server", "reward.source "+r.Reward.Source)
	}, []string{"reward.scoring.seconds", "reward.scoring.retries"}},
	{func(r *Recipe) string {
		return given(r.Reward.Source != "user", "reward.source "+r.Reward.Source)
	}, []string{"reward.user"}},
	{func(r *Recipe) string { return given(r.Reward.User.Python == "", "no reward.user.python") }, []string{"reward.user.isolated", "reward.user.memory_mb"}},
	{func(r *Recipe) string { return given(r.Reward.User.URL == "", "no reward.user.url") }, []string{"reward.user.key_env"}},
	{func(r *Recipe) string { return given(r.Training.MLflow.URL == "", "no training.mlflow.url") }, []string{"training.mlflow.experiment", "training.mlflow.token_env"}},
	{func(r *Recipe) string { return given(r.Reward.User.tried(), "a reward that is computed once") }, []string{"reward.user.retries"}},
	{func(r *Recipe) string { return given(!r.traits().Choice, "task "+r.Task.Name) }, []string{"reward.penalties.no_reasoning"}},
	{inChains, []string{"group.discount", "group.normalize", "group.kl"}},
	{inTrees, []string{"group.turn_weights", "group.end_value", "group.end_weight"}},
	{func(r *Recipe) string {
		return given(!r.slices(), "team.feedback "+r.Team.Feedback)
	}, []string{"team.sandbox_slice"}},
	{func(r *Recipe) string { return given(r.Team.Feedback != "expert", "team.feedback "+r.Team.Feedback) }, []string{"team.expert"}},
	{func(r *Recipe) string { return given(r.Team.Turns == 1, "one turn") }, []string{"team.chat_memory", "team.warm_up"}},
	{func(r *Recipe) string { return given(r.protocol().Partial, "team.protocol "+r.Team.Protocol) }, []string{"team.history", "team.chat_memory", "team.warm_up", "team.prompts.later", "team.reward_feedback"}},
	{func(r *Recipe) string { return given(!r.trees(), r.learning()) }, []string{"team.warm_up"}},
	{func(r *Recipe) string { return given(len(r.Models) > 0, "models, which names the base of every agent") }, []string{"model"}},
	{func(r *Recipe) string { return given(!r.traits().Solvable, "task "+r.Task.Name) }, []string{"task.filter"}},
	{func(r *Recipe) string {
		return given(!r.Task.Filter.Active(), "task.filter.min_pass_rate 0 and most 1, which leave nothing out")
	}, []string{"task.filter.samples", "task.filter.held_out"}},
	{func(r *Recipe) string {
		return given(!r.trees() && r.Team.Consensus.Share > 1, "team.consensus.share above 1")
	}, []string{"team.consensus.score"}},
	{func(r *Recipe) string { return given(r.trees() && r.Team.Turns == 1, "one turn") }, []string{"group.terminate"}},
	{func(r *Recipe) string { return given(r.trees() && r.Group.Buffer == 0, "group.buffer 0") }, []string{"group.train_batch", "group.buffer_across_updates"}},
	{func(r *Recipe) string { return given(r.Reward.Joint(), "reward.source "+r.Reward.Source) }, []string{"eval.extract", "eval.without_history"}},
	{func(r *Recipe) string { return given(!r.traits().Solvable, "task "+r.Task.Name) }, []string{"eval.pass_at", "eval.accuracy_at"}},
	{func(r *Recipe) string {
		// Such answers have nothing but the user's reward, which does not say what is solved.
		return given(!r.traits().Answers && !r.Reward.OfTask(), "reward.source "+r.Reward.Source+" and task "+r.Task.Name)
	}, []string{"eval.pass_at", "eval.accuracy_at"}},
	{func(r *Recipe) string { return given(r.Optimizer.Decay == "none", "optimizer.decay none") }, []string{"optimizer.final_lr"}},
}

func underDebates(r *Recipe) string { return given(!r.trees(), r.learning()) }

func underSFT(r *Recipe) string { return given(r.Algorithm == SFT, "algorithm sft") }

func underTrees(r *Recipe) string { return given(r.trees(), r.learning()) }

func underCritics(r *Recipe) string { return given(r.Algorithm.ActorCritic(), r.learning()) }

func withoutCritic(r *Recipe) string { return given(!r.Algorithm.ActorCritic(), r.learning()) }

func (r *Recipe) learning() string { return "algorithm " + string(r.Algorithm) }

func inChains(r *Recipe) string { return given(r.chain(), "group.rollout chain") }

func inTrees(r *Recipe) string { return given(r.trees() && !r.chain(), "group.rollout tree") }

// unprocessed is when scores go through a reward design instead of the reward processor.
func unprocessed(r *Recipe) string {
	return given(!r.trees() && !r.Reward.Joint(), r.learning()+" and reward.source "+r.Reward.Source)
}

// webAddress reports whether a text is the address of a web server.
func webAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// Joint says that one reward is for all answers of a turn together.
func (r Reward) Joint() bool { return r.OfTask() || r.Source == "user" }

// OfTask says that the joint reward is the task's: trained on, or what a reward model learns.
func (r Reward) OfTask() bool { return r.Source == "joint" || r.Source == "preferences" }

// sources are the words of a user's reward that say where it comes from.
func (u User) sources() (given []string) {
	for _, s := range []struct {
		word string
		on   bool
	}{{"python", u.Python != ""}, {"command", len(u.Command) > 0}, {"expression", u.Expression != ""}, {"url", u.URL != ""}} {
		if s.on {
			given = append(given, s.word)
		}
	}
	return given
}

// tried says that another try of a reward would give the same.
func (u User) tried() bool { return u.Expression != "" || u.Python != "" && u.Isolated }

// Scored says that something beside the label scores each answer.
func (r Reward) Scored() bool {
	return r.Source == "trained" || r.Source == "program" || r.Source == "server"
}

func given(condition bool, why string) string {
	if condition {
		return why
	}
	return ""
}

// mostTokens are more than any team will write: below, sums and sizes that are made of counts fit their types.
const mostTokens = 1e15

func product(counts ...int) float64 {
	p := 1.0
	for _, n := range counts {
		p *= float64(n)
	}
	return p
}

// slowest is the share of the automatic learning rate below which nobody sees a policy move within a run.
const slowest = 1. / 20

// crawls says that the learning rate is far below what adapters on the shipped base need. Of other bases the size is not known before they are
// opened.
func (r *Recipe) crawls() bool {
	automatic := learn.AutomaticRate(1, r.Policies)
	return r.Model == "parley-base" && len(r.Models) == 0 && r.Optimizer.LR > 0 && r.Optimizer.LR < slowest*automatic
}

// replaced says that answers of a debate with a reward of their own may get a penalty in its place.
func (r *Recipe) replaced() bool {
	p := r.Reward.Penalties
	return r.Algorithm.Debates() && r.Reward.Joint() && (p.NoBox || p.MinTokens > 0 || p.AfterBox || p.Repeats > 0 || p.Reasoning)
}

// warnings are combinations that run and are probably not meant; what is %v in a text is filled in by about.
var warnings = []struct {
	when  func(r *Recipe) bool
	text  string
	about func(r *Recipe) any
}{
	{
		when: (*Recipe).crawls, text: "optimizer.lr is %v, but adapters on the shipped base hardly move below a twentieth of what auto gives: leave it out",
		about: func(r *Recipe) any { return r.Optimizer.LR },
	},
	{
		when: (*Recipe).replaced, text: "reward.penalties.size, %v, takes the place of your reward wherever an answer is flagged: leave reward.penalties out unless you mean that",
		about: func(r *Recipe) any { return r.Reward.Penalties.Size },
	},
	{
		when: func(r *Recipe) bool { return r.Algorithm.GroupRelative() && r.Algorithm != MAGRPO && r.Group.Normalize },
		text: "group.normalize makes mareinforce, marloo, maremax and magrpo the same algorithm (magrpo.md 2.3): leave it out to compare them",
	},
	{
		when: func(r *Recipe) bool { return r.terminates() && *r.Group.Terminate < 0 },
		text: "group.terminate is below 0, a share of the reward's range that every node exceeds: turn 2 is never played",
	},
	{
		when: func(r *Recipe) bool { return r.terminates() && *r.Group.Terminate >= 1 },
		text: "group.terminate is at least 1, a share of the reward's range that no node exceeds: nothing ends early",
	},
	{when: func(r *Recipe) bool {
		in := r.Reward.Incentives
		return in.Rule == "reference" && (in.Beta0 != 0 || in.Beta1 != 0) && r.Team.Turns == 2
	}, text: "reward.incentives.rule reference credits nothing at turn 1, so beta has no effect in a debate of two turns (maporl.md 2.3)"},
	{
		when: func(r *Recipe) bool { return r.Eval.Samples() > 1 && r.Eval.Temperature == 0 },
		text: "eval.temperature is 0: all answers to a problem are equal, so eval.pass_at and eval.accuracy_at say the same of every k",
	},
	{when: func(r *Recipe) bool { return r.Optimizer.LR == 0 }, text: "optimizer.lr is 0: nothing is learned"},
	{
		when: func(r *Recipe) bool { return r.Training.Updates > 0 && r.Training.Checkpoint > r.Training.Updates },
		text: "training.checkpoint is greater than training.updates: an interrupted run starts again from nothing",
	},
}

func (r *Recipe) terminates() bool {
	return r.trees() && r.Team.Turns > 1 && r.Group.Terminate != nil
}
