package textstats

import (
	"slices"
	"strings"
)

// A Category is what a discourse marker signals.
type Category string

// The twelve categories of MAGRPO §6.
const (
	Elaboration Category = "elaboration"
	Examples    Category = "examples"
	Explanation Category = "explanation"
	CauseEffect Category = "cause_effect"
	Contrast    Category = "contrast"
	Sequence    Category = "sequence"
	Emphasis    Category = "emphasis"
	Summary     Category = "summary"
	Comparison  Category = "comparison"
	Concession  Category = "concession"
	Condition   Category = "condition"
	Time        Category = "time"
)

// markerLists is our own list of common English discourse markers, separated by slashes. Every marker has one category.
var markerLists = map[Category]string{
	Elaboration: "furthermore / moreover / in addition / additionally / besides / what is more / not only that / on top of that / along with this / to elaborate / further to this / equally relevant",
	Examples:    "for example / for instance / such as / namely / to illustrate / as an illustration / by way of example / a case in point / including / in particular / specifically / to name a few",
	Explanation: "in other words / that is to say / put differently / to put it simply / put simply / to clarify / to explain / which means that / this means that / simply put / more precisely / stated differently",
	CauseEffect: "therefore / consequently / as a result / thus / hence / because / because of / due to / accordingly / for this reason / thereby / owing to / as a consequence / leads to / resulting in",
	Contrast:    "on the other hand / conversely / however / in contrast / by contrast / on the contrary / whereas / unlike / instead / rather than / alternatively / as opposed to",
	Sequence:    "secondly / firstly / thirdly / lastly / to begin with / first of all / in the first place / next / subsequently / step by step / in turn / followed by",
	Emphasis:    "certainly / undoubtedly / indeed / in fact / above all / most importantly / without a doubt / clearly / obviously / especially / particularly / of course / notably",
	Summary:     "overall / in summary / in conclusion / to sum up / to summarize / to conclude / in short / in brief / altogether / all in all / in essence / on the whole",
	Comparison:  "equally / similarly / likewise / in the same way / in a similar way / compared to / compared with / in comparison / just as / correspondingly / by the same token / in like manner",
	Concession:  "despite / although / even though / though / nevertheless / nonetheless / in spite of / notwithstanding / admittedly / granted that / regardless of / even so / be that as it may",
	Condition:   "unless / provided that / as long as / if only / assuming that / in case / on condition that / otherwise / providing that / supposing that / only if / even if / depending on",
	Time:        "during / until / meanwhile / afterwards / before that / after that / in the meantime / at the same time / eventually / simultaneously / previously / later on / as soon as / earlier",
}

// A marker is one discourse marker, split into words.
type marker struct {
	words    []string
	category Category
}

// length is the number of characters, blanks included: longer markers are matched first.
func (m marker) length() int { return len(strings.Join(m.words, " ")) }

// markers holds all markers by their first word.
var markers = indexMarkers(markerLists)

func indexMarkers(lists map[Category]string) map[string][]marker {
	index := map[string][]marker{}
	for category, list := range lists {
		for text := range strings.SplitSeq(list, " / ") {
			m := marker{strings.Fields(text), category}
			index[m.words[0]] = append(index[m.words[0]], m)
		}
	}
	return index
}

// CategoryOf returns the category of a discourse marker of our list.
func CategoryOf(text string) (Category, bool) {
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return "", false
	}
	for _, m := range markers[words[0]] {
		if slices.Equal(m.words, words) {
			return m.category, true
		}
	}
	return "", false
}

// A match is a marker found at a run of tokens.
type match struct {
	marker marker
	first  int // index of its first token
}

// matches finds the markers of a text: case-insensitive, whole words with nothing but white space between them, the longest
// marker first, without overlaps. toks are the tokens of text.
func matches(text string, toks []token) []match {
	var all []match
	for i := range toks {
		for _, m := range markers[toks[i].word] {
			if m.at(text, toks[i:]) {
				all = append(all, match{m, i})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b match) int { return b.marker.length() - a.marker.length() })
	taken := make([]bool, len(toks))
	var found []match
	for _, m := range all {
		span := taken[m.first : m.first+len(m.marker.words)]
		if slices.Contains(span, true) {
			continue
		}
		for i := range span {
			span[i] = true
		}
		found = append(found, m)
	}
	return found
}

// at reports whether toks begin with the marker's words.
func (m marker) at(text string, toks []token) bool {
	if len(toks) < len(m.words) {
		return false
	}
	for i, w := range m.words {
		if toks[i].word != w {
			return false
		}
		if i > 0 && strings.TrimFunc(text[toks[i-1].end:toks[i].start], isSpace) != "" {
			return false
		}
	}
	return true
}

// Categories returns the distinct categories of the markers in the texts, sorted.
func Categories(texts ...string) []Category {
	var found []Category
	for _, text := range texts {
		for _, m := range matches(text, tokens(text)) {
			found = append(found, m.marker.category)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// SubstringCategories is the published way of matching, kept for compatibility: a marker counts wherever its letters occur,
// inside longer words too.
func SubstringCategories(texts ...string) []Category {
	var found []Category
	for category, list := range markerLists {
		for text := range strings.SplitSeq(list, " / ") {
			if slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(strings.ToLower(t), text) }) {
				found = append(found, category)
				break
			}
		}
	}
	slices.Sort(found)
	return found
}

// Transition returns τ, the score of using n categories of markers: 0, then 0.4 and 0.05 more for every further one.
func Transition(n int) float64 {
	if n == 0 {
		return 0
	}
	return min(0.4+min(0.05*float64(n-1), 0.6), 1)
}
