package recipe

import (
	"slices"
	"time"

	"parley/recipe/keys"
	"parley/recipe/teams"
	"parley/rl/learn"
)

// teamRules are about the model, who plays, how they sample and what of them is trained. Each rule says one thing, so that a recipe with two
// mistakes gets two messages.
var teamRules = []rule{
	{[]string{"name"}, func(r *Recipe) string {
		return unless(keys.FolderName.MatchString(r.Name), "name is %q, expected letters, digits, dots, dashes and underscores", r.Name)
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
		_, ok := keys.Bytes(r.Memory)
		return unless(ok, "memory is %q, expected a number with a unit", r.Memory)
	}, "write for example memory: 8GiB"},

	{[]string{"task.filter.min_pass_rate", "task.filter.max_pass_rate"}, func(r *Recipe) string {
		f := r.Task.Filter
		return unless(f.MinPassRate <= f.MaxPassRate, "task.filter.min_pass_rate is %g, expected at most task.filter.max_pass_rate, %g", f.MinPassRate, f.MaxPassRate)
	}, ""},

	// Who plays.
	{[]string{"team.turns", "team.agents", "team.protocol"}, func(r *Recipe) string {
		if check := r.protocol().Check; check != nil {
			return check(r.Team.Agents.N, r.Team.Turns)
		}
		return ""
	}, "change the size of the team or its protocol"},
	{[]string{"team.protocol", "team.feedback", "group.rollout", "team.consensus.share"}, func(r *Recipe) string {
		whole := r.Team.Feedback == "none" && !r.chain() && (r.trees() || r.Team.Consensus.Share > 1)
		return unless(!r.protocol().Partial || whole || r.asksAll(),
			"team.protocol is %s, in which not all agents speak in every turn: it needs team.feedback none, and neither group.rollout chain nor team.consensus", r.Team.Protocol)
	}, "choose protocol debate or parallel, in which all speak"},
	{[]string{"team.protocol", "reward.source", "team.turns"}, func(r *Recipe) string {
		return unless(!r.OneModel() || r.Reward.OfTask() && r.Team.Turns == 1 && r.trees() && len(r.Policies.Frozen) == len(r.Team.Agents.Speakers()),
			"one model writes for all agents (team.protocol %s), which needs one turn, the joint reward of a task, a group-relative or actor-critic algorithm and no frozen agents", r.Team.Protocol)
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
	{[]string{"team.expert.recording", "team.expert.url", "team.feedback"}, func(r *Recipe) string {
		e := r.Team.Expert
		return unless(r.Team.Feedback != "expert" || e.Recording != "" || keys.WebAddress(e.URL) && e.Model != "", "team.feedback is expert, but team.expert has neither a recording nor an http address with a model")
	}, "write for example url: http://127.0.0.1:8000/v1"},
	{[]string{"team.prompts.examples"}, func(r *Recipe) string {
		n := len(r.Team.Prompts.Examples)
		return unless(n%2 == 0, "team.prompts.examples has %d texts, expected an answer for each user message", n)
	}, ""},
	{[]string{"team.prompts.roles", "team.agents"}, func(r *Recipe) string {
		n := len(r.Team.Prompts.Roles)
		return unless(n == 0 || n == r.Team.Agents.N, "team.prompts.roles has %d texts, expected one for each of %d agents", n, r.Team.Agents.N)
	}, ""},
	{[]string{"team.agents", "task.name", "reward.source"}, func(r *Recipe) string {
		pair := r.traits().Pair() && r.Reward.OfTask()
		alone := r.traits().Responses.Least == 1 && r.protocol().OneAgent // writes both texts (magrpo.md 6.3)
		return unless(!pair || alone || r.Team.Agents.N == 2, "team.agents is %d, expected 2: task %s rewards what a pair wrote together", r.Team.Agents.N, r.Task.Name)
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
	{[]string{"sampling.schema", "sampling.regex", "team.agents", "team.protocol", "team.answer"}, func(r *Recipe) string {
		return unless(!r.Forced() || !r.OneModel(), "one model writes the answers of all agents as one text, which has no schema of an agent's")
	}, "leave sampling.schema and sampling.regex out"},
	{[]string{"sampling.schema", "sampling.regex", "team.agents", "algorithm"}, func(r *Recipe) string {
		return unless(!r.Forced() || !r.AlgorithmType().Unheard() || r.AlgorithmType().Episodes == learn.FromNowhere,
			"algorithm %s takes its answers from elsewhere than the agents' own draws, so they have no schema", r.Algorithm)
	}, "leave sampling.schema and sampling.regex out"},
	{[]string{"policies.first_trained_turn", "team.turns"}, func(r *Recipe) string {
		return unless(r.Policies.FirstTrainedTurn <= r.Team.Turns, "policies.first_trained_turn is %d, expected at most team.turns, %d", r.Policies.FirstTrainedTurn, r.Team.Turns)
	}, "otherwise nothing would be trained"},
	{[]string{"policies.frozen", "team.agents"}, func(r *Recipe) string {
		frozen := r.Policies.Frozen
		return unless(len(frozen) == 0 || slices.Max(frozen) <= r.Team.Agents.N, "policies.frozen is %v, expected agents from 1 to %d", frozen, r.Team.Agents.N)
	}, ""},
	{[]string{"policies.frozen"}, func(r *Recipe) string {
		return teams.Once("policies.frozen", "agent", r.Policies.Frozen)
	}, ""},
	{[]string{"policies.frozen", "team.agents"}, func(r *Recipe) string {
		trains := r.AlgorithmType().CriticOnly || r.AlgorithmType().Untrained() || len(r.Policies.Frozen) < r.Team.Agents.N
		return unless(trains, "no agent would be trained: %s", teams.WhyUntrained(r.Team.Agents, r.Policies.Frozen))
	}, "let a model that is trained speak for one of them, or write algorithm: none and measure the team with parley eval"},

	{[]string{"policies.dropout"}, func(r *Recipe) string {
		return unless(r.Policies.Dropout == 0, "policies.dropout is %g, expected 0: with dropout the first pass would not have ratio 1, and the engine has none", r.Policies.Dropout)
	}, "leave it out"},
}
