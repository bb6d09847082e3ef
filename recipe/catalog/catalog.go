// Package catalog lists what recipes can name, which are tasks, protocols and algorithms, and says which keys a recipe has that names some of them.
//
// It also lets one word of a recipe stand for many: credit.rule: drmas begins with the values of Dr. MAS, whatever the recipe's team. What words
// there are, sections of algorithms declare ([learn.Bundle]). Keys that a file gives beat those of its word; a word behind --set makes its changes
// there, and later ones beat it.
package catalog

import (
	"reflect"
	"slices"
	"sync"

	"parley/rl/learn"
	"parley/task"
	"parley/team"
)

// A Catalog is what recipes can name. It may be used by several goroutines.
type Catalog struct {
	tasks      []task.Type
	protocols  []team.Kind
	algorithms []learn.Algorithm
	sections   []learn.Section // that the algorithms declare
	general    reflect.Type    // a struct whose fields are the keys that every recipe has
	schemas    sync.Map        // of each choice: *schema.Field
}

// New returns the catalog of these tasks, protocols and algorithms; the first one of each is the default. general is a struct whose fields are the
// keys that every recipe has.
func New(general reflect.Type, tasks []task.Type, protocols []team.Kind, algorithms []learn.Algorithm) *Catalog {
	c := &Catalog{tasks: tasks, protocols: protocols, algorithms: algorithms, sections: learn.Sections(algorithms), general: general}
	for i, a := range algorithms {
		if slices.ContainsFunc(algorithms[:i], func(b learn.Algorithm) bool { return b.Name == a.Name }) {
			panic("internal error: two algorithms are named " + a.Name)
		}
	}
	for i, p := range protocols {
		if first, _ := c.Protocol(p.Name); first != &c.protocols[i] {
			panic("internal error: two protocols are named " + p.Name)
		}
	}
	for i, t := range tasks {
		if first, _ := c.Task(t.Name); first != &c.tasks[i] {
			panic("internal error: two tasks are named " + t.Name)
		}
	}
	return c
}

// Tasks lists the tasks that recipes can name.
func (c *Catalog) Tasks() []task.Type { return c.tasks }

// Task returns the task of a name.
func (c *Catalog) Task(name string) (t *task.Type, ok bool) {
	for i := range c.tasks {
		if c.tasks[i].Name == name {
			return &c.tasks[i], true
		}
	}
	return nil, false
}

// Protocols lists the protocols that recipes can name.
func (c *Catalog) Protocols() []team.Kind { return c.protocols }

// Protocol returns the protocol of a name.
func (c *Catalog) Protocol(name string) (k *team.Kind, ok bool) {
	for i := range c.protocols {
		if c.protocols[i].Name == name {
			return &c.protocols[i], true
		}
	}
	return nil, false
}

// Algorithms lists the algorithms that recipes can name.
func (c *Catalog) Algorithms() []learn.Algorithm { return c.algorithms }

// Algorithm returns the algorithm of a name.
func (c *Catalog) Algorithm(name string) (a learn.Algorithm, ok bool) {
	i := slices.IndexFunc(c.algorithms, func(a learn.Algorithm) bool { return a.Name == name })
	if i < 0 {
		return learn.Algorithm{}, false
	}
	return c.algorithms[i], true
}

// Sections lists those that the algorithms declare.
func (c *Catalog) Sections() []learn.Section { return c.sections }

// Settings makes room for the settings of a task; nil: it is not known.
func (c *Catalog) Settings(name string) any {
	t, known := c.Task(name)
	if !known {
		return nil
	}
	return reflect.New(reflect.TypeOf(t.Settings)).Interface()
}

// Described is a task as its settings make it.
func Described(t *task.Type, settings any) *task.Type {
	d, changes := settings.(task.Describer)
	if !changes {
		return t
	}
	out := *t
	out.Traits = d.Describe(t.Traits)
	return &out
}

// Measurable says that a task can be measured that a team is not trained on: its responses are compared with right answers one by one.
func Measurable(t task.Traits) bool { return t.Answers && !t.Joint }
