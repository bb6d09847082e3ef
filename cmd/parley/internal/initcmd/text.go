package initcmd

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"parley/internal/terminal"
	"parley/internal/usererror"
)

// A page is YAML that is being written.
type page struct{ strings.Builder }

// key writes a key of a depth with its value, and what it means; empty: that is plain.
func (p *page) key(depth int, name, value, comment string) {
	text := strings.Repeat("  ", depth) + name + ":"
	if value != "" {
		text += " " + value
	}
	if comment != "" {
		text = fmt.Sprintf("%-34s # %s", text, oneLine(comment))
	}
	p.WriteString(text + "\n")
}

// oneLine is a text that ends no comment and drives no terminal.
func oneLine(text string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(terminal.Printable(text))
}

// block writes a text of several lines.
func (p *page) block(depth int, name, text string) {
	p.key(depth, name, "|-", "")
	for _, l := range strings.Split(text, "\n") {
		p.WriteString(strings.TrimRight(strings.Repeat("  ", depth+1)+l, " ") + "\n")
	}
}

// text is the recipe.
func (d *draft) text() string {
	p := new(page)
	fmt.Fprintf(p, "# Written by `parley init`. `%s` prints every key that applies, with its meaning.\n", oneLine(usererror.Quote("parley", "recipe", "show", filepath.Base(d.file))))
	p.key(0, "name", quote(d.name), "of its runs")
	p.key(0, "about", quote(fmt.Sprintf("A team of %d learns from %s.", d.agents, filepath.Base(cmp.Or(d.data, d.task)))), "")
	p.key(0, "model", quote(d.beside(d.base)), "the frozen base, of which adapters are trained")
	if d.truncate {
		p.key(0, "truncate", "left", "the longest prompts do not fit the base's context: they lose their beginning")
	}
	d.taskText(p)
	d.teamText(p)
	d.learningText(p)
	return p.String()
}

func (d *draft) taskText(p *page) {
	w := d.ways[0]
	p.WriteString("\n")
	p.key(0, "task", "", "")
	if d.data == "" {
		p.key(1, "name", d.task, "arithmetic that ships; of your own questions: name: data, path: FILE")
		return
	}
	p.key(1, "name", "data", "")
	p.key(1, "path", quote(d.beside(d.data)), fmt.Sprintf("%d rows", d.rows))
	p.key(1, "question", quote(d.question), d.questionWhy)
	if d.answer != "" {
		p.key(1, "answer", quote(d.answer), d.answerWhy)
	}
	p.key(1, "match", w.match, w.why)
	if w.match == "choice" && d.choices != "" {
		p.key(1, "choices", quote(d.choices), "the key of the options")
	}
	if d.answer != "" {
		p.key(1, "final", w.final, finals[w.final])
	}
}

// finals say what counts as the answer of a text.
var finals = map[string]string{
	"boxed":       `the answer is what the last \boxed{…} holds; last-line: the last line`,
	"last-line":   "the answer is the last line",
	"last-number": "the answer is the last number",
	"response":    "the answer is all that an agent writes",
}

func (d *draft) teamText(p *page) {
	p.WriteString("\n")
	p.key(0, "team", "", "")
	if d.steps() {
		d.stepsText(p)
		d.sharingText(p)
		return
	}
	if d.harness != "" {
		d.programText(p)
		d.sharingText(p)
		return
	}
	p.key(1, "protocol", quote(d.protocol), sees[d.protocol])
	p.key(1, "agents", fmt.Sprint(d.agents), drawn(d.protocol, d.names()))
	p.key(1, "turns", fmt.Sprint(d.turns), "")
	p.key(1, "prompts", "", "Go templates, which know the question, the agent and its role")
	if len(d.fields) > 0 {
		fmt.Fprintf(p, "    # Other keys of a row are fields, such as %s.\n", oneLine(fieldTemplate(d.fields[0])))
	}
	if len(d.roles) > 0 {
		p.key(2, "roles", "", "what each agent is")
		for _, role := range d.roles {
			p.WriteString("      - " + quote(role) + "\n")
		}
	}
	p.block(2, "first", d.first())
	if d.protocol == "debate" && d.turns > 1 {
		p.block(2, "later", d.later())
	}
	d.sharingText(p)
}

// sharingText gives every agent an adapter of its own, where they are not alike.
func (d *draft) sharingText(p *page) {
	if d.harness != "" || d.agents > 1 && (len(d.roles) > 0 || d.protocol == "parallel" || d.steps()) && d.protocol != "central" {
		p.WriteString("\n")
		p.key(0, "policies", "", "")
		p.key(1, "sharing", "per-agent", "every agent learns an adapter of its own")
	}
}

// first is what an agent is asked first.
func (d *draft) first() string { return d.role() + "Question: {{.Question}}" + d.form() }

// later is what it is asked once the others have answered. The base that ships was made with prompts that say the form only once.
func (d *draft) later() string {
	text := d.role() + "{{range .Others}}Agent {{.Number}} solution: {{.Text}}\n{{end}}Once again, the question is: {{.Question}}"
	if d.base == usualBase {
		return text
	}
	return text + d.form()
}

func (d *draft) role() string {
	if len(d.roles) == 0 {
		return ""
	}
	return "Your role: {{.Role}}\n"
}

// form says how an answer is to be written.
func (d *draft) form() string {
	switch w := d.ways[0]; {
	case d.answer == "":
		return ""
	case w.final == "response":
		return "\nWrite the answer alone."
	case w.final == "last-line":
		return "\nThink step by step. Write the answer alone on the last line."
	case w.match == "choice":
		return "\nThink step by step. Then write the letter of the right option: \\boxed{X}"
	}
	return "\nSolve step by step. Answer: \\boxed{XX}"
}

func (d *draft) learningText(p *page) {
	p.WriteString("\n")
	p.key(0, "reward", "", "")
	switch {
	case d.reward == label:
		p.key(1, "source", "label", "1 for a right answer, 0 for a wrong one")
	case d.reward == byProgram:
		p.key(1, "source", byProgram, "the program says what is earned")
	default:
		key, value := "python", d.beside(d.reward)
		if isURL(d.reward) {
			key, value = "url", d.reward
		}
		p.key(1, "source", "user", "a reward of your own for all answers together")
		p.key(1, "user", "", "")
		p.key(2, key, quote(value), "")
		p.key(2, "min", "0", "the least reward")
		p.key(2, "max", "1", "and the greatest; others are errors")
	}
	p.WriteString("\n")
	p.key(0, "sampling", "", "")
	p.key(1, "max_tokens", fmt.Sprint(d.maxTokens), "most tokens of an answer")
	p.WriteString("\n")
	p.key(0, "algorithm", d.algorithm, algorithms[d.algorithm])
	if d.algorithm == "mappo" && d.train < fewProblems {
		p.key(0, "ppo", "", "")
		p.key(1, "minibatches", "1", "there are few problems")
	}
	if d.steps() {
		p.key(0, "group", "", "")
		p.key(1, "rollout", "episodes", "whole dialogues about one question are compared")
	}
	p.key(0, "optimizer", "", "")
	p.key(1, "lr", "auto", "by the size of the base: docs/defaults.md")
	p.key(0, "training", "", "")
	p.key(1, "updates", fmt.Sprint(updates), "few, for a first look; 100 and more where the reward still rises")
	p.key(1, "problems", fmt.Sprint(min(d.train, mostProblems)), "per update")
	p.key(0, "eval", "", "")
	p.key(1, "problems", fmt.Sprint(min(d.held, mostHeld)), "held-out problems, before and after training")
	if d.reward == label && d.agents > 1 && d.harness == "" {
		p.key(1, "baselines", "[single, majority-vote]", "what one untrained agent reaches, with one answer and with many")
	}
}

// algorithms say how the team learns.
var algorithms = map[string]string{
	"mappo":  "each answer of a debate earns its reward (MAPoRL)",
	"magrpo": "answers to one question are compared with each other (MAGRPO)",
}

const (
	updates      = 20
	mostProblems = 16
	fewProblems  = 4 // an update with fewer gives a policy fewer answers than it makes steps of
	mostHeld     = 100
)

// beside is a path as it is seen from the recipe's folder; a name that is no path stays one.
func (d *draft) beside(name string) string {
	info, err := filepath.Abs(name)
	folder, wrong := filepath.Abs(filepath.Dir(d.file))
	if err != nil || wrong != nil || filepath.IsAbs(name) || !exists(name) {
		return name
	}
	if relative, err := filepath.Rel(folder, info); err == nil {
		return filepath.ToSlash(relative)
	}
	return info
}

// plainWord matches texts that mean themselves in YAML.
var plainWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*[A-Za-z0-9_]$`)

// quote writes a text so that YAML reads the same.
func quote(text string) string {
	if plainWord.MatchString(text) && !meaning[strings.ToLower(text)] {
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil {
		panic("internal error: a text is no JSON")
	}
	return strings.TrimSpace(b.String())
}

// meaning are words that YAML may take for something else.
var meaning = map[string]bool{"true": true, "false": true, "null": true, "yes": true, "no": true, "on": true, "off": true}

// fieldTemplate shows how a prompt shows a field.
func fieldTemplate(key string) string {
	if regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(key) {
		return "{{.Fields." + key + "}}"
	}
	return fmt.Sprintf("{{index .Fields %q}}", key)
}
