package plan_test

import (
	"reflect"
	"strings"
	"testing"

	"parley/recipe/language"
	"parley/train/plan"
)

// TestRewardCalls: a reward gets as many texts as the team's answer has, in its order, each as long as who writes it may write; all texts of other
// protocols, and one of a single agent.
func TestRewardCalls(t *testing.T) {
	steps := "team: {protocol: workflow, agents: {a: {}, b: {sampling: {max_tokens: 5}}, c: {}}, ANSWER, workflow: [{ask: a, prompt: x}, {ask: b, prompt: x}, {ask: c, prompt: x}]}\n"
	program := "team: {protocol: workflow, agents: {a: {}, b: {}}, turns: 1, program: \"def next(problem, history):\\n    return []\\nANSWER\"}\n"
	for name, c := range map[string]struct {
		team, answer, baselines string
		want                    []plan.RewardCall
	}{
		"joint":      {steps, "answer: {joint: [b, a]}", "", []plan.RewardCall{{Tokens: []int{5, 9}, Agents: 3}}},
		"one agent":  {steps, "answer: b", "", []plan.RewardCall{{Tokens: []int{5}, Agents: 3}}},
		"vote":       {steps, "answer: vote", "", []plan.RewardCall{{Tokens: []int{9}, Agents: 3}}},
		"last":       {steps, `answer: ""`, "", []plan.RewardCall{{Tokens: []int{9}, Agents: 3}}},
		"every turn": {steps, "answer: every-turn", "", []plan.RewardCall{{Tokens: []int{9, 5, 9}, Agents: 3}}},
		"beside":     {steps, "answer: b", "single", []plan.RewardCall{{Tokens: []int{5}, Agents: 3}, {Tokens: []int{81}, Agents: 3, Alone: true}}},
		"computes":   {program, `def answer(problem, history):\n    return 'x'`, "", nil},
		"program":    {program, "", "", []plan.RewardCall{{Tokens: []int{9}, Agents: 2}}},
		"parallel":   {"team: {protocol: parallel, agents: 2, turns: 1}\n", "", "single", []plan.RewardCall{{Tokens: []int{9, 9}, Agents: 2}, {Tokens: []int{18}, Agents: 2, Alone: true}}},
		"debate":     {"team: {protocol: debate, agents: 2, turns: 2}\n", "", "majority-vote", []plan.RewardCall{{Tokens: []int{9, 9}, Agents: 2}, {Tokens: []int{36}, Agents: 2, Alone: true}}},
		"leader":     {"team: {protocol: leader, agents: 3, turns: 2}\n", "", "", []plan.RewardCall{{Tokens: []int{9, 9, 9}, Agents: 3}}},
	} {
		text := "name: x\ntask: {name: sums}\nalgorithm: magrpo\ngroup: {rollout: episodes}\nsampling: {max_tokens: 9}\nreward: {source: user, user: {expression: '1'}}\n" +
			strings.Replace(c.team, "ANSWER", c.answer, 1) + "eval: {baselines: [" + c.baselines + "]}\n"
		r, err := language.New().Parse("x.yaml", []byte(text), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if calls, err := plan.RewardCalls(r); err != nil || !reflect.DeepEqual(calls, c.want) {
			t.Errorf("%s: calls %+v, %v, want %+v", name, calls, err, c.want)
		}
	}
}
