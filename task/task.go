// Package task says what a problem is, and what a task must be able to do with the answers to it.
//
// A [Task] knows where its problems come from. How answers are scored is an ability, asked for by a small extra interface:
// an [Answerer] compares the final answer of each text with the truth (MAPoRL's tasks), a [JointScorer] gives all agents of a
// team one reward for what they wrote together (MAGRPO's tasks). A task may have both.
// Tasks know nothing of agents' prompts, tokens or models.
package task

import (
	"cmp"
	"context"
)

// A Split names a part of a task's problems. Problems of different splits are different problems.
type Split string

const (
	Train    Split = "train"    // for training policies
	Verifier Split = "verifier" // for training a verifier (maporl.md §3); tasks that keep none have none
	Test     Split = "test"     // held out: never seen in training, used for the report
)

// A Problem is one item of a task.
type Problem struct {
	ID        string            `json:"id"`
	Question  string            `json:"question"`            // what the agents are asked
	Before    []Message         `json:"before,omitempty"`    // what stands in every chat before the question
	Truth     string            `json:"truth,omitempty"`     // the right answer as the data set has it, where there is one; never part of a prompt
	Work      string            `json:"-"`                   // steps that lead to Truth, a line each, where the task knows them; never part of a prompt
	Canonical string            `json:"canonical,omitempty"` // the form of Truth in which answers are compared; empty: Truth itself
	Fields    map[string]string `json:"fields,omitempty"`    // further named texts for prompts and scorers
}

// Right is the right answer in canonical form, as an [Answerer] returns answers.
func (p Problem) Right() string { return cmp.Or(p.Canonical, p.Truth) }

// A Message is one that a data set's row has before its question.
type Message struct {
	Role    string `json:"role"` // system, user or assistant
	Content string `json:"content"`
}

// A Task is a named source of problems.
type Task interface {
	Name() string
	// Problems returns the first n problems of a split in a fixed order that depends on nothing but the task's own settings.
	// Fewer than n is not an error: the split is then exhausted.
	Problems(split Split, n int) ([]Problem, error)
}

// An Answerer extracts the final answer of a text.
type Answerer interface {
	// Answer returns the final answer of text in canonical form; ok is false when text has none that can be read. Two
	// answers are equal exactly when their canonical forms are.
	Answer(text string) (canonical string, ok bool)
}

// A ProblemAnswerer is an [Answerer] whose answers say more beside their problem, such as the text of one of its options.
type ProblemAnswerer interface {
	Answerer
	// AnswerTo is Answer for a text about p.
	AnswerTo(p Problem, text string) (canonical string, ok bool)
}

// AnswerTo reads the final answer of a text about p.
func AnswerTo(a Answerer, p Problem, text string) (canonical string, ok bool) {
	if beside, ok := a.(ProblemAnswerer); ok {
		return beside.AnswerTo(p, text)
	}
	return a.Answer(text)
}

// A Score is what a joint response earned.
type Score struct {
	Reward  float64            `json:"reward"`
	Parts   map[string]float64 `json:"parts,omitempty"`   // by name, addends of Reward or the shares that it is computed from
	Agents  map[string]float64 `json:"agents,omitempty"`  // what agents are paid beside it, by name; who is not in it is paid nothing
	Flags   []string           `json:"flags,omitempty"`   // signs of gaming that the scorer noticed
	Rates   Rates              `json:"rates,omitempty"`   // by name, checks: reports have the share of all problems' checks that are passed
	Signals *Signals           `json:"signals,omitempty"` // what diagnoses need; nil: nothing is known
}

// A Rate is how many checks are passed of how many.
type Rate struct {
	Passed int `json:"passed"`
	Of     int `json:"of"`
}

// Plus adds checks.
func (r Rate) Plus(more Rate) Rate { return Rate{r.Passed + more.Passed, r.Of + more.Of} }

// All says whether all checks are passed.
func (r Rate) All() bool { return r.Passed == r.Of }

// Rates are those of checks, by name.
type Rates map[string]Rate

// Plus adds checks, in place where some are there.
func (r Rates) Plus(more Rates) Rates {
	for name, rate := range more {
		if r == nil {
			r = Rates{}
		}
		r[name] = r[name].Plus(rate)
	}
	return r
}

// Shares adds the share of each check that is passed to named numbers.
func (r Rates) Shares(into map[string]float64) {
	for name, rate := range r {
		into[name] = float64(rate.Passed) / float64(rate.Of)
	}
}

// Signals are what a scorer noticed beside the reward, for diagnoses of training (MAGRPO §13). Nil and empty mean not known.
type Signals struct {
	Usable    []bool   `json:"usable,omitempty"`    // per response: it has the required function or length
	Audit     *float64 `json:"audit,omitempty"`     // what the robust reward pays
	Gamed     *bool    `json:"gamed,omitempty"`     // the robust reward raises a flag
	Influence *bool    `json:"influence,omitempty"` // the first response can have influence on the outcome
	Cascade   *bool    `json:"cascade,omitempty"`   // the first response breaks a program whose last one parses alone
	Raised    *bool    `json:"raised,omitempty"`    // an exception out of the first response's function fails a test
	Solved    *float64 `json:"solved,omitempty"`    // the share of the problem that is solved, 0 to 1, without what is paid for working together
	Scheme    string   `json:"scheme,omitempty"`    // how the last response uses the first (MAGRPO §14)
}

// A Reporter says what is right and wrong with a joint response, for prompts of later turns (MAGRPO §9).
type Reporter interface {
	// Report returns a text for every response. shown says how many checks it may quote: 0 all, k the first k, −k the last k. A reporter
	// that waits gives up when ctx ends.
	Report(ctx context.Context, p Problem, responses []string, shown int) ([]string, error)
}

// A ReportFunc is a [Reporter] that waits for nothing.
type ReportFunc func(p Problem, responses []string, shown int) ([]string, error)

// Report implements [Reporter].
func (f ReportFunc) Report(_ context.Context, p Problem, responses []string, shown int) ([]string, error) {
	return f(p, responses, shown)
}

// Reporters is a task with further kinds of reports, each with a name (MAGRPO §9).
type Reporters interface {
	// Reporter returns that of a kind; nil: the task has no such kind.
	Reporter(kind string) Reporter
}

// A JointScorer rewards what all agents of a team wrote for one problem.
type JointScorer interface {
	// Score takes one response per agent. It is called from several goroutines, and its score depends on problem and responses alone. A scorer
	// that waits gives up when ctx ends.
	Score(ctx context.Context, p Problem, responses []string) (Score, error)
	// Range returns the least and the greatest reward that Score can give.
	Range() (least, greatest float64)
}
