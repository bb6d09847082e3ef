package episodes

import (
	"parley/rl/rollout"
	"parley/viewer/explain"
)

// A Completion is one answer with all that is known of it.
type Completion struct {
	Completion int               `json:"completion"`
	Text       string            `json:"text"`
	Visible    *string           `json:"visible"` // what later prompts show, where it differs
	Answer     *string           `json:"answer"`
	Correct    *bool             `json:"correct"` // nil: there is no truth, or it is no answer
	Score      *float64          `json:"score"`
	Reward     float64           `json:"reward"`
	Advantage  float64           `json:"advantage"`
	Flags      []string          `json:"flags"`
	Masked     bool              `json:"masked"`
	Penalty    float64           `json:"penalty"`
	Stop       string            `json:"stop"`
	Tokens     int               `json:"tokens"`
	Surprisal  *float64          `json:"surprisal"` // mean −log p of its tokens, in nats
	Calls      []Call            `json:"calls"`
	Formula    []explain.Formula `json:"formula"`
	Cut        int               `json:"cut"` // bytes of the text that are left out here
}

// Judged says whether what was said is right or wrong: what a program says in an agent's place without a final answer, such as the results of
// tests, is neither. speaker is that of [rollout.AgentTurn].
func Judged(speaker string, answers bool) bool {
	return answers || speaker == "" || speaker == "endpoint"
}

// A Call is what an agent called within its turn.
type Call struct {
	At        int    `json:"at"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Result    string `json:"result"`
	Failed    bool   `json:"failed"`
}

// longestText is how much of a text an episode shows, in bytes: the rest is there when somebody asks for it.
const longestText = 64 << 10

func cut(text string) (shown string, left int) {
	if len(text) <= longestText {
		return text, 0
	}
	shown = Begin(text, longestText)
	return shown, len(text) - len(shown) + len("…")
}

func completion(e *rollout.Episode, a *rollout.AgentTurn, i int, formulas []explain.Formula) Completion {
	c := &a.Completions[i]
	out := Completion{
		Completion: i, Score: Number(c.Score), Reward: finite(c.Reward), Advantage: finite(c.Advantage), Flags: append([]string{}, c.Flags...),
		Masked: c.Masked, Penalty: c.Penalty, Stop: string(c.Stop), Tokens: len(c.Tokens), Calls: []Call{}, Formula: formulas,
	}
	out.Text, out.Cut = cut(c.Text)
	if c.Visible != "" {
		visible, _ := cut(string(c.Visible))
		out.Visible = &visible
	}
	if c.HasAnswer {
		out.Answer = &c.Answer
	}
	if e.Problem.Truth != "" && Judged(a.Speaker, c.HasAnswer) {
		out.Correct = &c.Correct
	}
	if len(c.Logprobs) > 0 {
		out.Surprisal = Number(-c.Logprob() / float64(len(c.Logprobs)))
	}
	for _, call := range c.Calls {
		result, _ := cut(call.Result)
		out.Calls = append(out.Calls, Call{call.At, call.Name, call.Arguments, result, call.Failed})
	}
	return out
}
