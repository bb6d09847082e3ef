// Package pages writes the reference of recipes, docs/recipes.md and the pages below docs/recipes, from what a language knows: the tags of keys,
// and what tasks, protocols and algorithms say of themselves. tools/recipedocs keeps the files.
package pages

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"parley/recipe"
	"parley/recipe/schema"
	"parley/rl/learn"
)

// Pages returns the reference by the files' names under docs: recipes.md with the guide, the shipped recipes and the general keys, and a page
// for each task, protocol and algorithm.
func Pages(l *recipe.Language) map[string]string {
	pages := map[string]string{"recipes.md": index(l)}
	users := shippedRuns(l)
	for _, t := range l.Tasks() {
		pages[recipe.TaskPage(t.Name)] = taskReference(l, &t, users)
	}
	for _, k := range l.Protocols() {
		pages[protocolPage(k.Name)] = protocolReference(l, k, users)
	}
	for _, a := range l.Algorithms() {
		pages[algorithmPage(a.Name)] = algorithmReference(l, a, users)
	}
	return pages
}

func protocolPage(name string) string  { return "recipes/protocol-" + name + ".md" }
func algorithmPage(name string) string { return "recipes/algorithm-" + name + ".md" }

// made says at the head of a page where it comes from.
const made = "<!-- Made from the code: go run ./tools/recipedocs -->\n\n"

func index(l *recipe.Language) string {
	var b strings.Builder
	b.WriteString(guide)
	b.WriteString("\n## Shipped recipes\n\n| name | minutes | what it shows |\n|---|---|---|\n")
	for _, r := range l.Shipped() {
		minutes := "?"
		if r.Minutes > 0 {
			minutes = schema.Number(r.Minutes)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Name, minutes, r.About)
	}
	b.WriteString("\n## Tasks\n\nEach task has a page with its keys in section `task`, the fields of its prompts, its reports and its default prompts.\n\n| task | what it is | its keys |\n|---|---|---|\n")
	for _, t := range l.Tasks() {
		fmt.Fprintf(&b, "| [`%s`](%s) | %s | %s |\n", t.Name, recipe.TaskPage(t.Name), cell(t.About), codes(names(l.TaskKeys(t.Name))))
	}
	b.WriteString("\n## Protocols\n\n`team.protocol` says who speaks when, and who sees what. Each protocol has a page.\n\n| protocol | what it is |\n|---|---|\n")
	for _, k := range l.Protocols() {
		fmt.Fprintf(&b, "| [`%s`](%s) | %s |\n", k.Name, protocolPage(k.Name), cell(k.About))
	}
	b.WriteString("\n## Algorithms\n\nEach algorithm has a page with the keys that it reads, beside those of `policies` and `optimizer`, which all read.\n\n| algorithm | what it is | its sections |\n|---|---|---|\n")
	for _, a := range l.Algorithms() {
		var sections []string
		for _, section := range sectionsOf(l, a.Name) {
			sections = append(sections, section.Path)
		}
		fmt.Fprintf(&b, "| [`%s`](%s) | %s | %s |\n", a.Name, algorithmPage(a.Name), cell(a.About), codes(sections))
	}
	b.WriteString("\n## General keys\n")
	general := *l.General()
	general.Fields = slices.DeleteFunc(slices.Clone(general.Fields), func(f *schema.Field) bool {
		return slices.ContainsFunc(l.Sections(), func(s learn.Section) bool { return s.Name == f.Name })
	})
	referenceSection(&b, &general, l.Defaults())
	return b.String()
}

const guide = "# Recipes\n\n" +
	"<!-- Made from the code: go run ./tools/recipedocs -->\n\n" +
	"This page is for you if you write a recipe, or ask what one of its keys means.\n\n" +
	"A recipe is one YAML file, and one recipe is one experiment. Only what differs from the defaults has to be in it.\n\n" +
	"```sh\n" +
	"parley recipe list                        # the shipped recipes\n" +
	"parley recipe show debate-sums > mine.yaml  # what applies in one, with what each key means\n" +
	"parley recipe check mine.yaml             # everything that is wrong, at once\n" +
	"parley train mine.yaml --set team.turns=3 # run it, with a change\n" +
	"```\n\n" +
	"A recipe is strict: an unknown key, a key given twice, a wrong type, a number out of range and a word that is not one of\n" +
	"the words are errors, and so are keys that would have no effect. Each error has its line and column, and all are reported\n" +
	"together. Anchors, merge keys, tags and several documents in one file are not part of the language.\n\n" +
	"`--set key=value` changes one key after the file was read. The value is written as in the file; a text needs no quotes, a\n" +
	"list is written `[a, b]`.\n\n" +
	"`--overlay FILE` lays a file over the recipe, as YAML or JSON, before any `--set`. Sections are merged key by key, agents with names\n" +
	"agent by agent; lists and all other values are replaced. It may be given several times, and the last wins. Errors name the overlay's file,\n" +
	"line and column, and its relative paths are relative to its own folder.\n\n" +
	"Relative paths in a file are relative to the file's folder, those after `--set` to the current folder. Where the file's folder has\n" +
	"nothing of that name, the current folder is looked in too. A run records whole paths.\n\n" +
	"`preset` names a shipped recipe whose values take the place of the defaults: `preset: debate-sums` begins with the settings of that\n" +
	"recipe, and the file says what differs.\n\n" +
	"`experiment` makes one recipe several runs: every variant, a named list of such changes, with every seed. `parley train` does them one\n" +
	"after another and prints one table with the means over the seeds.\n\n" +
	"```yaml\n" +
	"experiment:\n" +
	"  seeds: [1, 2, 3]\n" +
	"  variants:\n" +
	"    plain: []\n" +
	"    persuadable: [reward.incentives.alpha1=2]\n" +
	"```\n\n" +
	"Prompts are Go [text/template](https://pkg.go.dev/text/template) texts. All see `.Question`, `.Fields` (named texts of the\n" +
	"problem; the pages of the tasks say which there are), `.Agent` and `.Turn` (from 1), `.Role` and `.ShowScores`. `later`\n" +
	"also sees `.Own` and `.Others` (a list), each with `.Number`, `.Text`, `.Score` and `.Feedback`.\n\n" +
	"## Teams over several bases\n\n" +
	"`models` gives every agent a base of its own; the prompts can tell the agents apart by `.Agent`. Agents of one base share its\n" +
	"weights in memory, agents of different bases share no policy (their policies are named `-base1`, `-base2`, in the order of the\n" +
	"first agents). Each base has its own tokenizer and chat template: what one agent wrote reaches another as text, and each agent is\n" +
	"trained on the very token ids that it sampled. `policies.frozen` lists agents that speak with their untrained base. The baselines of a\n" +
	"single agent have the base of the first trained agent.\n\n" +
	"```yaml\n" +
	"name: mixed\n" +
	"models: [parley-base, path/to/another-model]\n" +
	"policies: {frozen: [2]}\n" +
	"```\n\n" +
	"A prompt that does not fit the context of its base is an error that names both numbers. `truncate: left` drops its oldest tokens instead,\n" +
	"whatever they are, as a tokenizer of transformers with `truncation_side=\"left\"` does with a rendered chat.\n"

// referenceSection writes one table for the values of f, then those of its sections.
func referenceSection(b *strings.Builder, f *schema.Field, defaults *recipe.Recipe) {
	title := "top level"
	if f.Path != "" {
		title = "`" + f.Path + "`"
	}
	fmt.Fprintf(b, "\n### %s\n\n", title)
	var values []*schema.Field
	for _, c := range f.Fields {
		if !c.Section() {
			values = append(values, c)
		}
	}
	keyTable(b, values, func(c *schema.Field) reflect.Value { return c.At(defaults) })
	for _, c := range f.Fields {
		if c.Section() {
			referenceSection(b, c, defaults)
		}
	}
}

// keyTable writes keys with their types, defaults and meanings.
func keyTable(b *strings.Builder, keys []*schema.Field, byDefault func(*schema.Field) reflect.Value) {
	b.WriteString("| key | type | default | meaning |\n|---|---|---|---|\n")
	for _, f := range keys {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", f.Name, typeText(f), defaultText(f, byDefault(f)), cell(f.Doc))
	}
}

// leaves are the keys that hold values, those of a section named behind its own name.
func leaves(keys []*schema.Field, within string) (out []*schema.Field) {
	for _, f := range keys {
		if f.Section() {
			out = append(out, leaves(f.Fields, within+f.Name+".")...)
			continue
		}
		leaf := *f
		leaf.Name = within + f.Name
		out = append(out, &leaf)
	}
	return out
}

func names(fields []*schema.Field) (list []string) {
	for _, f := range fields {
		list = append(list, f.Name)
	}
	return list
}

// codes lists words as code.
func codes(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return "`" + strings.Join(words, "`, `") + "`"
}

func typeText(f *schema.Field) string {
	if f.Words != nil {
		return f.Kind() + ": `" + strings.Join(f.Words, "` `") + "`"
	}
	if r := f.Range(); r != "" {
		return f.Kind() + ", " + r
	}
	return f.Kind()
}

func defaultText(f *schema.Field, v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		return "absent"
	case reflect.Slice:
		return "`" + strings.TrimSpace(schema.ValueText(v, "")) + "`"
	case reflect.String:
		if v.Len() == 0 {
			return "empty"
		}
	}
	return "`" + strings.TrimSpace(f.ValueText(v, "")) + "`"
}

// cell keeps a text from ending its cell of a Markdown table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
