package answer

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Normalized is a text without what a reader does not mind: letter case, white space, the punctuation of prose, quotes and emphasis in pairs,
// articles, and the many ways to write one character. All other signs count: 1/2 is not 12, C++ not C, (0,1) not [0,1], $5 not 5. Package data has
// the rules as a table. A text that would be nothing, such as ?!, stays; so does one with more than sixteen brackets within brackets.
func Normalized(text string) string {
	plain := strings.Join(strings.Fields(text), " ")
	for _, from := range []string{text, plain} {
		if out := normal(from); normal(out) == out {
			return out
		}
	}
	// It does not settle, so it is no answer in words, and equals itself alone.
	return plain
}

// mostPasses bounds how often a text is looked at again after something has gone from it, such as brackets within brackets.
const mostPasses = 16

// normal takes away what does not count until nothing more goes, or for as many passes as there may be.
func normal(text string) string {
	out := text
	for range mostPasses {
		next := normalOnce(fold(out))
		if next == out {
			break
		}
		out = next
	}
	if out == "" {
		return strings.Join(strings.Fields(fold(text)), " ")
	}
	return out
}

func normalOnce(s string) string {
	s = withoutPairs(strings.Join(strings.Fields(s), " "))
	s = withoutThousands(s)
	s = strings.Join(strings.Fields(withoutProse([]rune(colons.ReplaceAllString(s, " ")))), " ")
	return strings.TrimSpace(withoutArticles(s))
}

// colons are several beside a space; between words they stay, as in std::sort.
var colons = regexp.MustCompile(`(?:^| )::+|::+(?: |$)`)

// fold writes a text in one form of letters, digits, dashes and quotes. Superscripts become powers: x² is x^2, not x2.
func fold(text string) string {
	text = latexOff(strings.Map(visible, norm.NFC.String(text)))
	text = exponents.ReplaceAllStringFunc(text, func(run string) string { return "^" + plainExponent.Replace(run) })
	text = afterDigit.ReplaceAllString(text, "$1 $2")
	text = spacedThousands.ReplaceAllStringFunc(text, func(run string) string {
		if thinGroups.MatchString(run) {
			return thinSpaces.ReplaceAllString(run, "")
		}
		return run
	})
	// Folding alone swaps the cases of Cherokee.
	text = norm.NFKC.String(strings.ToLower(cases.Fold().String(norm.NFKC.String(text))))
	return strings.TrimSpace(oneSign.Replace(text))
}

var (
	exponents       = regexp.MustCompile(`⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+`)
	afterDigit      = regexp.MustCompile(`(\p{Nd})([¼-¾⅐-⅞])`) // 3½ is 3 1/2
	spacedThousands = regexp.MustCompile(`\p{Nd}+(?:[\x{a0}\x{202f}\x{2009}]\p{Nd}+)+`)
	thinGroups      = regexp.MustCompile(`^\p{Nd}{1,3}(?:[\x{a0}\x{202f}\x{2009}]\p{Nd}{3})+$`)
	thinSpaces      = regexp.MustCompile(`[\x{a0}\x{202f}\x{2009}]`)
	oneSign         = strings.NewReplacer(
		"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "―", "-", "−", "-", "⁄", "/", "∕", "/",
		"‘", "'", "’", "'", "‚", "'", "‛", "'", "′", "'", "´", "'", "ʼ", "'",
		"“", `"`, "”", `"`, "„", `"`, "‟", `"`, "″", `"`, "«", `"`, "»", `"`, "「", `"`, "」", `"`, "『", `"`, "』", `"`, "《", `"`, "》", `"`,
		"。", ". ", "、", ", ", "،", ", ", "؛", "; ", "؟", "? ", "।", ". ", "॥", ". ", "∶", ":",
	)
)

// latexOff takes the markup off that only changes looks, or that writes a plain sign.
func latexOff(s string) string {
	if !strings.ContainsAny(s, `\^`) {
		return s
	}
	for range nestedText {
		s = textBox.ReplaceAllString(s, "$1")
	}
	return powerGroup.ReplaceAllString(looks.ReplaceAllString(plainLaTeX.Replace(s), ""), "^$1")
}

var (
	powerGroup = regexp.MustCompile(`\^\{([+-]?[0-9A-Za-z]+)\}`)
	plainLaTeX = strings.NewReplacer(`\%`, "%", `\$`, "$", `\#`, "#", `\&`, "&", `\_`, "_", `\{`, "{", `\}`, "}", `\,`, " ", `\;`, " ", `\:`, " ", `\ `, " ", `\!`, "",
		`\times`, "×", `\cdot`, "·", `^\circ`, "°", `^{\circ}`, "°", `{,}`, ",")
)

// prosePairs are quotes, emphasis, code marks and dollars of LaTeX: they go where they stand around words.
var prosePairs = func() []prosePair {
	var list []prosePair
	for _, mark := range []string{"***", "**", "__", "~~", "==", "```", "``", "$$", `"`, "'", "`", "*", "_", "$"} {
		quoted, first := regexp.QuoteMeta(mark), regexp.QuoteMeta(mark[:1])
		list = append(list, prosePair{mark, regexp.MustCompile(`(^|[\s(\[{,;:/"'*-])` + quoted + `([^\s` + first + `](?:[^` + first + `]*[^\s` + first + `])?)` + quoted + `($|[\s)\]},;:.!?/"'*-])`)})
	}
	return list
}()

type prosePair struct {
	mark string
	pair *regexp.Regexp
}

// withoutPairs takes off quotes and emphasis around words, and round brackets or \(…\) around the whole text. Brackets around a list stay.
func withoutPairs(s string) string {
	for _, p := range prosePairs {
		for range mostPasses {
			if !strings.Contains(s, p.mark) {
				break
			}
			next := p.pair.ReplaceAllString(s, "$1$2$3")
			if next == s {
				break
			}
			s = next
		}
	}
	for _, w := range [][2]string{{`\(`, `\)`}, {`\[`, `\]`}, {"(", ")"}} {
		if inner, ok := within(s, w[0], w[1]); ok && !strings.ContainsAny(inner, ",;|") && strings.TrimSpace(inner) != "" {
			s = strings.TrimSpace(inner)
		}
	}
	return s
}

// within is what stands between an opening mark at the start of a text and the closing mark at its end, where both belong together.
func within(s, opening, closing string) (inner string, ok bool) {
	if len(s) < len(opening)+len(closing) || !strings.HasPrefix(s, opening) || !strings.HasSuffix(s, closing) {
		return "", false
	}
	inner = s[len(opening) : len(s)-len(closing)]
	switch {
	case opening == closing:
		return inner, !strings.Contains(inner, opening)
	case closing == "}":
		return inner, balanced(inner)
	}
	depth := 0
	for i := 0; i < len(inner); i++ {
		switch {
		case strings.HasPrefix(inner[i:], closing):
			if depth--; depth < 0 {
				return "", false
			}
		case strings.HasPrefix(inner[i:], opening):
			depth++
		}
	}
	return inner, depth == 0
}

var (
	digitGroups = regexp.MustCompile(`[0-9]+(?:[,'_.][0-9]+)+`)
	thousands   = regexp.MustCompile(`^[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+|(?:'[0-9]{3})+|(?:_[0-9]{3})+)(?:\.[0-9]+)?$`)
)

// withoutThousands makes 1,000 1000. Between brackets a comma separates items.
func withoutThousands(s string) string {
	if strings.ContainsAny(s, "([{") {
		return s
	}
	return digitGroups.ReplaceAllStringFunc(s, func(run string) string {
		if thousands.MatchString(run) {
			return marks.Replace(run)
		}
		return run
	})
}

// withoutArticles leaves "the" out before a word, and "a" and "an" where the text begins with them: vitamin A keeps its letter.
func withoutArticles(s string) string {
	words := strings.Fields(s)
	kept := slices.Clone(words[:0])
	for i, w := range words {
		more := i+1 < len(words) && isLetters(words[i+1])
		if more && (w == "the" || len(kept) == 0 && (w == "a" || w == "an") && len([]rune(words[i+1])) > 1) {
			continue
		}
		kept = append(kept, w)
	}
	return strings.Join(kept, " ")
}

func isLetters(word string) bool {
	first := []rune(word)[0]
	return unicode.IsLetter(first) || unicode.IsDigit(first)
}

// A place is a character of a text and what stands around it. For points, and for marks such as ?!, it has the place where their
// run begins.
type place struct {
	text    []rune
	at, run int
}

// oneRun says whether two marks are of one run.
func oneRun(a, b rune) bool {
	return a == '.' && b == '.' || (a == '!' || a == '?') && (b == '!' || b == '?')
}

// first is the place where the run begins.
func (p place) first() place { return place{p.text, p.run, p.run} }

func (p place) rune(i int) rune {
	if i < 0 || i >= len(p.text) {
		return ' '
	}
	return p.text[i]
}

func (p place) before() rune { return p.rune(p.at - 1) }
func (p place) after() rune  { return p.rune(p.at + 1) }

// nextTo is the nearest character before or behind that is no space; a space where there is none.
func (p place) nextTo(step int) rune {
	for i := p.at + step; i >= 0 && i < len(p.text); i += step {
		if p.text[i] != ' ' {
			return p.text[i]
		}
	}
	return ' '
}

// letters is how many letters stand together before or behind; 0 where digits stand among them.
func (p place) letters(step int) int {
	i := p.at + step
	for p.rune(i) == ' ' && i >= 0 && i < len(p.text) {
		i += step
	}
	n := 0
	for ; isWord(p.rune(i)); i += step {
		if unicode.IsDigit(p.rune(i)) {
			return 0
		}
		n++
	}
	return n
}

func isWord(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) }

func ends(c rune) bool { return c == ' ' || strings.ContainsRune(`)]}"'.,;:!?`, c) }

// Signs that stand between two terms, and those that belong to the number before them.
const (
	between = "+*/=<>≤≥≠≈×÷·^&|~-"
	behind  = "%°‰"
)

// withoutProse leaves the punctuation of prose out, and the spaces around signs.
func withoutProse(text []rune) string {
	var out []rune
	space := func() {
		if len(out) > 0 && out[len(out)-1] != ' ' {
			out = append(out, ' ')
		}
	}
	tight := func() {
		if len(out) > 0 && out[len(out)-1] == ' ' {
			out = out[:len(out)-1]
		}
	}
	skip := false // spaces
	run := 0
	for i, c := range text {
		if i > 0 && !oneRun(text[i-1], c) {
			run = i
		}
		p := place{text, i, run}
		if c == ' ' {
			if !skip {
				space()
			}
			continue
		}
		skip = false
		switch {
		case isWord(c):
			out = append(out, c)
		case c == '.':
			switch p.point() {
			case keep:
				out = append(out, c)
			case blank:
				space()
			}
		case c == ',' || c == ';' || c == ':' && (p.before() == ' ' || p.after() == ' '):
			if unicode.IsDigit(p.nextTo(-1)) && unicode.IsDigit(p.nextTo(1)) {
				tight()
				out, skip = append(out, c), true
			} else {
				space()
			}
		case (c == '!' || c == '?') && p.closes(), (c == '¿' || c == '¡') && isWord(p.after()):
		case c == '-' && p.joinsWords():
			space()
		case p.wide() && strings.ContainsRune(between, c):
			tight()
			out, skip = append(out, c), true
		case strings.ContainsRune(behind, c), (c == ')' || c == ']' || c == '}'), unicode.Is(unicode.Sc, c) && unicode.IsDigit(p.nextTo(-1)):
			tight()
			out = append(out, c)
		case unicode.Is(unicode.Sc, c), c == '(' || c == '[' || c == '{':
			out, skip = append(out, c), true
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// What becomes of a point.
type fate int

const (
	drop fate = iota
	keep
	blank
)

// point keeps those of numbers, versions, names of files, and dots that say that digits go on; those of abbreviations and sentences go.
func (p place) point() fate {
	b, a := p.before(), p.after()
	switch {
	case b == '.' || a == '.':
		if was := p.first().nextTo(-1); unicode.IsDigit(was) || was == ',' {
			return keep
		}
		return blank
	case isWord(b) && ends(a):
		return drop
	case unicode.IsLetter(b) && unicode.IsLetter(a) && p.letters(-1) <= 2 && p.letters(1) <= 2:
		return drop
	case isWord(a):
		return keep
	case a == ' ' && b == ' ', ends(a):
		return drop
	}
	return keep
}

// closes says whether a mark ends a sentence: 5! and n! are products.
func (p place) closes() bool {
	if !ends(p.after()) {
		return false
	}
	first := p.first()
	return p.text[p.at] == '?' || first.letters(-1) > 1 && isWord(first.before())
}

// joinsWords says whether a dash stands between words, as in well-known and "Paris - France"; x-y is a difference. A bullet is such a dash too.
func (p place) joinsWords() bool {
	left, right := p.letters(-1), p.letters(1)
	if p.nextTo(-1) == ' ' {
		return p.after() == ' ' && right > 0
	}
	even := (p.before() == ' ') == (p.after() == ' ')
	return even && unicode.IsLetter(p.nextTo(-1)) && unicode.IsLetter(p.nextTo(1)) && (left > 1 || right > 1)
}

// wide says whether a sign has spaces, or nothing, on both sides.
func (p place) wide() bool { return p.before() == ' ' && p.after() == ' ' }
