package verifier

import (
	"slices"
	"strings"

	"parley/task/answer"
)

// A Fault is why a solution is left out of the data.
type Fault string

const (
	Unfinished   Fault = "unfinished"   // it reached the most tokens without an end
	Unparsed     Fault = "unparsed"     // it has no final answer that can be read
	NoReasoning  Fault = "no_reasoning" // nothing stands before the first box; without a box: it has no number but its answer
	AfterBox     Fault = "text_after_box"
	MentionsTask Fault = "talks_about_task" // it speaks of rephrasing, or quotes the markers of a data set
	WrongLabel   Fault = "other_label"      // a trial for right solutions gave a wrong one, or the other way round
)

// telltale are words of answers that talk about the order they were given instead of the question (reference implementation
// of MAPoRL), and the marker that ends solutions of GSM8K.
var telltale = []string{"rephras", "rewrit", "reword", "trivial error", "###"}

// FaultOf says why a text is not "reasoning first, then the box" (MAPoRL §3); empty: it is. Texts without any box are allowed
// where their answer can be read: then the task takes another form. A number that stands alone is no reasoning: where balancing
// shows an answer, nearly all right solutions would come so, and a verifier would learn to tell them by their form.
func FaultOf(text, canonical string, parsed bool) Fault {
	boxes := answer.Boxes(text)
	lower := strings.ToLower(text)
	switch {
	case !parsed:
		return Unparsed
	case slices.ContainsFunc(telltale, func(word string) bool { return strings.Contains(lower, word) }):
		return MentionsTask
	case len(boxes) == 0:
		if last, ok := answer.LastNumber(text); ok && last == canonical && answer.OnlyNumber(text, canonical) {
			return NoReasoning
		}
		return ""
	}
	first, last := boxes[0].Start, boxes[0].End
	for _, b := range boxes {
		first, last = min(first, b.Start), max(last, b.End)
	}
	reasoning := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text[:first]), "Answer:"))
	if reasoning == "" {
		return NoReasoning
	}
	if strings.Trim(text[last:], " \t\r\n.$") != "" {
		return AfterBox
	}
	return ""
}
