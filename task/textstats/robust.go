package textstats

import (
	"slices"
	"strings"
)

// The flags of the robust reward (MAGRPO §6.4), each a sign that a text games the published scorer.
const (
	FlagRepetition       = "repetition"        // the same words over and over
	FlagUngrounded       = "ungrounded"        // hardly anything of the source text in it
	FlagMarkerStuffing   = "marker_stuffing"   // discourse markers instead of a discourse
	FlagVerbatimCopy     = "verbatim_copy"     // one text copies the other
	FlagMissingDelimiter = "missing_delimiter" // one text where two were asked for
)

// Flags returns the flags that two texts raise, sorted. source is the text they are about; without one, grounding is not
// judged.
func Flags(first, second, source string) []string {
	texts := [2][]token{tokens(first), tokens(second)}
	var flags []string
	raise := func(flag string, condition bool) {
		if condition {
			flags = append(flags, flag)
		}
	}
	raise(FlagMarkerStuffing, stuffed(first, texts[0]) || stuffed(second, texts[1]))
	raise(FlagRepetition, repetitive(texts[0]) || repetitive(texts[1]))
	if strings.TrimFunc(source, isSpace) != "" {
		known := Vocabulary(source)
		raise(FlagUngrounded, ungrounded(Content(first), known) || ungrounded(Content(second), known))
	}
	raise(FlagVerbatimCopy, copied(texts[0], texts[1]) || copied(texts[1], texts[0]))
	return flags
}

// stuffed: at least 3 marker occurrences and more than one for every ten words.
func stuffed(text string, toks []token) bool {
	n := len(matches(text, toks))
	return n >= 3 && 10*n > len(toks)
}

// repetitive: 12 words or more, of whose 3-grams fewer than 60 % are distinct.
func repetitive(toks []token) bool {
	if len(toks) < 12 {
		return false
	}
	grams := ngrams(toks, 3)
	distinct := Set{}
	for _, g := range grams {
		distinct[g] = true
	}
	return 10*len(distinct) < 6*len(grams)
}

// ungrounded: fewer than 20 % of the distinct content words occur in the source. A text without content words says nothing.
func ungrounded(content, source Set) bool {
	return len(content) > 0 && 5*common(content, source) < len(content)
}

// copied: at least 80 % of the 4-grams of one text, counted with repetitions, occur in the other.
func copied(from, in []token) bool {
	grams := ngrams(from, 4)
	if len(grams) == 0 {
		return false
	}
	present := Set{}
	for _, g := range ngrams(in, 4) {
		present[g] = true
	}
	hits := 0
	for _, g := range grams {
		if present[g] {
			hits++
		}
	}
	return 10*hits >= 8*len(grams)
}

// ngrams lists the runs of n words, joined by blanks, which no word contains.
func ngrams(toks []token, n int) []string {
	var grams []string
	for i := 0; i+n <= len(toks); i++ {
		var b strings.Builder
		for _, t := range toks[i : i+n] {
			b.WriteString(t.word)
			b.WriteByte(' ')
		}
		grams = append(grams, b.String())
	}
	return grams
}

// Cancel returns the score without the parts that its flags game.
func (s Score) Cancel(flags []string) Score {
	s.Flags = flags
	if slices.Contains(flags, FlagMissingDelimiter) {
		return Score{StoppedAt: s.StoppedAt, Flags: flags}
	}
	if slices.Contains(flags, FlagRepetition) || slices.Contains(flags, FlagUngrounded) {
		s.Vocabulary, s.Transition, s.Jaccard = 0, 0, 0
	}
	if slices.Contains(flags, FlagMarkerStuffing) {
		s.Transition = 0
	}
	if slices.Contains(flags, FlagVerbatimCopy) {
		s.Jaccard = 0
	}
	return s
}
