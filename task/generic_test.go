package task

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestApartBeside: a question about one thing is known by itself, whatever is shown beside it; one that is asked about many things is another
// problem with each.
func TestApartBeside(t *testing.T) {
	ask := func(question, text string) Problem {
		return Problem{Question: question, Fields: map[string]string{"text": text, "id": question + text}}
	}
	for _, c := range []struct {
		train, held []Problem
		overlap     int
	}{
		{[]Problem{ask("France?", "Europe")}, []Problem{ask("france", "")}, 1},
		{[]Problem{ask("Topic?", "a"), ask("Topic?", "b")}, []Problem{ask("Topic?", "c")}, 0},
		{[]Problem{ask("Topic?", "a"), ask("Topic?", "b")}, []Problem{ask("topic", "B"), ask("topic", "c")}, 1},
		{[]Problem{ask("Topic?", "a")}, []Problem{ask("Topic?", "b"), ask("Topic?", "c")}, 0},
		{nil, []Problem{ask("q", "")}, 0},
	} {
		if kept, overlap := ApartBeside(c.train, c.held, []string{"id", "text"}); overlap != c.overlap || len(kept) != len(c.train)-overlap {
			t.Errorf("%v and %v: %d left out, want %d", c.train, c.held, overlap, c.overlap)
		}
	}
}

// TestApartBesideNothing: without fields it is [Apart].
func TestApartBesideNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (list []Problem) {
			for _, n := range rapid.SliceOfN(rapid.IntRange(0, 9), 0, 12).Draw(t, name) {
				list = append(list, Problem{ID: name, Question: fmt.Sprint("Question ", n)})
			}
			return list
		}
		train, held := draw("train"), draw("held")
		_, one := Apart(train, held)
		if _, other := ApartBeside(train, held, nil); one != other {
			t.Fatalf("%d and %d left out", one, other)
		}
	})
}
