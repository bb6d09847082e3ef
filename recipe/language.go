package recipe

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"parley/learn"
	"parley/recipe/bundles"
	"parley/recipe/elsewhere"
	"parley/recipe/keys"
	"parley/recipe/schema"
	"parley/task"
	"parley/team"
)

// A Language is what recipes can say: the general keys, which are the fields of [Recipe], the sections that algorithms declare, and the keys
// that each task declares. Which keys of tasks there are in a recipe depends on the task that it names. A language may be used by several goroutines.
type Language struct {
	tasks      []task.Type
	protocols  []team.Kind
	algorithms []learn.Algorithm
	sections   []learn.Section // that the algorithms declare
	schemas    sync.Map        // of each choice: *schema.Field
	starts     sync.Map        // of each preset: *Recipe
}

// NewLanguage returns the language with these tasks, protocols and algorithms. The first one of each is the default.
func NewLanguage(tasks []task.Type, protocols []team.Kind, algorithms []learn.Algorithm) *Language {
	l := &Language{tasks: tasks, protocols: protocols, algorithms: algorithms, sections: learn.Sections(algorithms)}
	for i, a := range algorithms {
		if slices.ContainsFunc(algorithms[:i], func(b learn.Algorithm) bool { return b.Name == a.Name }) {
			panic("internal error: two algorithms are named " + a.Name)
		}
	}
	for i, p := range protocols {
		if first, _ := l.Protocol(p.Name); first != &l.protocols[i] {
			panic("internal error: two protocols are named " + p.Name)
		}
	}
	for i, t := range tasks {
		if first, _ := l.Task(t.Name); first != &l.tasks[i] {
			panic("internal error: two tasks are named " + t.Name)
		}
	}
	return l
}

// Tasks lists the tasks that recipes can name.
func (l *Language) Tasks() []task.Type { return l.tasks }

// Task returns the task of a name.
func (l *Language) Task(name string) (t *task.Type, ok bool) {
	for i := range l.tasks {
		if l.tasks[i].Name == name {
			return &l.tasks[i], true
		}
	}
	return nil, false
}

// Protocols lists the protocols that recipes can name.
func (l *Language) Protocols() []team.Kind { return l.protocols }

// Protocol returns the protocol of a name.
func (l *Language) Protocol(name string) (k *team.Kind, ok bool) {
	for i := range l.protocols {
		if l.protocols[i].Name == name {
			return &l.protocols[i], true
		}
	}
	return nil, false
}

// Algorithms lists the algorithms that recipes can name.
func (l *Language) Algorithms() []learn.Algorithm { return l.algorithms }

// Algorithm returns the algorithm of a name.
func (l *Language) Algorithm(name string) (a learn.Algorithm, ok bool) {
	i := slices.IndexFunc(l.algorithms, func(a learn.Algorithm) bool { return a.Name == name })
	if i < 0 {
		return learn.Algorithm{}, false
	}
	return l.algorithms[i], true
}

// Sections lists those that the algorithms declare.
func (l *Language) Sections() []learn.Section { return l.sections }

// addAlgorithms gives a key the algorithms' names and what each says of itself.
func (l *Language) addAlgorithms(f *schema.Field) {
	f.Default, f.Hints = l.algorithms[0].Name, elsewhere.Algorithms()
	for _, a := range l.algorithms {
		f.Words = append(f.Words, a.Name)
		f.Doc += " " + a.Name + ": " + a.About + "."
	}
	f.Doc = strings.TrimSpace(f.Doc)
}

// addProtocols gives a key the protocols' names and what each says of itself.
func (l *Language) addProtocols(f *schema.Field) {
	f.Default = l.protocols[0].Name
	for _, p := range l.protocols {
		f.Words = append(f.Words, p.Name)
		f.Doc += " " + p.Name + ": " + p.About
	}
	f.Doc = strings.TrimSpace(f.Doc)
}

// A choice is what decides which keys a recipe has.
type choice struct {
	task     string // task.name
	measured string // eval.task.name
	rule     string // a word that stands for many keys, as KEY=WORD
}

// usual is the choice of an empty recipe.
func (l *Language) usual() choice { return choice{task: l.tasks[0].Name, measured: keys.SameTask} }

// schema returns all keys of recipes with a choice: a section without a name whose fields are the top-level keys. A name that is not known
// has no keys of its own.
func (l *Language) schema(c choice) *schema.Field {
	c.rule = ""
	for _, name := range []*string{&c.task, &c.measured} {
		if _, known := l.Task(*name); !known {
			*name = ""
		}
	}
	if known, ok := l.schemas.Load(c); ok {
		return known.(*schema.Field)
	}
	root := schema.Of(reflect.TypeFor[Recipe]())
	l.addSections(root)
	l.addTask(root.Find("task"), c.task, taskKeys)
	l.addTask(root.Find("eval.task"), c.measured, MeasuredKey)
	name, measured, feedback := root.Find("task.name"), root.Find("eval.task.name"), root.Find("team.feedback")
	name.Default, measured.Words = l.tasks[0].Name, []string{keys.SameTask}
	for _, t := range l.tasks {
		name.Words = append(name.Words, t.Name)
		if Measurable(t.Traits) {
			measured.Words = append(measured.Words, t.Name)
		}
		for _, r := range t.Reports {
			feedback.Words = addNew(feedback.Words, r.Name)
		}
	}
	l.addAlgorithms(root.Find("algorithm"))
	l.addProtocols(root.Find("team.protocol"))
	known, _ := l.schemas.LoadOrStore(c, root)
	return known.(*schema.Field)
}

func addNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

// Measurable says that a task can be measured that a team is not trained on: its responses are compared with right answers one by one.
func Measurable(t task.Traits) bool { return t.Answers && !t.Joint }

// taskKeys are the keys that a task has in section task.
func taskKeys(*schema.Field) bool { return true }

// MeasuredKey says whether a task has a key in section eval.task too. The others are as in training, or matter in training alone.
func MeasuredKey(f *schema.Field) bool { return f.Tag.Get(measuredTag) == "" }

// measuredTag is the tag of a setting that says what a task that is only measured does with it. One that is as trained is taken over from the task
// that is trained on.
const (
	measuredTag       = "measured"
	measuredAsTrained = "as trained"
)

// addTask puts the keys of a task behind the name in a section that chooses it.
func (l *Language) addTask(section *schema.Field, name string, has func(*schema.Field) bool) {
	t, known := l.Task(name)
	if !known {
		return
	}
	fields := section.Fields[:1:1]
	held := func(section reflect.Value) any { return section.FieldByName("Settings").Interface() }
	for _, f := range section.Hold(reflect.TypeOf(t.Settings), held) {
		if has(f) {
			fields = append(fields, f)
		}
	}
	section.Fields = append(fields, section.Fields[1:]...)
}

// declared returns a key as every task that declares it has it; none: the key is general, or no key at all.
func (l *Language) declared(path string) (fields []*schema.Field) {
	for _, t := range l.tasks {
		c := choice{task: t.Name, measured: t.Name}
		if f := l.schema(c).Find(path); f != nil && f.Held() {
			fields = append(fields, f)
		}
	}
	return fields
}

// General returns the keys that every recipe has.
func (l *Language) General() *schema.Field { return l.schema(choice{measured: keys.SameTask}) }

// TaskKeys lists the keys that a task has of its own, in section task.
func (l *Language) TaskKeys(name string) (list []*schema.Field) {
	for _, f := range l.schema(choice{task: name, measured: keys.SameTask}).Find("task").Fields {
		if f.Held() {
			list = append(list, f)
		}
	}
	return list
}

// everyKey lists the general keys and those of all tasks that hold a value, each once.
func (l *Language) everyKey() (paths []string) {
	for _, t := range l.tasks {
		l.schema(choice{task: t.Name, measured: keys.SameTask}).Leaves(func(f *schema.Field) { paths = addNew(paths, f.Path) })
	}
	return paths
}

// empty returns a recipe of defaults with the settings of a choice's tasks. Its names are the usual ones.
func (l *Language) empty(c choice) *Recipe {
	r := &Recipe{language: l}
	l.settle(&r.Task.Settings, c.task)
	l.settle(&r.Eval.Task.Settings, c.measured)
	for _, s := range l.sections {
		r.Sections = append(r.Sections, reflect.New(s.Type()).Interface())
	}
	l.schema(c).SetDefaults(r)
	return r
}

// settle makes room for the settings of a task.
func (l *Language) settle(settings *any, name string) {
	*settings = nil
	if t, known := l.Task(name); known {
		*settings = reflect.New(reflect.TypeOf(t.Settings)).Interface()
	}
}

// Defaults returns the recipe of an empty file: every key has its default. It has no name, so it is not yet a valid recipe.
func (l *Language) Defaults() *Recipe { return l.empty(l.usual()) }

// Language returns the language that r is written in.
func (r *Recipe) Language() *Language { return r.language }

// choice is what r has chosen.
func (r *Recipe) choice() choice {
	c := choice{task: r.Task.Name, measured: r.Eval.Task.Name}
	c.rule = bundles.Of(r.language.sections, r.language.schema(c), r)
	return c
}

// schema returns all keys that r has.
func (r *Recipe) schema() *schema.Field {
	return r.language.schema(choice{task: r.Task.Name, measured: r.Eval.Task.Name})
}

// TaskType is what the recipe's task is.
func (r *Recipe) TaskType() *task.Type {
	t, known := r.language.Task(r.Task.Name)
	if !known {
		panic("internal error: task " + r.Task.Name)
	}
	return described(t, r.Task.Settings)
}

// described is a task as its settings make it.
func described(t *task.Type, settings any) *task.Type {
	d, changes := settings.(task.Describer)
	if !changes {
		return t
	}
	out := *t
	out.Traits = d.Describe(t.Traits)
	return &out
}
