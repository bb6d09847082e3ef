package answer

import (
	"fmt"
	"slices"
	"strings"
)

// Visible returns the text of an answer as other agents and the verifier see it (§1.2): if the answer parses, the markup of
// its boxes is removed, their contents kept, and a last line with the canonical answer in a box is added; else the text is
// used as it is. Training always uses the sampled tokens, never this text.
//
//	So \boxed{3+4} is \boxed{7}.   →   So 3+4 is 7.
//	                                   Answer: \boxed{7}
func Visible(text string, parse Parser) string {
	canonical, ok := parse(text)
	if !ok {
		return text
	}
	return fmt.Sprintf("%s\nAnswer: \\boxed{%s}", strings.TrimRight(unbox(text), " \t\r\n"), canonical)
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
