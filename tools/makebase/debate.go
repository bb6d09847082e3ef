package main

import (
	"fmt"
	"math/rand/v2"

	"parley/rl/reward"
	"parley/task"
	"parley/task/answer"
	"parley/task/sums"
	"parley/team"
	"parley/team/protocols"
)

// A debate is the shape of a debate document: one agent's view of a debate between 1+others agents. Its prompts are those
// of package team, so the corpus speaks the very words of the recipes.
type debate struct {
	others     int
	turns      int
	judged     bool // prompts show a verifier's score of each answer
	normalised bool // prompts show answers in the form of answer.Show
}

// debates is the mixture of shapes of parley-base.
var debates = []share[debate]{
	{22, debate{others: 1, turns: 1}},
	{46, debate{others: 1, turns: 2}},
	{8, debate{others: 1, turns: 2, normalised: true}},
	{9, debate{others: 1, turns: 2, judged: true}},
	{5, debate{others: 1, turns: 3}},
	{3, debate{others: 2, turns: 2}},
	{3, debate{others: 2, turns: 3}},
	{2, debate{others: 2, turns: 2, judged: true}},
	{2, debate{others: 0, turns: 2}},
}

// trioDebates is that of parley-trios.
var trioDebates = []share[debate]{
	{10, debate{others: 1, turns: 1}},
	{15, debate{others: 1, turns: 2}},
	{15, debate{others: 1, turns: 3}},
	{15, debate{others: 2, turns: 2}},
	{45, debate{others: 2, turns: 3}},
}

// protocol returns the protocol of a debate of this shape.
func (d debate) protocol() team.Protocol {
	return must(protocols.Debate().Open(team.Settings{
		Agents: 1 + d.others, Turns: d.turns, SeeOthers: true, ShowScores: d.judged, Boxed: d.normalised,
		Prompts: team.Short, Feedback: reward.Feedback,
	}))
}

// write plays the debate on s, told as question, and returns it as the first agent saw it.
func (d debate) write(rng *rand.Rand, s sums.Sum, question string) document {
	protocol, problem := d.protocol(), task.Problem{Question: question}
	var history team.History
	var chat []team.Message
	var said []solution
	for turn := range d.turns {
		chat = must(protocol.Next(problem, history))[0].Messages
		said = d.answer(rng, s, said)
		for agent, sol := range said {
			final, _ := answer.Math(sol.text)
			history = append(history, team.Answer{Turn: turn, Agent: agent, Text: sol.text, Final: final, Score: verdict(rng, sol.right(s))})
		}
		chat = append(chat, team.Message{Role: team.Assistant, Content: said[0].text})
	}
	doc := render(chat)
	if d.normalised {
		for i := range doc[:len(doc)-1] {
			doc[i].Learn = false
		}
	}
	return doc
}

// answer lets every agent answer after the turn in which they said was; none: the first turn.
func (d debate) answer(rng *rand.Rand, s sums.Sum, was []solution) []solution {
	said := make([]solution, 1+d.others)
	for i := range said {
		switch {
		case was == nil:
			said[i] = choose(rng, firstTurn)(rng, s)
		case d.judged:
			said[i] = choose(rng, judgedTurn)(rng, s, was[i], without(was, i))
		default:
			said[i] = choose(rng, laterTurn)(rng, s, was[i], without(was, i))
		}
	}
	return said
}

// without returns said less element i.
func without(said []solution, i int) []solution {
	return append(append([]solution{}, said[:i]...), said[i+1:]...)
}

// verdict is the score of an answer: half of the time the label itself, else the doubt of a verifier that errs once in ten.
func verdict(rng *rand.Rand, right bool) float64 {
	score := 0.0
	if rng.IntN(2) == 0 {
		score = 0.4 * rng.Float64()
		right = right != (rng.IntN(10) == 0)
	}
	if right {
		return 1 - score
	}
	return score
}

// must returns v; an error would be a mistake in this package's own tables.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("makebase: internal error: %v", err))
	}
	return v
}
