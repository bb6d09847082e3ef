package answer

import (
	"regexp"
	"strings"
)

// Texts write one number in many ways. Before numbers are read, notations that mean the same become one: the minus signs of Unicode a
// hyphen, spaces of all widths a blank, ½ a \frac{1}{2}, ² a ^{2}, the wide digits of East Asian type plain ones, and LaTeX that only changes looks goes.
var oneNotation = strings.NewReplacer(
	"\u2212", "-", "\u2013", "-", "\ufe63", "-", "\uff0d", "-",
	"\u00a0", " ", "\u2002", " ", "\u2003", " ", "\u2004", " ", "\u2005", " ", "\u2006", " ", "\u2007", " ", "\u2008", " ", "\u2009", " ",
	"\u200a", " ", "\u202f", " ", "\u205f", " ", "\u3000", " ",
	"０", "0", "１", "1", "２", "2", "３", "3", "４", "4", "５", "5", "６", "6", "７", "7", "８", "8", "９", "9", "．", ".", "，", ",", "＄", "$", "％", "%",
	`\,`, " ", `\;`, " ", `\:`, " ", `\ `, " ", `\!`, "", `\approx`, "≈",
	`{,}`, ",", `\$`, "$", `\%`, "%",
	"\u2044", "/", "\u2215", "/",
	`\times`, "×", `\cdot`, "·", "\u22c5", "·", "\u2219", "·",
	`^\circ`, "°", `^{\circ}`, "°", `\degree`, "°", "√", `\sqrt`, "π", `\pi`,
	"½", `\frac{1}{2}`, "⅓", `\frac{1}{3}`, "⅔", `\frac{2}{3}`, "¼", `\frac{1}{4}`, "¾", `\frac{3}{4}`,
	"⅕", `\frac{1}{5}`, "⅖", `\frac{2}{5}`, "⅗", `\frac{3}{5}`, "⅘", `\frac{4}{5}`, "⅙", `\frac{1}{6}`, "⅚", `\frac{5}{6}`,
	"⅐", `\frac{1}{7}`, "⅛", `\frac{1}{8}`, "⅜", `\frac{3}{8}`, "⅝", `\frac{5}{8}`, "⅞", `\frac{7}{8}`, "⅑", `\frac{1}{9}`, "⅒", `\frac{1}{10}`,
)

var (
	tightComma    = regexp.MustCompile(`,\s*\\!\s*`)             // 12,\!000
	noBreak       = regexp.MustCompile(`([^0-9])~|~([^0-9])|~$`) // between digits it is a range
	looks         = regexp.MustCompile(`\\(?:left|right|displaystyle)\b`)
	gap           = regexp.MustCompile(`\\(?:q?quad|enspace|thinspace)\b`)
	anyFrac       = regexp.MustCompile(`\\(?:[dtc]|nice|s)frac\b|\\[dtc]frac`)
	textBox       = regexp.MustCompile(`\\(?:text|textbf|textit|textrm|textnormal|mathrm|mathbf|mbox|operatorname)\s?\{([^{}]*)\}`)
	superscript   = regexp.MustCompile(`[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+`)
	plainExponent = strings.NewReplacer("⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")
)

// nestedText is how deep \text may stand in \text.
const nestedText = 3

// inOneNotation rewrites a text as [oneNotation] says; words in \text{…} stand as words.
func inOneNotation(s string) string {
	s = tightComma.ReplaceAllString(s, ",")
	s = oneNotation.Replace(s)
	s = noBreak.ReplaceAllString(s, "$1 $2")
	s = looks.ReplaceAllString(s, "")
	s = gap.ReplaceAllString(s, " ")
	s = anyFrac.ReplaceAllString(s, `\frac`)
	for range nestedText {
		s = textBox.ReplaceAllString(s, " $1 ")
	}
	return superscript.ReplaceAllStringFunc(s, func(run string) string { return "^{" + plainExponent.Replace(run) + "}" })
}
