package team

import (
	"errors"
	"fmt"
	"regexp"
	"text/template"

	"parley/internal/bounded"
)

// Prompts are the texts of a team as Go text/template sources. An empty system prompt means no system message; an empty
// message is left out of the chat.
//
// Fields: .Question .Fields (map) .Agent (1-based) .Role .Turn (1-based) .ShowScores; in Later also .Own and .Others, each
// with .Number .Text .Score .Feedback, and .Report, what the agent is told about its previous answer.
type Prompts struct {
	System string
	// Examples are a chat that stands before turn 1 in every prompt, as it is: a user message, the answer to it, and so on.
	Examples []string
	First    string // user message of turn 1
	Later    string // user message of every later turn
}

// Maths is the prompt form of the paper for mathematical problems (MAPoRL App. G.4.1 and G.5, maporl.md §1.1–1.2).
var Maths = Prompts{
	First: "Question: {{.Question}}\n\n" +
		"Solve the problem step by step and provide clear reasoning. Ensure that the reasoning is concise and directly relevant to solving the problem. Avoid adding commentary or unrelated content.\n\n" +
		"Present the final answer in the following format:\n\nAnswer: \\boxed{XX}",
	Later: `{{if .ShowScores}}Reward from a verifier of your answer: {{.Own.Score}} out of 1.0, which means {{.Own.Feedback}}

{{end}}{{range .Others}}Agent {{.Number}} solution: {{.Text}}
{{if $.ShowScores}}Agent {{.Number}} reward: {{.Score}} out of 1.0, which means {{.Feedback}}
{{end}}
{{end}}{{if .ShowScores}}Here, each reward represents the probability that a suggested answer is correct, as evaluated by a verifier. The reward value is between 0 and 1, with values closer to 1 indicating a higher likelihood of correctness. While these rewards offer useful context, they are not always perfect, though generally quite reliable.

{{end}}{{if .Others}}Focus on providing a well-reasoned response that not only considers your own previous solution but also takes into account answers from other agents. If you believe your previous answer was incorrect, feel free to revise it. However, avoid repeating the same answer you or other agents have already provided.{{if .ShowScores}} Also, internally think about the reward of your and other agents' answers.{{end}} Ensure that your explanation clearly justifies your final answer. Please maintain your answer with very simple reasoning.

{{end}}Once again, the question is: {{.Question}}`,
}

// Short is the short form of [Maths] that the shipped base model was made with.
var Short = Prompts{
	First: `Question: {{.Question}}
Solve step by step. Answer: \boxed{XX}`,
	Later: `{{if .ShowScores}}Reward from a verifier of your answer: {{.Own.Score}} out of 1.0, which means {{.Own.Feedback}}
{{end}}{{range .Others}}Agent {{.Number}} solution: {{.Text}}
{{if $.ShowScores}}Agent {{.Number}} reward: {{.Score}} out of 1.0, which means {{.Feedback}}
{{end}}{{end}}Once again, the question is: {{.Question}}`,
}

// Discussion is the prompt of the second turn of a one-round discussion (MAGRPO §10).
var Discussion = `{{range .Others}}Agent {{.Number}} answered:
{{.Text}}

{{end}}You work together, and are rewarded together. Answer again, with what the others wrote in mind. Give the whole answer, in the same form.`

// promptData is what a template sees. It holds nothing of the problem's truth.
type promptData struct {
	Question   string
	Fields     map[string]string
	Agent      int
	Role       string
	Turn       int
	ShowScores bool
	Report     string
	Own        shownAnswer
	Others     []shownAnswer
}

type shownAnswer struct {
	Number   int
	Text     string
	Score    string
	Feedback string
}

type textTemplate struct{ t *bounded.Prompt }

type compiled struct{ system, first, later *textTemplate }

// compile parses all three templates.
func (p Prompts) compile() (compiled, error) {
	var c compiled
	for _, part := range []struct {
		name, source string
		to           **textTemplate
	}{{"system", p.System, &c.system}, {"first", p.First, &c.first}, {"later", p.Later, &c.later}} {
		t, err := bounded.ParsePrompt(part.name, part.source)
		if err != nil {
			return compiled{}, TemplateError(err)
		}
		*part.to = &textTemplate{t}
	}
	return c, nil
}

// Check reports whether the templates parse and know only fields that exist.
func (p Prompts) Check(fields map[string]string) error {
	c, err := p.compile()
	if err != nil {
		return err
	}
	sample := promptData{
		Question: "?", Fields: fields, Agent: 1, Turn: 2, ShowScores: true,
		Own: shownAnswer{Text: "a", Score: "0.500"}, Others: []shownAnswer{{Number: 1, Text: "b", Score: "0.500"}},
	}
	for _, t := range []*textTemplate{c.system, c.first, c.later} {
		if _, err := t.render(sample); err != nil {
			return err
		}
	}
	return nil
}

func (t *textTemplate) render(data promptData) (string, error) {
	out, err := t.t.Fill(data)
	if err != nil {
		return "", TemplateError(err)
	}
	return out, nil
}

// Errors of package text/template. They name Go types, which say nothing to who wrote the template.
var (
	noField = regexp.MustCompile(`(?s)^template: .*:(\d+):(\d+): executing "[^"]*" at <(.*)>: can't evaluate field (\w+) in type .*$`)
	noKey   = regexp.MustCompile(`(?s)^template: .*:(\d+):(\d+): executing "[^"]*" at <(.*)>: map has no entry for key ("[^"]*")$`)
)

// A templateError has words of its own for what is wrong, which can still be asked for as it was.
type templateError struct {
	words string
	cause error
}

func (e *templateError) Error() string { return e.words }
func (e *templateError) Unwrap() error { return e.cause }

// TemplateError says what is wrong with a template of prompts, in words of templates alone. It wraps err.
func TemplateError(err error) error {
	if _, ok := errors.AsType[template.ExecError](err); !ok {
		return fmt.Errorf("prompt template: %w", err)
	}
	for form, words := range map[*regexp.Regexp]string{noField: "there is no .%s", noKey: "there is no %s"} {
		if m := form.FindStringSubmatch(err.Error()); m != nil {
			return &templateError{fmt.Sprintf("prompt template, line %s, %s: "+words, m[1], m[3], m[4]), err}
		}
	}
	return fmt.Errorf("prompt template: %w", err)
}
