package answer

import "strings"

const boxOpening = `\boxed{`

// A Box is one `\boxed{…}` of a text: text[Start:End] is all of it, text[Open:End-1] its content.
type Box struct{ Start, Open, End int }

// Content returns what stands between the braces.
func (b Box) Content(text string) string { return text[b.Open : b.End-1] }

// Boxes returns the boxes of text whose braces are balanced, by ascending End: a box inside another comes before it.
// A brace after a backslash is a character, not a brace.
func Boxes(text string) []Box {
	var boxes []Box
	var open []Box // one per open brace; End is 0 for a box, -1 for any other brace
	for i := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], boxOpening):
			open = append(open, Box{Start: i, Open: i + len(boxOpening)})
			i += len(boxOpening)
			continue
		case text[i] == '\\' && i+1 < len(text) && (text[i+1] == '{' || text[i+1] == '}'):
			i++
		case text[i] == '{':
			open = append(open, Box{End: -1})
		case text[i] == '}' && len(open) > 0:
			b := open[len(open)-1]
			open = open[:len(open)-1]
			if b.End == 0 {
				b.End = i + 1
				boxes = append(boxes, b)
			}
		}
		i++
	}
	return boxes
}

// LastBox returns the box of text that starts last, whose content is the final answer (§8.2); ok is false without any.
func LastBox(text string) (last Box, ok bool) {
	for _, b := range Boxes(text) {
		if !ok || b.Start > last.Start {
			last, ok = b, true
		}
	}
	return last, ok
}
