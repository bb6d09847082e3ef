package labelled

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/task"
	"parley/task/answer"
	"parley/task/dataset"
)

// choices are those of a question: a label each, such as A, and a text. Without any, an answer is a letter or a word by itself.
type choices struct{ labels, texts []string }

// unlisted are the options of a question that names none.
var unlisted = choices{}

// options reads those of a problem from its fields: the key that the settings name, else A, B, C and so on.
func (s DataSettings) options(p task.Problem) (choices, error) {
	if text := p.Fields[string(s.Choices)]; text != "" {
		return listed(string(s.Choices), text)
	}
	var o choices
	for label := 'A'; label <= 'Z'; label++ {
		text, has := p.Fields[string(label)]
		if !has {
			break
		}
		if strings.TrimSpace(text) != "" { // rows of one table may have fewer options than others
			o.labels, o.texts = append(o.labels, string(label)), append(o.texts, text)
		}
	}
	if len(o.labels) == 1 {
		return unlisted, nil // a column that happens to be named A
	}
	return o, nil
}

// listed reads options from JSON: a list of texts, or an object with lists of label and text.
func listed(key, text string) (o choices, err error) {
	var r dataset.Record
	if strings.HasPrefix(text, "{") {
		if r, err = dataset.ParseRecord([]byte(text)); err != nil {
			return o, fmt.Errorf("%s: %w", key, err)
		}
		if o.labels, err = r.Texts("label"); err != nil {
			return o, fmt.Errorf("%s: %w", key, err)
		}
		o.texts, err = r.Texts("text")
	} else {
		if r, err = dataset.ParseRecord([]byte(`{"text":` + text + `}`)); err != nil {
			return o, fmt.Errorf("%s is %.40s, expected a list of texts", key, text)
		}
		o.texts, err = r.Texts("text")
	}
	if err != nil {
		return o, fmt.Errorf("%s: %w", key, err)
	}
	if o.labels == nil {
		for i := range o.texts {
			o.labels = append(o.labels, string(rune('A'+i)))
		}
	}
	if len(o.texts) < 2 || len(o.texts) > 26 || len(o.labels) != len(o.texts) {
		return o, fmt.Errorf("%s has %d texts and %d labels, expected 2 to 26 of each", key, len(o.texts), len(o.labels))
	}
	return o, nil
}

// asked is a question with its options below it.
func (o choices) asked(question string) string {
	if len(o.texts) == 0 {
		return question
	}
	var b strings.Builder
	b.WriteString(question + "\n")
	for i, text := range o.texts {
		fmt.Fprintf(&b, "\n%s. %s", o.labels[i], text)
	}
	return b.String()
}

// right is the label of the right option. A number in JSON counts options from 0. A text is a label, else the text of an option, else such
// a number.
func (o choices) right(text string, integer bool) (string, error) {
	at, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(text), ".0"))
	counted := err == nil && at >= 0 && at < len(o.labels)
	if integer && counted {
		return o.labels[at], nil
	}
	if label, ok := o.chosen(text); ok {
		return label, nil
	}
	if counted {
		return o.labels[at], nil
	}
	return "", fmt.Errorf("the right answer %.40q is none of the options %s", text, strings.Join(o.labels, ", "))
}

// lettered matches a label, by itself or before its text: B, (b), B. Paris, option B: Paris.
var lettered = regexp.MustCompile(`^(?i:option |choice |answer )?\(?([A-Za-z0-9])(?:\)|[.):]|\s+[-–—]\s|$)`)

// chosen is the label of the option that a text names.
func (o choices) chosen(text string) (label string, ok bool) {
	text = bare(text)
	normal := answer.Normalized(text)
	alone := strings.Trim(text, "()[].: ")
	if at := slices.IndexFunc(o.labels, func(l string) bool { return strings.EqualFold(l, alone) }); at >= 0 {
		return o.labels[at], true
	}
	if at := slices.IndexFunc(o.texts, func(t string) bool { return answer.Normalized(bare(t)) == normal }); at >= 0 && normal != "" {
		return o.labels[at], true
	}
	if m := lettered.FindStringSubmatch(text); m != nil {
		if len(o.labels) == 0 {
			return strings.ToUpper(m[1]), true
		}
		at := slices.IndexFunc(o.labels, func(l string) bool { return strings.EqualFold(l, m[1]) })
		if at >= 0 {
			return o.labels[at], true
		}
	}
	return normal, len(o.labels) == 0 && normal != ""
}

// isInteger says whether a JSON value is a whole number, not a text.
func isInteger(value json.RawMessage) bool {
	n, err := Number(string(value))
	return err == nil && value[0] != '"' && !strings.Contains(n, "/")
}

// answered is a data set with right answers.
type answered struct {
	*Task
	settings DataSettings
}

// AnswerTo implements [task.ProblemAnswerer].
func (t answered) AnswerTo(p task.Problem, text string) (canonical string, ok bool) {
	return t.settings.answerTo(p, text)
}

// answerTo reads the final answer of a response to a problem.
func (s DataSettings) answerTo(p task.Problem, text string) (canonical string, ok bool) {
	if s.Match != Choice {
		return s.extract(text, p.Right(), s.canonical)
	}
	o, err := s.options(p)
	if err != nil { // it was read before
		return "", false
	}
	return s.extract(text, p.Right(), o.chosen)
}
