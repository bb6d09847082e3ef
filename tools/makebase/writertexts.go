package main

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// A story is what a post or an abstract is about: the words that stand in the places of its sentences, as {city}.
type story map[string]string

// tell draws a story: one word for each place.
func tell(rng *rand.Rand, words []place) story {
	s := story{}
	for _, p := range words {
		for i, w := range strings.Split(pick(rng, p.words), "|") {
			s[strings.Split(p.names, "|")[i]] = w
		}
	}
	return s
}

// A place is one of a story, or several whose words go together: names and words are then cut at bars.
type place struct {
	names string
	words []string
}

// fill puts the story's words into sentences. A sentence begins with a capital.
func (s story) fill(sentences ...string) string {
	var pairs []string
	for name, word := range s {
		pairs = append(pairs, "{"+name+"}", word)
	}
	words := strings.NewReplacer(pairs...)
	for i, text := range sentences {
		text = words.Replace(text)
		sentences[i] = strings.ToUpper(text[:1]) + text[1:]
	}
	return strings.Join(sentences, " ")
}

// A habit is how somebody writes: how many sentences, how often one begins with a marker, in per cent, and whether the first is said over and over.
type habit struct {
	sentences, markers int
	loops              bool
}

// habitOf draws one. Most know no markers.
func habitOf(rng *rand.Rand, lengths []share[int]) habit {
	return habit{choose(rng, lengths), choose(rng, []share[int]{{60, 0}, {25, 30}, {15, 80}}), rng.IntN(8) == 0}
}

// markers are one of each category of the reward.
var markers = []string{
	"furthermore", "for example", "in other words", "therefore", "however", "secondly", "in fact", "overall", "similarly", "even so", "otherwise", "meanwhile",
}

// write chooses among statements, each of which has several forms: the first one, and others in their order.
func (h habit) write(rng *rand.Rand, s story, statements [][]string) string {
	chosen := append([]int{0}, someOf(rng, len(statements)-1, h.sentences-1)...)
	var out []string
	for i, at := range chosen {
		if h.loops {
			at = 0
		}
		text := pick(rng, statements[at])
		if i > 0 && rng.IntN(100) < h.markers {
			text = pick(rng, markers) + ", " + text
		}
		out = append(out, text)
	}
	return s.fill(out...)
}

// someOf are so many of the numbers from 1 to n, in their order.
func someOf(rng *rand.Rand, n, many int) []int {
	out := rng.Perm(n)[:min(many, n)]
	slices.Sort(out)
	for i := range out {
		out[i]++
	}
	return out
}
