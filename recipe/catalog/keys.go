package catalog

import (
	"reflect"
	"slices"
	"strings"

	"parley/recipe/keys"
	"parley/recipe/schema"
)

// A Choice is what decides which keys a recipe has, and what it begins with.
type Choice struct {
	Task     string // task.name
	Measured string // eval.task.name
	Protocol string // team.protocol
	Rule     string // a word that stands for many keys, as KEY=WORD
}

// Usual is the choice of an empty recipe.
func (c *Catalog) Usual() Choice {
	return Choice{Task: c.tasks[0].Name, Measured: keys.SameTask, Protocol: c.protocols[0].Name}
}

// Why names what decides which keys a section has. known is false if that is a name that is not known.
func (c *Catalog) Why(chosen Choice, section string) (why string, known bool) {
	name, why := chosen.Task, "task "+chosen.Task
	if section != "task" {
		name, why = chosen.Measured, section+".name "+chosen.Measured
	}
	_, known = c.Task(name)
	return why, known || name == keys.SameTask
}

// Schema returns all keys of recipes with a choice: a section without a name whose fields are the top-level keys. A name that is not known
// has no keys of its own.
func (c *Catalog) Schema(chosen Choice) *schema.Field {
	chosen.Protocol, chosen.Rule = "", "" // they have no keys of their own
	for _, name := range []*string{&chosen.Task, &chosen.Measured} {
		if _, known := c.Task(*name); !known {
			*name = ""
		}
	}
	if known, ok := c.schemas.Load(chosen); ok {
		return known.(*schema.Field)
	}
	root := schema.Of(c.general)
	c.addSections(root)
	c.addTask(root.Find("task"), chosen.Task, taskKeys)
	c.addTask(root.Find("eval.task"), chosen.Measured, MeasuredKey)
	name, measured, feedback := root.Find("task.name"), root.Find("eval.task.name"), root.Find("team.feedback")
	name.Default, measured.Words = c.tasks[0].Name, []string{keys.SameTask}
	for _, t := range c.tasks {
		name.Words = append(name.Words, t.Name)
		if Measurable(t.Traits) {
			measured.Words = append(measured.Words, t.Name)
		}
		for _, r := range t.Reports {
			feedback.Words = addNew(feedback.Words, r.Name)
		}
	}
	c.addAlgorithms(root.Find("algorithm"))
	c.addProtocols(root.Find("team.protocol"))
	for key, hints := range keys.Words() {
		if f := root.Find(key); f != nil {
			f.Hints = hints
		}
	}
	known, _ := c.schemas.LoadOrStore(chosen, root)
	return known.(*schema.Field)
}

func addNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// addAlgorithms gives a key the algorithms' names and what each says of itself.
func (c *Catalog) addAlgorithms(f *schema.Field) {
	f.Default = c.algorithms[0].Name
	for _, a := range c.algorithms {
		f.Words = append(f.Words, a.Name)
		f.Doc += " " + a.Name + ": " + a.About + "."
	}
	f.Doc = strings.TrimSpace(f.Doc)
}

// addProtocols gives a key the protocols' names and what each says of itself.
func (c *Catalog) addProtocols(f *schema.Field) {
	f.Default = c.protocols[0].Name
	for _, p := range c.protocols {
		f.Words = append(f.Words, p.Name)
		f.Doc += " " + p.Name + ": " + p.About
	}
	f.Doc = strings.TrimSpace(f.Doc)
}

// addSections puts the sections of algorithms behind the key that chooses one. Their values are in the field Sections of the recipe, in this order.
func (c *Catalog) addSections(root *schema.Field) {
	at := slices.Index(root.Names(), "algorithm") + 1
	for i, s := range c.sections {
		if root.Find(s.Name) != nil {
			panic("internal error: two sections are named " + s.Name)
		}
		held := func(r reflect.Value) any { return r.FieldByName("Sections").Index(i).Interface() }
		root.Fields = slices.Insert(root.Fields, at+i, root.HoldSection(s.Name, s.Type(), held))
	}
}

// addTask puts the keys of a task behind the name in a section that chooses it.
func (c *Catalog) addTask(section *schema.Field, name string, has func(*schema.Field) bool) {
	t, known := c.Task(name)
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

// taskKeys are the keys that a task has in section task.
func taskKeys(*schema.Field) bool { return true }

// measuredTag is the tag of a setting that says what a task that is only measured does with it. A setting with "as trained" has the value of the
// task that is trained on.
const (
	measuredTag       = "measured"
	measuredAsTrained = "as trained"
)

// MeasuredKey says whether a task has a key in section eval.task too. The others are as in training, or matter in training alone.
func MeasuredKey(f *schema.Field) bool { return f.Tag.Get(measuredTag) == "" }

// asTrained says that a task that is only measured takes a setting over from the task that is trained on.
func asTrained(f *schema.Field) bool { return f.Tag.Get(measuredTag) == measuredAsTrained }

// Measured is a task that is only measured, of a recipe with a root of keys that trains on another.
func Measured(trained keys.Task, measured keys.EvalTask, root *schema.Field, of any) keys.Task {
	t := keys.Task{Name: measured.Name, Train: trained.Train, Filter: trained.Filter}
	from := reflect.ValueOf(measured.Settings).Elem()
	settings := reflect.New(from.Type())
	settings.Elem().Set(from)
	for _, f := range schema.Of(from.Type()).Fields {
		if theirs := root.Find("task." + f.Name); asTrained(f) && theirs != nil && theirs.Type == f.Type {
			f.At(settings.Interface()).Set(theirs.At(of))
		}
	}
	t.Settings = settings.Interface()
	return t
}

// General returns the keys that every recipe has.
func (c *Catalog) General() *schema.Field { return c.Schema(Choice{Measured: keys.SameTask}) }

// TaskKeys lists the keys that a task has of its own, in section task.
func (c *Catalog) TaskKeys(name string) (list []*schema.Field) {
	for _, f := range c.Schema(Choice{Task: name, Measured: keys.SameTask}).Find("task").Fields {
		if f.Held() {
			list = append(list, f)
		}
	}
	return list
}

// Declared returns a key as every task that declares it has it; none: the key is general, or no key at all.
func (c *Catalog) Declared(path string) (fields []*schema.Field) {
	for _, t := range c.tasks {
		if f := c.Schema(Choice{Task: t.Name, Measured: t.Name}).Find(path); f != nil && f.Held() {
			fields = append(fields, f)
		}
	}
	return fields
}

// Takers are the names of the tasks that have a key.
func (c *Catalog) Takers(path string) (names []string) {
	for _, t := range c.tasks {
		if f := c.Schema(Choice{Task: t.Name, Measured: t.Name}).Find(path); f != nil && f.Held() {
			names = append(names, t.Name)
		}
	}
	return names
}

// EveryKey lists the general keys and those of all tasks that hold a value, each once.
func (c *Catalog) EveryKey() (paths []string) {
	for _, t := range c.tasks {
		c.Schema(Choice{Task: t.Name, Measured: keys.SameTask}).Leaves(func(f *schema.Field) { paths = addNew(paths, f.Path) })
	}
	return paths
}
