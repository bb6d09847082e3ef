package recipe

import (
	"fmt"
	"reflect"
	"strings"

	"parley/task"
)

// Reference returns docs/recipes.md: the guide to recipes, every key with its type, default and meaning, and the shipped
// recipes. A test keeps the file equal to it.
func (l *Language) Reference() string {
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
	b.WriteString("\n## All keys\n")
	referenceSection(&b, l.general(), l.Defaults())
	b.WriteString("\n## Tasks\n\nThese keys stand in section `task`, beside the general ones. Those marked * can be set in section `eval.task` too, for the task that is measured.\n")
	for _, t := range l.tasks {
		l.referenceTask(&b, &t)
	}
	return b.String()
}

// general returns the keys that every recipe has.
func (l *Language) general() *field { return l.schema(choice{"", sameTask}) }

// referenceTask writes what there is to say about a task.
func (l *Language) referenceTask(b *strings.Builder, t *task.Type) {
	fmt.Fprintf(b, "\n### Task `%s`\n\n%s\n", t.Name, t.About)
	if t.DataSet != "" {
		fmt.Fprintf(b, "\nThe usual data set is `%s`.\n", t.DataSet)
	}
	section := l.schema(choice{t.Name, sameTask}).find("task")
	var keys strings.Builder
	for _, f := range section.fields {
		if !f.own {
			continue
		}
		mark := ""
		if measurable(t.Traits) && measuredKeys(f) {
			mark = "*"
		}
		usual := reflect.New(f.typ).Elem()
		f.setDefault(usual)
		fmt.Fprintf(&keys, "| `%s`%s | %s | %s | %s |\n", f.name, mark, typeText(f), defaultText(usual), cell(f.doc))
	}
	if keys.Len() > 0 {
		b.WriteString("\n| key | type | default | meaning |\n|---|---|---|---|\n" + keys.String())
	}
	if len(t.Fields) > 0 {
		b.WriteString("\n| field of prompts | what it is |\n|---|---|\n")
	}
	for _, f := range t.Fields {
		name := f.Name
		if f.PerAgent {
			name += "_1`, `" + f.Name + "_2`, `…"
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", name, cell(f.About))
	}
	if len(t.Reports) > 0 {
		b.WriteString("\n| `team.feedback` | what it says |\n|---|---|\n")
	}
	for _, r := range t.Reports {
		fmt.Fprintf(b, "| `%s` | %s |\n", r.Name, cell(r.About))
	}
}

const guide = "# Recipes\n\n" +
	"<!-- Made from the struct tags of recipe.Recipe and of the tasks: go test ./recipe -run TestReference -update -->\n\n" +
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
	"problem; the tasks below say which there are), `.Agent` and `.Turn` (from 1), `.Role` and `.ShowScores`. `later`\n" +
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
	fmt.Fprintf(b, "\n### %s\n\n| key | type | default | meaning |\n|---|---|---|---|\n", title)
	for _, c := range f.fields {
		if !c.section() {
			fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", c.name, typeText(c), defaultText(c.at(defaults)), cell(c.doc))
		}
	}
	for _, c := range f.fields {
		if c.section() {
			referenceSection(b, c, defaults)
		}
	}
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

func defaultText(v reflect.Value) string {
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
	return "`" + strings.TrimSpace(valueText(v, "")) + "`"
}

// cell keeps a text from ending its cell of a Markdown table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
