package show

import (
	"strconv"
	"strings"
	"sync"
)

// A word is what is known of a number of metrics.jsonl or timing.jsonl.
type word struct {
	unit, group string
	of          string // whose parts it has: turn, agent or policy
	about       string
}

// words are those of docs/run-folder.md. A number without one is shown too.
var words = sync.OnceValue(func() map[string]word {
	return map[string]word{
		"accuracy":                  {"share", "result", "turn", "Share of problems whose vote is right; a tie counts as its expected accuracy."},
		"answer_accuracy":           {"share", "result", "turn", "Share of right answers."},
		"overpaid":                  {"share", "result", "turn", "Mean of the verifier's score less the label: it rises where the verifier is gamed."},
		"reward":                    {"", "result", "agent", "Mean reward: what answers earned in their own turns."},
		"own_reward":                {"", "result", "agent", "What an episode paid the agent alone, a mean; no part of the reward."},
		"return":                    {"", "result", "agent", "Mean of what answers are trained on, with what design, incentives and discount add."},
		"shaped_return":             {"", "result", "agent", "The return less the penalty for the distance from the base."},
		"panel.score":               {"share", "result", "", "Score on the panel of held-out problems (eval.every), by the measure of the report."},
		"panel.ci95":                {"share", "result", "", "95 % interval of the score on the panel: its lower and its upper end."},
		"panel.untrained":           {"share", "result", "", "Score of the untrained team on the panel."},
		"panel.problems":            {"problems", "costs", "", "Held-out problems of the panel that could be scored."},
		"panel.unscored":            {"problems", "costs", "", "Held-out problems of the panel that could not be scored."},
		"failed":                    {"problems", "answers", "", "Problems that could not be scored: nothing was learned from them."},
		"failed_episodes":           {"episodes", "answers", "", "Episodes that could not be scored."},
		"unparsed":                  {"share", "answers", "", "Share of answers without a readable final answer."},
		"flagged":                   {"share", "answers", "", "Share of answers with a penalty."},
		"truncated":                 {"share", "answers", "", "Share of answers without an end: neither an end token nor a stop text."},
		"empty":                     {"share", "answers", "", "Share of answers without text."},
		"stopped":                   {"share", "answers", "", "Share of answers that a stop text ended."},
		"length":                    {"tokens", "answers", "", "Tokens of an answer, a mean."},
		"calls":                     {"", "answers", "", "Calls of tools an answer."},
		"failed_calls":              {"share", "answers", "", "Share of calls whose results say what was wrong."},
		"surprisal":                 {"nats", "answers", "", "Mean −log-probability of a sampled token, an estimate of the entropy."},
		"form_decided":              {"share", "answers", "", "Share of the places in answers of a form at which only one token could come."},
		"form_taken":                {"share", "answers", "", "Probability that forms took away from tokens, a mean over these places: 0 where the policy keeps to them by itself."},
		"problems":                  {"problems", "costs", "", "Problems whose answers all have a score."},
		"nodes":                     {"", "costs", "", "Nodes: turns of dialogues, early ends included."},
		"env_steps":                 {"", "costs", "", "Scored joint actions."},
		"generations":               {"answers", "costs", "", "Completions that were sampled."},
		"tokens":                    {"tokens", "costs", "", "Generated tokens of the update."},
		"prompt_tokens":             {"tokens", "costs", "", "Tokens of prompts of the update."},
		"kl":                        {"nats", "learning", "", "KL to the base, per answer, on sampled tokens."},
		"clip_share":                {"share", "learning", "", "Share of tokens whose clipped term was active."},
		"ratio_mean":                {"", "learning", "", "Token probabilities, new over old, a mean over all passes."},
		"ratio_max":                 {"", "learning", "", "The greatest of these ratios."},
		"first_ratio_deviation":     {"", "learning", "", "Greatest distance of the ratio from 1 in the first pass; it is 0."},
		"policy_loss":               {"", "learning", "", "Loss of the policies, a mean over the optimizer steps."},
		"value_loss":                {"", "learning", "", "Loss of the critics, a mean over the optimizer steps."},
		"value_explained":           {"share", "learning", "", "Share of the variance of the returns that the critic knows."},
		"kept":                      {"", "learning", "", "Dialogues that were learned from."},
		"pairs":                     {"", "learning", "", "Pairs that were learned from."},
		"dropped":                   {"", "learning", "", "Texts of the comparator that have no block for some agent; they are no candidates."},
		"preferred":                 {"share", "learning", "", "Share of pairs whose better response the team preferred before."},
		"dead_groups":               {"share", "learning", "", "Share of groups whose credits are all equal; they teach nothing."},
		"lr":                        {"", "learning", "", "Learning rate of the last optimizer step."},
		"optimizer_steps":           {"", "learning", "", "Optimizer steps of all policies."},
		"grad_norm":                 {"", "learning", "policy", "Norm of the gradient, a mean over steps, before clipping."},
		"role_loss_mass":            {"share", "team", "agent", "Share of the agent in the loss."},
		"role_grad_norm":            {"", "team", "agent", "Norm of the agent's gradient, a mean over steps, before clipping."},
		"role_gradients":            {"", "team", "policy", "How the gradients of agents who share a policy go together."},
		"role_baselines":            {"", "team", "agent", "Moving average of what the role earned."},
		"help_rate":                 {"share", "team", "", "Share of episodes in which the team was right and wrong without the agent."},
		"hurt_rate":                 {"share", "team", "", "Share of episodes in which the team was wrong and right without the agent."},
		"same_rate":                 {"share", "team", "", "Share of episodes in which the agent made no difference."},
		"influence":                 {"nats", "team", "", "By how much a message made the next step more probable."},
		"restarts":                  {"", "team", "", "Messages that dropped what their agents had said."},
		"restart_reward":            {"", "team", "", "What these messages earned."},
		"not_zero_sum":              {"episodes", "team", "", "Episodes whose rewards do not add up to 0."},
		"hidden":                    {"", "team", "", "Prompts from whom a field of the problem is hidden."},
		"play":                      {"", "result", "", "How the team plays after the update."},
		"lag":                       {"updates", "learning", "", "Updates by which the policies that wrote the answers are older than those that learn."},
		"timing.seconds":            {"seconds", "time", "", "Time of the update."},
		"timing.sample_seconds":     {"seconds", "time", "", "Time of sampling."},
		"timing.score_seconds":      {"seconds", "time", "", "Time of scoring."},
		"timing.learn_seconds":      {"seconds", "time", "", "Time of training."},
		"timing.panel_seconds":      {"seconds", "time", "", "Time of measuring held-out problems (eval.every)."},
		"timing.save_seconds":       {"seconds", "time", "", "Time of saving."},
		"timing.idle_share":         {"share", "time", "", "Share of the update in which no engine computed."},
		"timing.tokens_per_second":  {"tokens/s", "time", "", "Generated tokens over the whole update."},
		"timing.sampled_per_second": {"tokens/s", "time", "", "Generated tokens over the time of sampling."},
		"timing.heap_mib":           {"MiB", "time", "", "Memory of the Go heap in use."},
		"timing.peak_mib":           {"MiB", "time", "", "Most memory that the program has held so far."},
		"timing.computed":           {"tokens", "time", "", "Tokens that went through the models of the agents."},
		"timing.split_calls":        {"", "time", "", "Calls of training whose data went through in several passes."},
	}
})

// describe says what a series is by its key, such as reward.2 or timing.seconds.
func describe(key string, agents []string) Series {
	s := Series{Key: key, Name: key, Group: "other"}
	all := words()
	for name := key; ; {
		if w, ok := all[name]; ok {
			s.Name, s.Unit, s.Group, s.About = name, w.unit, w.group, w.about
			s.Part = part(strings.TrimPrefix(strings.TrimPrefix(key, name), "."), w.of, agents)
			return s
		}
		i := strings.LastIndexByte(name, '.')
		if i < 0 {
			return s
		}
		name = name[:i]
	}
}

// part names whose number it is. Lists count from 1.
func part(text, of string, agents []string) string {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return text
	case of == "turn":
		return "turn " + text
	case of == "agent" && n >= 1 && n <= len(agents):
		return agents[n-1]
	}
	return text
}
