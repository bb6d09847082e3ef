package answer

import (
	"fmt"
	"slices"
	"strings"
)

// Visible is an answer in the form that MAPoRL gives to other agents of a debate and to its trained verifiers (§1.2). The text as its agent wrote
// it is a string, and whoever else reads answers gets that: rewards, judges, tools, environments, the prompts and expressions of workflows, and
// training. The two forms are different types, so that neither stands for the other by mistake.
type Visible string

// Show returns the visible form of a text with its final answer in canonical form; empty: it has none. If it has one, the markup of its boxes is
// removed, their contents kept, and a last line with the answer in a box is added; else the text is used as it is.
//
//	So \boxed{3+4} is \boxed{7}.   →   So 3+4 is 7.
//	                                   Answer: \boxed{7}
func Show(text, final string) Visible {
	if final == "" {
		return Visible(text)
	}
	return Visible(fmt.Sprintf("%s\nAnswer: \\boxed{%s}", strings.TrimRight(unbox(text), " \t\r\n"), final))
}

// unbox removes the markup of all boxes and keeps their contents.
func unbox(text string) string {
	boxes := Boxes(text)
	slices.SortFunc(boxes, func(a, b Box) int { return a.Start - b.Start })
	var drop []Box // spans to leave out: an opening or a closing brace each
	for _, b := range boxes {
		drop = append(drop, Box{Start: b.Start, End: b.Open}, Box{Start: b.End - 1, End: b.End})
	}
	slices.SortFunc(drop, func(a, b Box) int { return a.Start - b.Start })
	var out strings.Builder
	at := 0
	for _, d := range drop {
		out.WriteString(text[at:d.Start])
		at = d.End
	}
	out.WriteString(text[at:])
	return out.String()
}
