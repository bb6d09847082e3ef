package environment

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/internal/seed"
	"parley/task"
	"parley/task/answer"
)

// A Game is an environment that comes with parley: what it is, and which problems it has.
type Game struct {
	Name, About string
	Agents      int     // that play it
	Least, Most float64 // of rewards
	Board       Board   // what its observations are drawn as
	// Pairs are those of its numbers that say something of two players who have never met; none: what they are paid does.
	Pairs []string
	// Open returns the game for agents of these names, who play its parts in their order.
	Open func(agents []string) Environment
	// Problems returns those of training and those that are held out. They share none; games with few beginnings say how theirs differ.
	Problems func() (train, held []task.Problem)
}

// A Board is how people are shown an observation: a field of Side × Side cells. Text is a regular expression that finds it in the observation. Its
// groups without a name are the rows; those with a name are pieces, and say their row and column from 1. Without a side nothing is drawn.
type Board struct {
	Side int    `json:"side"`
	Text string `json:"text"`
}

// HoldOut makes problems of all beginnings of a game, as JSON, and holds one in five of them out. Their order is random, and always the same.
func HoldOut[Beginning any](game string, all []Beginning) (train, held []task.Problem) {
	for i, at := range seed.Stream(seed.Derive(1, "environment "+game)).Perm(len(all)) {
		text, err := json.Marshal(all[at])
		if err != nil {
			panic("internal error: " + err.Error()) // numbers
		}
		p := task.Problem{ID: fmt.Sprintf("%s-%d", game, at), Question: string(text)}
		if i%5 == 0 {
			held = append(held, p)
		} else {
			train = append(train, p)
		}
	}
	return train, held
}

// Digit is a move that is named by a digit: the first of these that a text has, or that its member move has where it is a JSON object with one; ok is false where it
// has none.
func Digit(text, digits string) (move int, ok bool) {
	if said, ok := answer.Member(text, "move"); ok {
		text = said
	}
	at := strings.IndexAny(text, digits)
	if at < 0 {
		return 0, false
	}
	return int(text[at] - '0'), true
}
