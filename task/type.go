package task

import (
	"context"
	"fmt"
)

// A Type is a kind of task that recipes can name: what it is, what can be set, and how it is opened. [Define] makes one. Settings are
// handed around as any and are always a pointer to the struct that Settings holds the zero value of.
type Type struct {
	Traits
	// Settings is the zero value of a struct whose field tags are a recipe's (yaml, default, oneof, min, max); nil: there are none. Its method KeyTexts
	// returns the Markdown file that says what the keys mean, with its name.
	// The tag scores:"yes" marks what `parley reward` may set, measured:"as trained" what a task that is only measured on takes over.
	Settings any
	Check    func(settings any, in Team) []Fault
	Warnings func(settings any) []string
	Open     func(ctx context.Context, settings any, in Environment) (Task, error)
	Items    func(ctx context.Context, settings any) (*ItemScorer, error)
	Gaming   *Gaming // nil: nothing is known
}

// A Team is what of a recipe may matter to a task's settings.
type Team struct {
	Agents   int
	Episodes bool   // whole episodes of a problem are compared, which share nothing but its first prompt: none branches
	Actors   int    // that a step names who act in an environment at once, at most
	Shipped  string // the base that comes with the program, where an agent has it; empty: none has
}

// A Fault is one thing that is wrong with settings.
type Fault struct {
	Key     string // such as steps
	Message string // that goes on behind the key: is 1, expected …
	Hint    string
}

// An Environment is what a task is opened in.
type Environment struct {
	Agents int      // of the team
	Names  []string // of its agents, in their order
	Cache  string   // folder of the data sets that were pulled
	Shown  []string // fields of problems that prompts show
	All    bool     // somebody may read every field: a reward of the user's own, a script, a program

	NoProblems bool // none are asked for: data sets are not read
	NoScores   bool // nothing is played and nothing is paid: programs of the user's are not started
}

// Data is the path of a data set that is read: none, where no problems are asked for.
func (e Environment) Data(path string) string {
	if e.NoProblems {
		return ""
	}
	return path
}

// A Definition is a [Type] with settings of type S. Only traits, Open and Items are needed.
type Definition[S any] struct {
	Traits
	Check    func(S, Team) []Fault
	Warnings func(S) []string
	Open     func(context.Context, S, Environment) (Task, error)
	Items    func(context.Context, S) (*ItemScorer, error)
	Gaming   *Gaming
}

// Define returns the type that d defines.
func Define[S any](d Definition[S]) Type {
	t := Type{
		Traits: d.Traits, Settings: *new(S), Gaming: d.Gaming,
		Check:    func(any, Team) []Fault { return nil },
		Warnings: func(any) []string { return nil },
		Open:     func(ctx context.Context, s any, in Environment) (Task, error) { return d.Open(ctx, *s.(*S), in) },
		Items:    func(ctx context.Context, s any) (*ItemScorer, error) { return d.Items(ctx, *s.(*S)) },
	}
	if d.Check != nil {
		t.Check = func(s any, in Team) []Fault { return d.Check(*s.(*S), in) }
	}
	if d.Warnings != nil {
		t.Warnings = func(s any) []string { return d.Warnings(*s.(*S)) }
	}
	return t
}

// NoSettings are those of a task that has none.
type NoSettings struct{}

// A Describer is settings that change what the task is.
type Describer interface {
	// Describe returns the traits of the task under the settings.
	Describe(Traits) Traits
}

// A DataReader is settings that say where a data set is.
type DataReader interface {
	// DataPath returns what the user named; empty: nothing.
	DataPath() string
}

// A Hider is settings that keep some keys of rows out of the fields of problems.
type Hider interface {
	// Hides says that a key is no field: it is that of the question or of the right answer.
	Hides(key string) bool
	// Opens says that the keys of an object are fields by themselves, and the object is none.
	Opens(key string) bool
}

// An Unboxed is settings under which the answer of a text need not stand in a box.
type Unboxed interface {
	// Unboxed returns the setting that says so, such as "answer is last-number"; empty: none does.
	Unboxed() string
}

// A RewardVariant names one of the ways in which a published joint reward is computed (MAGRPO §6.4, §7.2).
type RewardVariant string

const (
	Standard RewardVariant = "standard" // as documented
	Robust   RewardVariant = "robust"   // as documented, but nothing is paid for what games it
	Compat   RewardVariant = "compat"   // as the published code computes it
)

// Check returns an error for a variant that is none of the three.
func (v RewardVariant) Check() error {
	switch v {
	case Standard, Robust, Compat:
		return nil
	}
	return fmt.Errorf("scorer %q: write standard, robust or compat", v)
}
