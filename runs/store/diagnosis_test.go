package store

import "testing"

// TestSentences: what a person reads of a diagnosis.
func TestSentences(t *testing.T) {
	second := 2
	for want, got := range map[string]string{
		"lazy agent: share of all tokens of agent 2 is 0.05, which fires at < 0.1; updates 3 to 9, see update 9, episode 4 (sum-17), node 1, joint action 2, agent 2; try: raise its share": Diagnostic{
			Kind: "lazy agent", Rule: "token_share", Agent: 2, Value: 0.05, Sense: "<", Threshold: 0.1, First: 3, Last: 9, Remedy: "raise its share",
			Evidence: []Place{{Update: 9, Index: 4, Problem: "sum-17", Node: 1, Action: &second, Agent: 2}, {Update: 8}},
		}.String(),
		"worse with turns: mean reward of turn 3 minus that of turn 1 is -0.25, which fires at <= -0.1; updates 1 to 1; try: fewer turns": Diagnostic{
			Kind: "worse with turns", Rule: "turn3:drop", Value: -0.25, Sense: "<=", Threshold: -0.1, First: 1, Last: 1, Remedy: "fewer turns",
		}.String(),
		"odd: turnip:drop is 1, which fires at > 0; updates 0 to 0; try: ":             Diagnostic{Kind: "odd", Rule: "turnip:drop", Value: 1, Sense: ">"}.String(),
		"dead: share of groups with equal credits is 0.5 (fires at >= 0.9)":            Rule{Kind: "dead", Rule: "dead_groups", Value: 0.5, Sense: ">=", Threshold: 0.9}.String(),
		"x: new_rule of agent 1 is 1 (fires at > 2), but the rule does not apply here": Rule{Kind: "x", Rule: "new_rule", Agent: 1, Value: 1, Sense: ">", Threshold: 2, Moot: true}.String(),
		"held-out problem 1 (sum-3)":          Place{HeldOut: true, Problem: "sum-3", Update: 7}.String(),
		"update 2, episode 0 (sum-3), node 0": Place{Update: 2, Problem: "sum-3"}.String(),
	} {
		if got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}
