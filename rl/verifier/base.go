package verifier

import (
	"errors"
	"fmt"

	"parley/engine"
	"parley/task"
	"parley/team"
)

// A Codec is how the base reads dialogues and writes text.
type Codec interface {
	Prompt(dialogue []team.Message) ([]int, error)
	Encode(text string) ([]int, error)
	Text(tokens []int) string
	Stop() []int
}

// A Watcher ends an answer at a text, and says what was written before.
type Watcher interface {
	engine.Watcher
	Text() (text string, ended bool)
}

// A Base is the frozen base that writes the solutions and that the verifier is an adapter of. A verifier learns little from
// solutions of another base (paper App. E.3).
type Base struct {
	Engine  engine.Engine
	Codec   Codec
	Context int                     // most tokens of a sequence
	Never   [][2]int                // ids that it does not say, in ranges: see [engine.Mask]
	Watch   func(least int) Watcher // of an answer of at least so many tokens; nil: only end tokens and lengths end answers
	// Ask is what an agent is asked about a problem in turn 1.
	Ask func(p task.Problem) ([]team.Message, error)
	// Read is what a verifier reads before a solution: as Ask, without examples of how to answer.
	Read func(p task.Problem) ([]team.Message, error)
	// Answer reads the final answer of a text about a problem.
	Answer func(p task.Problem, text string) (canonical string, ok bool)
	Boxed  bool // verifiers read texts in the form of [answer.Show], as the agents of a debate do; else as they were written
}

// prompt renders what a verifier reads of a problem.
func (b *Base) prompt(p task.Problem) ([]int, error) {
	messages, err := b.Read(p)
	if err != nil {
		return nil, err
	}
	return b.Codec.Prompt(messages)
}

// errEmpty says that an answer has no text.
var errEmpty = errors.New("the answer is empty: there is nothing to read")

// A lengthError says that a solution does not fit the context.
type lengthError struct{ tokens, context int }

func (e *lengthError) Error() string {
	return fmt.Sprintf("question and answer have %d tokens and the base's context %d", e.tokens, e.context)
}

// datum is a solution as the verifier reads it: the question of turn 1, then the text as it is shown. One that does not fit the
// context is an error.
func (b *Base) datum(policy engine.Policy, p task.Problem, shown string) (engine.Datum, error) {
	prompt, err := b.prompt(p)
	if err != nil {
		return engine.Datum{}, err
	}
	answer, err := b.Codec.Encode(shown)
	if err != nil {
		return engine.Datum{}, err
	}
	if len(answer) == 0 {
		return engine.Datum{}, errEmpty
	}
	if n := len(prompt) + len(answer); n > b.Context {
		return engine.Datum{}, &lengthError{n, b.Context}
	}
	return engine.Datum{Policy: policy, Tokens: append(prompt, answer...), ScoreFrom: len(prompt), ValuesOnly: true}, nil
}
