package team

// This file is who speaks for an agent that is no model: a script, a program or a server of the user's.
//
//	replies, err := s.Speak(ctx, []speaker.Ask{{Agent: "judge", Problem: p, Messages: dialogue, Seed: 7}})
//
// A speaker sees what a model would: the messages of its chat. It has no tokens and no log-probabilities, so nothing is ever learned from what
// it says. What it said stands in the episodes: they are read, replayed and learned from without it.

import (
	"context"

	"parley/task"
)

// A Speaker answers. Its methods may be called from several goroutines.
type Speaker interface {
	// Kind says what it is, for records: script, program or endpoint.
	Kind() string
	// Speak answers everything that is asked at once, in that order. An error is one of the caller's context: what goes wrong with an ask is
	// the error of its reply.
	Speak(ctx context.Context, asks []SpeakerAsk) ([]Reply, error)
}

// A SpeakerAsk is what an agent is asked.
type SpeakerAsk struct {
	Agent    string       // its name
	Problem  task.Problem // that is worked on; [Ask.Public] is what a speaker gets to know of it
	Messages []Message    // its chat, ending with a user message
	Seed     uint64       // of the random stream of this reply
	// How the team's models would draw, for a server that draws.
	Temperature, TopP float64
	MaxTokens         int
	Form              string // what the text is to be, as package form reads it; empty: any. A server forces it if it can
}

// A Reply is a text, or why there is none.
type Reply struct {
	Text string
	Cut  bool // it reached the most tokens that it may have
	Err  error
}

// A SpeakerProblem is what a speaker gets to know of a problem: not its truth.
type SpeakerProblem struct {
	ID       string            `json:"id"`
	Question string            `json:"question"`
	Fields   map[string]string `json:"fields,omitempty"`
}

// Public is the problem without its truth.
func (a SpeakerAsk) Public() SpeakerProblem {
	return SpeakerProblem{ID: a.Problem.ID, Question: a.Problem.Question, Fields: a.Problem.Fields}
}

// Draw is the seed as a whole number below 2³¹, which every language and server can hold.
func (a SpeakerAsk) Draw() int64 { return int64(a.Seed >> 33) }
