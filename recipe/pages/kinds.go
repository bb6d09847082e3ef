package pages

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"parley/recipe"
	"parley/recipe/catalog"
	"parley/recipe/schema"
	"parley/recipe/teams"
	"parley/rl/learn"
	"parley/task"
	"parley/team"
)

// taskReference is the page of a task.
func taskReference(l *recipe.Language, t *task.Type, users users) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Task `%s`\n\n%sThis page is for you if your recipe has `task: {name: %s}`.\n\n%s\n", t.Name, made, t.Name, t.About)
	if t.DataSet != "" {
		fmt.Fprintf(&b, "\nThe usual data set is `%s`.\n", t.DataSet)
	}
	b.WriteString("\n## Keys\n\nThe [general keys](../recipes.md#task) of section `task` go for every task.")
	if keys := l.TaskKeys(t.Name); len(keys) > 0 {
		b.WriteString(" These are the task's own.\n\n")
		keyTable(&b, leaves(keys, ""), func(f *schema.Field) reflect.Value {
			usual := reflect.New(f.Type).Elem()
			f.SetDefault(usual)
			return usual
		})
		if measured := slices.DeleteFunc(keys, func(f *schema.Field) bool { return !catalog.MeasuredKey(f) }); catalog.Measurable(t.Traits) && len(measured) > 0 {
			fmt.Fprintf(&b, "\nIn section `eval.task`, for the task that is measured, there are %s.\n", codes(names(measured)))
		}
	} else {
		b.WriteString(" The task has none of its own.\n")
	}
	taskTexts(&b, t)
	taskPrompts(&b, t)
	users.list(&b, func(r *recipe.Recipe) bool { return r.Task.Name == t.Name || r.Eval.Task.Name == t.Name })
	return b.String()
}

// taskTexts writes which texts prompts may show.
func taskTexts(b *strings.Builder, t *task.Type) {
	if len(t.Fields) > 0 {
		b.WriteString("\n## Fields of prompts\n\n`{{.Fields.NAME}}` in a prompt is a text of the problem.\n\n| field | what it is |\n|---|---|\n")
	}
	if t.AnyField {
		b.WriteString("\n## Fields of prompts\n\n`{{.Fields.KEY}}` in a prompt is the text under any other key of a row, and `{{index .Fields \"KEY\"}}` where the key is no plain word.\n")
	}
	for _, f := range t.Fields {
		name := f.Name
		if f.PerAgent {
			name += "_1`, `" + f.Name + "_2`, `…"
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", name, cell(f.About))
	}
	if len(t.Reports) > 0 {
		b.WriteString("\n## Reports\n\nPrompts of later turns can show what the task finds in an answer.\n\n| `team.feedback` | what it says |\n|---|---|\n")
	}
	for _, r := range t.Reports {
		fmt.Fprintf(b, "| `%s` | %s |\n", r.Name, cell(r.About))
	}
}

// taskPrompts writes what agents are asked by default.
func taskPrompts(b *strings.Builder, t *task.Type) {
	b.WriteString("\n## Default prompts\n")
	if t.Prompts.First == "" {
		b.WriteString("\nThe task has none of its own: a team is asked as about any question with one answer.\n")
	}
	p := teams.DefaultPrompts(t.Traits, false)
	quotePrompt(b, "`team.prompts.first`:", p.First)
	quotePrompt(b, "`team.prompts.later`, unless `team.feedback` says what later turns are asked:", p.Later)
	if short := teams.DefaultPrompts(t.Traits, true); short != p {
		quotePrompt(b, "`team.prompts.first` of a team over the shipped base alone:", short.First)
		quotePrompt(b, "`team.prompts.later` of such a team:", short.Later)
	}
	if t.Solo != "" {
		quotePrompt(b, "A single agent that does the whole team's work is asked:", t.Solo)
	}
}

func quotePrompt(b *strings.Builder, title, text string) {
	fmt.Fprintf(b, "\n%s\n\n~~~text\n%s\n~~~\n", title, strings.TrimSuffix(text, "\n"))
}

// protocolReference is the page of a protocol.
func protocolReference(l *recipe.Language, k team.Kind, users users) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Protocol `%s`\n\n%sThis page is for you if your recipe has `team: {protocol: %s}`.\n\n%s\n", k.Name, made, k.Name, k.About)
	if k.OneAgent {
		b.WriteString("\nThe team has one agent: `team.agents` is 1.\n")
	}
	if k.OneModel {
		b.WriteString("\nOne model writes a response for each agent.\n")
	}
	if k.Exchanges {
		b.WriteString("\nPrompts of later turns show what the other agents answered, unless `team.history` is `own`.\n")
	}
	switch {
	case k.Harness:
		b.WriteString("\nOne of `team.harness.python`, `command` and `url` is the program. What it answers is rewarded by `reward.source`; with `harness` the program says what was earned.\n")
	case k.Partial:
		b.WriteString("\nSome turns ask some agents only. The team is rewarded for what all have written, so `reward.source` names a joint reward.\n")
	}
	b.WriteString("\n## Keys\n\nThe keys of [`team`](../recipes.md#team) say how large the team is and what its prompts show.")
	r := l.Defaults()
	r.Team.Protocol = k.Name
	var idle []string
	r.EachIdle(func(leaf *schema.Field, why string) {
		key := leaf.Path
		if strings.HasPrefix(key, "team.harness.") {
			key = "team.harness" // all of it
		}
		if why == "team.protocol "+k.Name && !slices.Contains(idle, key) {
			idle = append(idle, key)
		}
	})
	if len(idle) > 0 {
		fmt.Fprintf(&b, " These have no effect with this protocol: %s.", codes(idle))
	}
	b.WriteString("\n")
	users.list(&b, func(r *recipe.Recipe) bool { return r.Team.Protocol == k.Name })
	return b.String()
}

// algorithmReference is the page of an algorithm.
func algorithmReference(l *recipe.Language, a learn.Algorithm, users users) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Algorithm `%s`\n\n%sThis page is for you if your recipe has `algorithm: %s`.\n\n%s.\n\nIt learns from %s.\n", a.Name, made, a.Name, capitalized(a.About), kindText(a))
	b.WriteString("\n## Keys\n\nAll algorithms read [`policies`](../recipes.md#policies) and [`optimizer`](../recipes.md#optimizer).")
	b.WriteString(" Keys of the other sections of algorithms have no effect with this one.\n")
	for _, section := range sectionsOf(l, a.Name) {
		referenceSection(&b, section, l.Defaults())
	}
	users.list(&b, func(r *recipe.Recipe) bool { return r.Algorithm == a.Name })
	return b.String()
}

// kindText says what an algorithm learns from.
func kindText(a learn.Algorithm) string {
	switch {
	case a.FromUntrained():
		return "debates of the untrained team, in which every agent gives one answer a turn"
	case a.Kind == learn.Debates:
		return "debates, in which every agent gives one answer a turn"
	case a.Kind == learn.GroupRelative:
		return "groups of answers to the same prompt, which it compares with each other"
	case a.Kind == learn.ActorCritic:
		return "turns, which it compares with what a critic expects"
	case a.Kind == learn.Preferences:
		return "pairs of joint responses, the better against the worse"
	}
	panic("internal error: kind " + string(a.Kind))
}

func capitalized(s string) string {
	if strings.HasPrefix(s, "MAPoRL") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// sectionsOf are the sections of algorithms that one reads, with the keys that it reads.
func sectionsOf(l *recipe.Language, algorithm string) (read []*schema.Field) {
	r := l.Defaults()
	r.Algorithm = algorithm
	unread := map[string]bool{}
	r.EachIdle(func(leaf *schema.Field, why string) {
		// The value of another key may be another, unless that key is not read itself.
		if key, _, _ := strings.Cut(why, " "); why == "algorithm "+algorithm || unread[key] {
			unread[leaf.Path] = true
		}
	})
	for _, s := range l.Sections() {
		if section := without(l.General().Find(s.Name), unread); len(section.Fields) > 0 {
			read = append(read, section)
		}
	}
	return read
}

// without is a section less some keys, and less the sections in it of which nothing is left.
func without(section *schema.Field, keys map[string]bool) *schema.Field {
	out := *section
	out.Fields = nil
	for _, f := range section.Fields {
		if f.Section() {
			if f = without(f, keys); len(f.Fields) == 0 {
				continue
			}
		}
		if !keys[f.Path] {
			out.Fields = append(out.Fields, f)
		}
	}
	return &out
}

// users are the runs that each shipped recipe asks for.
type users []struct {
	name string
	runs []recipe.Trial
}

func shippedRuns(l *recipe.Language) (all users) {
	for _, r := range l.Shipped() {
		r.Experiment.Seeds = nil
		trials, err := r.Trials()
		if err != nil {
			panic("internal error: shipped recipe: " + err.Error())
		}
		all = append(all, struct {
			name string
			runs []recipe.Trial
		}{r.Name, trials})
	}
	return all
}

// list writes which recipes have a run of a kind.
func (u users) list(b *strings.Builder, of func(*recipe.Recipe) bool) {
	var names []string
	for _, one := range u {
		if slices.ContainsFunc(one.runs, func(t recipe.Trial) bool { return of(t.Recipe) }) {
			names = append(names, one.name)
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(b, "\n## Shipped recipes\n\n%s.\n", codes(names))
	}
}
