package tokenizer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// unknownPenalty is how much worse than the worst token an unknown character is.
const unknownPenalty = 10.0

// unigram picks the tokens of a word whose scores, log-probabilities, have the highest sum (Kudo 2018, section 3.1): the
// Viterbi algorithm over all ways to cut it.
type unigram struct {
	vocabulary
	scores       []float64
	unknown      int // -1: none
	unknownScore float64
	byteFallback bool
	fallback     [256]int32 // ids of <0xNN>; -1: none
	trie         byteTrie
}

// newUnigram builds the model; the id of a token is its place in list.
func newUnigram(list []scoredToken, unknown int, byteFallback bool) (*unigram, error) {
	ids := make(map[string]int, len(list))
	m := &unigram{unknown: unknown, byteFallback: byteFallback, unknownScore: math.Inf(1)}
	for id, t := range list {
		if math.IsNaN(t.score) {
			return nil, fmt.Errorf("Unigram vocabulary: the score of %q is not a number", t.token)
		}
		ids[t.token] = id
		m.scores = append(m.scores, t.score)
		m.unknownScore = min(m.unknownScore, t.score)
	}
	m.unknownScore -= unknownPenalty
	var err error
	if m.vocabulary, err = newVocabulary(ids); err != nil {
		return nil, err
	}
	m.tokens, m.has = make([]string, len(list)), make([]bool, len(list))
	for id, t := range list {
		m.tokens[id], m.has[id] = t.token, true
		m.trie.add(t.token, int32(ids[t.token]))
	}
	for b := range m.fallback {
		m.fallback[b] = m.idOrNone(fmt.Sprintf("<0x%02X>", b))
	}
	return m, nil
}

// A node is the best way to reach a place in the word.
type node struct {
	score float64
	from  int32 // where its last token begins; -1: not reached
	id    int32 // of its last token
}

// encode appends the ids of the best cut of word, remembering those of short ones.
func (m *unigram) encode(ids []int, word string, w *worker) []int {
	if known, ok := w.words.recall(ids, word); ok {
		return known
	}
	start := len(ids)
	ids = m.cut(ids, word, w)
	w.words.remember(word, ids[start:])
	return ids
}

// cut appends the ids of the best cut of word. A run of unknown characters is one unknown token.
func (m *unigram) cut(ids []int, word string, w *worker) []int {
	best := w.lattice[:0]
	for range len(word) + 1 {
		best = append(best, node{from: -1})
	}
	w.lattice = best
	for at := 0; at < len(word); {
		_, width := utf8.DecodeRuneInString(word[at:])
		m.extend(best, word, at, width)
		at += width
	}
	start := len(ids)
	for end := len(word); end > 0; {
		from := int(best[end].from)
		if int(best[end].id) != m.unknown {
			ids = append(ids, int(best[end].id))
			end = from
			continue
		}
		for from > 0 && int(best[from].id) == m.unknown {
			from = int(best[from].from)
		}
		ids = m.appendUnknown(ids, word[from:end])
		end = from
	}
	slices.Reverse(ids[start:])
	return ids
}

// extend tries all tokens that begin at a place.
func (m *unigram) extend(best []node, word string, at, width int) {
	here, single := best[at].score, false
	try := func(end int, score float64, id int32) {
		if score += here; best[end].from < 0 || score > best[end].score {
			best[end] = node{score, int32(at), id}
		}
	}
	m.trie.prefixes(word[at:], func(n int, id int32) {
		try(at+n, m.scores[id], id)
		single = single || n == width
	})
	if !single {
		try(at+width, m.unknownScore, int32(m.unknown))
	}
}

// appendUnknown appends, last first, the tokens of a run that the vocabulary has no token for.
func (m *unigram) appendUnknown(ids []int, run string) []int {
	if id, ok := m.id(run); ok {
		return append(ids, id)
	}
	if !m.byteFallback || !m.hasBytes(run) {
		if m.unknown < 0 {
			return ids
		}
		return append(ids, m.unknown)
	}
	for i := len(run) - 1; i >= 0; i-- {
		ids = append(ids, int(m.fallback[run[i]]))
	}
	return ids
}

func (m *unigram) hasBytes(run string) bool {
	for i := range len(run) {
		if m.fallback[run[i]] < 0 {
			return false
		}
	}
	return true
}

// parseScore reads a JSON number as the reference's parser does: all digits as one whole number, which is rounded, then divided
// or multiplied by the power of ten, which rounds again. The last bit decides between cuts of a word that are equally good, such
// as those of a long run of one digit.
func parseScore(number string) float64 {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	power, err := strconv.Atoi(exponent)
	if exponent == "" {
		power, err = 0, nil
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, parseErr := strconv.ParseUint(strings.TrimPrefix(whole, "-")+fraction, 10, 64)
	power -= len(fraction)
	if err != nil || parseErr != nil || power < -22 || power > 22 {
		// Numbers of more than 19 digits or beyond the exact powers of ten are no scores in practice: the nearest value.
		nearest, _ := strconv.ParseFloat(number, 64)
		return nearest
	}
	score := float64(digits)
	if power < 0 {
		score /= math.Pow10(-power)
	} else {
		score *= math.Pow10(power)
	}
	if strings.HasPrefix(number, "-") {
		return -score
	}
	return score
}
