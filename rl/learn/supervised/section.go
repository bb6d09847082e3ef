package supervised

import "parley/rl/learn"

// section declares the settings of supervised learning. The pool is ordered by the scores of last answers, one by one (MAPoRL §4.7); a joint
// reward gives none of them.
func section() learn.Section {
	return learn.Section{Name: "sft", Settings: Settings{}, Rules: []learn.Rule{
		{Keys: []string{"algorithm", "reward.source"}, Broken: func(v learn.View) string {
			return learn.If(v.Read && v.Joint, "algorithm is %s, but reward.source %s scores no single answers", v.Algorithm.Name, v.Reward)
		}, Hint: "it chooses debates by right answers: set reward.source to label"},
	}}
}
