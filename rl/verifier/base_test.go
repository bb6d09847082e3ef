package verifier

import (
	"strings"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/rl/enginebench"
	"parley/task"
	"parley/task/answer"
	"parley/team"
)

// letters is a codec with a token a letter, from 'a' = 1; 0 ends an answer.
type letters struct{}

func (letters) Prompt(dialogue []team.Message) ([]int, error) {
	ids := []int{127}
	for _, m := range dialogue {
		ids = append(ids, spelled(m.Content)...)
	}
	return append(ids, 126), nil
}

func (letters) Encode(text string) ([]int, error) { return spelled(text), nil }

func spelled(text string) []int {
	ids := make([]int, len(text))
	for i := range ids {
		ids[i] = int(text[i]) % 120
	}
	return ids
}

func (letters) Text(tokens []int) string {
	var b strings.Builder
	for _, t := range tokens {
		if t != 0 {
			b.WriteByte(byte('a' + t%26))
		}
	}
	return b.String()
}

func (letters) Stop() []int { return []int{0, 1, 2, 3} }

// tiny is a base over a model of random weights. The answer of a text is its first letter, up to m or beyond.
func tiny(t *testing.T) *Base {
	t.Helper()
	src, err := bench.OpenRandom("random:tiny")
	if err != nil {
		t.Fatal(err)
	}
	e, err := native.Open(src, engine.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return over(e)
}

func over(e engine.Engine) *Base {
	ask := func(p task.Problem) ([]team.Message, error) {
		return []team.Message{{Role: team.User, Content: p.Question}}, nil
	}
	return &Base{
		Engine: e, Codec: letters{}, Context: 512, Ask: ask, Read: ask,
		Answer: func(_ task.Problem, text string) (string, bool) {
			if text == "" {
				return "", false
			}
			return map[bool]string{true: "low", false: "high"}[text[0] <= 'm'], true
		},
	}
}

func questions(n int) []task.Problem {
	out := make([]task.Problem, n)
	for i := range out {
		out[i] = task.Problem{ID: string(rune('a' + i)), Question: strings.Repeat(string(rune('a'+i)), 3), Truth: "low"}
	}
	return out
}

func TestFaultsOfBoxes(t *testing.T) {
	for text, want := range map[string]Fault{
		"2+3=5\nAnswer: \\boxed{5}":               "",
		"So it is \\boxed{5}.":                    "",
		"Both \\boxed{4} and \\boxed{5}":          "",
		"\\boxed{5}":                              NoReasoning,
		"Answer: \\boxed{5}":                      NoReasoning,
		"2+3=5, \\boxed{5} as I said":             AfterBox,
		"2+3=5":                                   Unparsed,
		"Rephrased: 2+3=5, \\boxed{5}":            MentionsTask,
		"2+3=5 #### 5 \\boxed{5}":                 MentionsTask,
		"With a trivial error: 2+3=6, \\boxed{6}": MentionsTask,
		"An expression \\boxed{2+3}":              Unparsed,
	} {
		mustHaveFault(t, text, want, answer.Math)
	}
}

func TestFaultsOfLastNumbers(t *testing.T) {
	for text, want := range map[string]Fault{
		"2 + 3 = 5. The answer is 5.": "",
		"There are 5 and 2 go, so 3.": "",
		"5. So the answer is 5.0.":    NoReasoning,
		"The answer is 5.":            NoReasoning,
		"-1,200.0":                    NoReasoning,
		"None.":                       Unparsed,
	} {
		mustHaveFault(t, text, want, answer.LastNumber)
	}
	mustHaveFault(t, "The 3 men sleep, so it is an entailment.", "", func(string) (string, bool) { return "entailment", true })
}

func mustHaveFault(t *testing.T, text string, want Fault, read func(string) (string, bool)) {
	t.Helper()
	answer, parsed := read(text)
	if got := FaultOf(text, answer, parsed); got != want {
		t.Errorf("%q: %q, want %q", text, got, want)
	}
}
