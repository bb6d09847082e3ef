package bank

import (
	"math"
	"strings"
)

// Relevance is the cosine between the word counts of two texts, 0 where one has no words. Words are runs of ASCII letters, digits and underscores, in
// lower case: the names of a program are words.
func Relevance(lesson, source string) float64 {
	a, b := counts(lesson), counts(source)
	dot := 0.0
	for word, n := range a {
		dot += float64(n * b[word])
	}
	if dot == 0 {
		return 0
	}
	return dot / (norm(a) * norm(b))
}

func norm(counts map[string]int) float64 {
	sum := 0
	for _, n := range counts {
		sum += n * n
	}
	return math.Sqrt(float64(sum))
}

func counts(text string) map[string]int {
	out := map[string]int{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_')
	}) {
		out[strings.ToLower(word)]++
	}
	return out
}
