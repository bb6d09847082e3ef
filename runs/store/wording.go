package store

// This file has what the rules of a diagnosis found in training, as it stands in a run folder, and says it in words.
//
//	diagnosis.go  [Diagnosis]: what was looked for, and what fired
//	wording.go    of: what the value of a rule is

import (
	"cmp"
	"fmt"
	"strings"
)

// In parts the name of a rule about one of several policies from that of the policy.
const In = "@"

// measured says what the value of a rule is. Rewards are shares of the reward's range.
var measured = map[string]string{
	"dead_groups":           "share of groups with equal credits",
	"tiny_spread_whitened":  "share of groups with a tiny spread that is normalised",
	"unusable":              "share of usable responses",
	"token_share":           "share of all tokens",
	"aux_without_influence": "share of joint actions in which the first response can matter",
	"cascade_share":         "share of programs that the helper breaks",
	"audit_gap":             "rise of the robust reward over the last updates",
	"flag_share":            "share of joint actions with a robust flag",
	"few_items_gain":        "share of held-out problems on which the team gains over one model",
	"failed":                "share of problems that could not be scored, over the last updates",
	"flagged":               "share of answers with a flag in the last update",
	"unheard_pay":           "greatest pay alone, without effect,",
	"return_spread":         "spread of what like answers or whole dialogues earn, as a share of the reward's range",
	"optimizer_steps":       "optimizer steps in the last updates",
	"drift":                 "mean change of a token's log-probability from the base, in nats",
	"update_norm":           "how far the steps of the window have moved the policy that moved most, as a share of the norm of its parameters",
	"value_explained":       "share of the returns' variance that the critic knows",
	"endless":               "share of answers in the last update that did not end before sampling.max_tokens",
	"truncated_prompts":     "share of prompts in the last update that lost their beginning",
	"not_zero_sum":          "episodes of the last updates whose rewards do not add up to 0",
	"capture":               "mean share of the gradient",
	"dominance":             "mean share of the gradient",
	"starved":               "mean share of the gradient",
	"spike":                 "multiple of the usual norm of the gradient",
	"unasked":               "calls in an episode of the last update",
	"extends":               "share of the calls that go on with a chat, over the last updates, whose prompts begin with the earlier prompt and answer",
	"limited":               "share of episodes of the last update that used up their calls",
	"alike":                 "share of problems of the last updates whose episodes all ended with one answer",
	"unread":                "share of the program's answers of the last update in which no final answer can be read",
	"overlapping":           "episodes of the last update of which calls overlapped",
}

// of says what the value of a rule is, and of which agent: number, from 1, and name; 0: of no single agent.
func of(rule string, agent int, name string) string {
	rule, policy, _ := strings.Cut(rule, In)
	what := cmp.Or(measured[rule], rule)
	if policy != "" {
		what += " in " + policy
	}
	var turn int
	if n, _ := fmt.Sscanf(rule, "turn%d:drop", &turn); n == 1 {
		what = fmt.Sprintf("mean reward of turn %d minus that of turn 1", turn)
	}
	if flag, is := strings.CutPrefix(rule, "flagged:"); is {
		what = fmt.Sprintf("share of answers in the last update with the flag %s", flag)
	}
	if agent > 0 {
		what += " of " + cmp.Or(name, fmt.Sprintf("agent %d", agent))
	}
	return what
}
