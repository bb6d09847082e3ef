package recipe

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"parley/learn/algorithms"
)

// Pages returns the reference by the files' names under docs: recipes.md with the guide, the shipped recipes and the general keys, and a page
// for each task, protocol and algorithm.
func (l *Language) Pages() map[string]string {
	pages := map[string]string{"recipes.md": l.index()}
	users := l.users()
	for _, t := range l.tasks {
		pages[taskPage(t.Name)] = l.taskReference(&t, users)
	}
	for _, k := range l.protocols {
		pages[protocolPage(k.Name)] = l.protocolReference(k, users)
	}
	for _, a := range algorithms.All() {
		pages[algorithmPage(a.Name)] = l.algorithmReference(a, users)
	}
	return pages
}

func taskPage(name string) string      { return "recipes/task-" + name + ".md" }
func protocolPage(name string) string  { return "recipes/protocol-" + name + ".md" }
func algorithmPage(name string) string { return "recipes/algorithm-" + name + ".md" }

// made says at the head of a page where it comes from.
const made = "<!-- Made from the code: go run ./tools/recipedocs -->\n\n"

func (l *Language) index() string {
	var b strings.Builder
	b.WriteString(guide)
	b.WriteString("\n## Shipped recipes\n\n| name | minutes | what it shows |\n|---|---|---|\n")
	for _, r := range l.Shipped() {
		minutes := "?"
		if r.Minutes > 0 {
			minutes = number(r.Minutes)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Name, minutes, r.About)
	}
	b.WriteString("\n## Tasks\n\nEach task has a page with its keys in section `task`, the fields of its prompts, its reports and its default prompts.\n\n| task | what it is | its keys |\n|---|---|---|\n")
	for _, t := range l.tasks {
		fmt.Fprintf(&b, "| [`%s`](%s) | %s | %s |\n", t.Name, taskPage(t.Name), cell(t.About), codes(names(l.settingsOf(t.Name))))
	}
	b.WriteString("\n## Protocols\n\n`team.protocol` says who speaks when, and who sees what. Each protocol has a page.\n\n| protocol | what it is |\n|---|---|\n")
	for _, k := range l.protocols {
		fmt.Fprintf(&b, "| [`%s`](%s) | %s |\n", k.Name, protocolPage(k.Name), cell(k.About))
	}
	b.WriteString("\n## Algorithms\n\nEach algorithm has a page with the keys that it reads, beside those of `policies` and `optimizer`, which all read.\n\n| algorithm | what it is | its sections |\n|---|---|---|\n")
	for _, a := range algorithms.All() {
		var sections []string
		for _, section := range l.sectionsOf(a.Name) {
			sections = append(sections, section.path)
		}
		fmt.Fprintf(&b, "| [`%s`](%s) | %s | %s |\n", a.Name, algorithmPage(a.Name), cell(a.About), codes(sections))
	}
	b.WriteString("\n## General keys\n")
	general := *l.general()
	general.fields = slices.DeleteFunc(slices.Clone(general.fields), func(f *field) bool { return slices.Contains(learningSections, f.name) })
	referenceSection(&b, &general, l.Defaults())
	return b.String()
}

// general returns the keys that every recipe has.
func (l *Language) general() *field { return l.schema(choice{"", sameTask}) }

const guide = "# Recipes\n\n" +
	"<!-- Made from the code: go run ./tools/recipedocs -->\n\n" +
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
func referenceSection(b *strings.Builder, f *field, defaults *Recipe) {
	title := "top level"
	if f.path != "" {
		title = "`" + f.path + "`"
	}
	fmt.Fprintf(b, "\n### %s\n\n", title)
	var values []*field
	for _, c := range f.fields {
		if !c.section() {
			values = append(values, c)
		}
	}
	keyTable(b, values, func(c *field) reflect.Value { return c.at(defaults) })
	for _, c := range f.fields {
		if c.section() {
			referenceSection(b, c, defaults)
		}
	}
}

// keyTable writes keys with their types, defaults and meanings.
func keyTable(b *strings.Builder, keys []*field, byDefault func(*field) reflect.Value) {
	b.WriteString("| key | type | default | meaning |\n|---|---|---|---|\n")
	for _, f := range keys {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", f.name, typeText(f), defaultText(f, byDefault(f)), cell(f.doc))
	}
}

func names(fields []*field) (list []string) {
	for _, f := range fields {
		list = append(list, f.name)
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

func typeText(f *field) string {
	if f.words != nil {
		return f.kind() + ": `" + strings.Join(f.words, "` `") + "`"
	}
	if r := f.rangeText(); r != "" {
		return f.kind() + ", " + r
	}
	return f.kind()
}

func defaultText(f *field, v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		return "absent"
	case reflect.Slice:
		return "`" + strings.TrimSpace(valueText(v, "")) + "`"
	case reflect.String:
		if v.Len() == 0 {
			return "empty"
		}
	}
	return "`" + strings.TrimSpace(f.valueText(v, "")) + "`"
}

// cell keeps a text from ending its cell of a Markdown table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
