package answer

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// LineReadings are the last line that says something as it stands, and what is left of it each time that a label, a mark or a pair of marks has
// gone, down to the answer: in "**Final answer:** `73`." it is 73. None: no line says anything.
func LineReadings(text string) []string {
	if said, ok := Member(text, "answer"); ok {
		text = said
	}
	lines := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", c) })
	for i := len(lines) - 1; i >= 0; i-- {
		line := trim(lines[i])
		if line == "" || saysNothing.MatchString(line) || tags.ReplaceAllString(line, "") == "" {
			continue
		}
		if len(line) <= mostLine {
			return readings(line, lineSteps)
		}
		tail := strings.ToValidUTF8(line[len(line)-mostLine:], "")
		if rest := labelOff(tail); len(rest) < len(tail) && trim(rest) != "" {
			return append([]string{line}, readings(trim(rest), lineSteps)...)
		}
		return []string{line}
	}
	return nil
}

// mostLine is how long a line may be to be looked at as a whole, in bytes. In a longer one an answer follows a label near its end.
const mostLine = 2000

// BoxReadings are the content of the last box of a text as it stands, and what is left of it without \text{…} and its like. None: there is none.
func BoxReadings(text string) []string {
	said, alone := Member(text, "answer")
	if alone {
		text = said
	}
	if box, ok := LastBox(text); ok {
		said = box.Content(text)
	}
	if said = strings.TrimSpace(said); said == "" {
		return nil
	}
	return readings(said, []step{textOff})
}

// A step takes one thing off a line. It returns the line as it is where it finds nothing.
type step func(line string) string

// mostReadings bounds how much is taken off.
const mostReadings = 64

// readings applies steps as long as one of them takes something off and leaves something.
func readings(line string, steps []step) []string {
	list := []string{line}
	for len(list) < mostReadings {
		last := list[len(list)-1]
		at := slices.IndexFunc(steps, func(s step) bool {
			next := trim(s(last))
			return next != "" && len(next) < len(last) && !saysNothing.MatchString(next) && tags.ReplaceAllString(next, "") != ""
		})
		if at < 0 {
			break
		}
		list = append(list, trim(steps[at](last)))
	}
	return list
}

var lineSteps = []step{tagsOff, cells, pairsOff, labelOff, furnitureOff, endOff, boxOff, danglingOff}

// trim takes off white space and what is not seen.
func trim(s string) string {
	return strings.TrimFunc(s, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.In(c, unicode.Cf, unicode.Variation_Selector)
	})
}

// saysNothing matches lines that say nothing: fences of code, rules, openings and ends of formulas and tables.
var saysNothing = regexp.MustCompile("^(?:```+\\w*|~~~+|-{3,}|\\*{3,}|_{3,}|={3,}|\\$\\$|\\\\[\\[\\]()]|\\\\(?:begin|end)\\{[a-z*]+\\}|\\|(?:\\s*:?-+:?\\s*\\|)+)$")

// tags are those of HTML that change looks, and those that models are told to put around answers.
var tags = regexp.MustCompile(`(?i)</?(?:b|i|u|em|strong|p|div|span|br|code|tt|kbd|pre|mark|center|font|h[1-6]|ul|ol|li|table|tbody|tr|td|th|q|small|big|answer|final|final_answer|finalanswer|result|solution|output|response)(?:\s[^<>]*)?\s*/?>`)

func tagsOff(s string) string { return tags.ReplaceAllString(s, "") }

// linePairs enclose an answer, or a line with its label.
var linePairs = [][2]string{
	{"***", "***"},
	{"**", "**"},
	{"__", "__"},
	{"~~", "~~"},
	{"==", "=="},
	{"*", "*"},
	{"_", "_"},
	{"```", "```"},
	{"``", "``"},
	{"`", "`"},
	{`"`, `"`},
	{"'", "'"},
	{"“", "”"},
	{"„", "“"},
	{"„", "”"},
	{"”", "”"},
	{"‘", "’"},
	{"‚", "‘"},
	{"’", "’"},
	{"«", "»"},
	{"»", "«"},
	{"‹", "›"},
	{"「", "」"},
	{"『", "』"},
	{"【", "】"},
	{"《", "》"},
	{"$$", "$$"},
	{"$", "$"},
	{`\(`, `\)`},
	{`\[`, `\]`},
	{`\boxed{`, `}`},
	{`\fbox{`, `}`},
}

func pairsOff(s string) string {
	for _, w := range linePairs {
		if inner, ok := enclosed(s, w[0], w[1]); ok && trim(inner) != "" {
			return inner
		}
	}
	return textOff(s)
}

// enclosed is [within] for marks of which some begin like others: * like **.
func enclosed(s, opening, closing string) (inner string, ok bool) {
	inner, ok = within(s, opening, closing)
	if ok && opening == closing && strings.HasPrefix(inner, opening[:1]) != strings.HasSuffix(inner, opening[:1]) {
		return "", false
	}
	return inner, ok
}

// textCommands of LaTeX hold words.
var textCommands = []string{`\text{`, `\textbf{`, `\textit{`, `\textrm{`, `\textnormal{`, `\mathrm{`, `\mathbf{`, `\mathit{`, `\mbox{`, `\operatorname{`}

// textOff takes a command of LaTeX that holds words off, and leaves the words.
func textOff(s string) string {
	for _, command := range textCommands {
		if inner, ok := within(s, command, "}"); ok {
			return inner
		}
	}
	return s
}

// cells reads a row of a table: its only cell, or the cell behind a label.
func cells(s string) string {
	if len(s) < 2 || !strings.HasPrefix(s, "|") || !strings.HasSuffix(s, "|") {
		return s
	}
	var filled []string
	for _, cell := range strings.Split(s[1:len(s)-1], "|") {
		if cell = trim(cell); cell != "" {
			filled = append(filled, cell)
		}
	}
	switch {
	case len(filled) == 1 && strings.HasPrefix(s, "| "):
		return filled[0]
	case len(filled) == 2 && isLabel(filled[0]):
		return filled[1]
	}
	return s
}

var (
	quoteMark = regexp.MustCompile(`^(?:>+\s*|#{1,6}\s+|####\s*|[-+*•‣◦▪●○∙·–—]\s+|\[[ xX]\]\s+|[→⇒➜➡⟹∴»]\s*|(?:=>|->|-->|==>)\s*|=\s+)`)
	numbered  = regexp.MustCompile("^\\d{1,2}[.)]\\s+([*_`].*)$")
	afterMark = regexp.MustCompile(`\s*#{1,6}$`) // of a heading that is closed
)

// furnitureOff takes off what stands before an answer: marks of quotes, headings and lists, arrows, pictures.
func furnitureOff(s string) string {
	if m := quoteMark.FindString(s); m != "" {
		rest := s[len(m):]
		if strings.HasPrefix(m, "#") {
			rest = afterMark.ReplaceAllString(rest, "")
		}
		return rest
	}
	if m := numbered.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	rest := strings.TrimLeftFunc(s, picture)
	if len(rest) < len(s) {
		return rest
	}
	rest = strings.TrimRightFunc(s, picture)
	if strings.HasSuffix(rest, " ") || len(rest) < len(s) && strings.HasSuffix(rest, ".") { // B♭ keeps its sign
		return rest
	}
	return s
}

// picture is an emoji or a mark that is set like one.
func picture(c rune) bool {
	return 0x1F000 <= c && c <= 0x1FAFF || 0x2600 <= c && c <= 0x27BF && c != '✕' && c != '✖' || 0x2B00 <= c && c <= 0x2BFF || 0x231A <= c && c <= 0x23FF ||
		unicode.In(c, unicode.Cf, unicode.Variation_Selector) || c == '\u20e3'
}

// endOff takes a closing full stop off, and line breaks of LaTeX and Markdown.
func endOff(s string) string {
	switch {
	case strings.HasSuffix(s, "..") || strings.HasSuffix(s, "…"):
		return s
	case strings.HasSuffix(s, `\\`):
		return s[:len(s)-2]
	}
	for _, stop := range []string{".", "。", "．", "｡", "।"} {
		if strings.HasSuffix(s, stop) {
			return strings.TrimSuffix(s, stop)
		}
	}
	return s
}

// boxOff reads a line that holds a box.
func boxOff(s string) string {
	if box, ok := LastBox(s); ok && trim(box.Content(s)) != "" {
		return box.Content(s)
	}
	return s
}

var dangling = regexp.MustCompile("^(?:\\*{2,3}|`)\\s*([^*`]+)$|^([^*`]*[^*`\\s])\\s*(?:\\*{2,3}|`)$")

// danglingOff takes off emphasis that was opened or closed alone.
func danglingOff(s string) string {
	if m := dangling.FindStringSubmatch(s); m != nil {
		return m[1] + m[2]
	}
	return s
}
