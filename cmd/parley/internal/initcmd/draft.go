package initcmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/model"
)

// A draft is what a recipe will say, with the reason where one was guessed.
type draft struct {
	file, name string
	data, base string // as the user wrote them, from the current folder
	task       string // that ships, where there is no data
	rows       int

	question, questionWhy string
	answer, answerWhy     string // empty: none
	choices               string // key of options, where it is not the usual one
	ways                  []way  // of comparing answers, the best first
	fields                []string

	harness string      // the program in which the team works; empty: none
	python  string      // its interpreter; empty: the usual one
	said    []string    // what it answered to scripted answers; nil: nobody knows
	asked   []string    // agents that it asks
	models  [][2]string // names by which it asks that agents cannot have, with the agents'

	agents    int
	roles     []string
	protocol  string
	turns     int // 0: the protocol says it
	algorithm string
	reward    string
	maxTokens int
	truncate  bool // prompts may not fit

	held  int // problems that are held out
	train int
	notes []string
}

// A way is how answers are compared and read.
type way struct{ match, why, final string }

// draft decides what flags leave open.
func (c Cmd) draft(ctx context.Context, seen *look) (*draft, error) {
	d := &draft{file: c.File, name: nameOf(filepath.Base(c.File)), data: c.Data, base: c.Base}
	if seen == nil {
		d.answer, d.ways, d.maxTokens = "answer", []way{{"", "", "boxed"}}, usualTokens(c.Base)
		return d, cmp.Or(c.rewards(ctx, d, seen), c.team(ctx, d, seen))
	}
	d.rows = seen.set.Rows
	for _, step := range []func(context.Context, *draft, *look) error{c.keys, c.rewards, c.matching, c.team, c.lengths} {
		if err := step(ctx, d, seen); err != nil {
			return nil, err
		}
	}
	d.fields = slices.DeleteFunc(slices.Clone(seen.columns), func(k string) bool {
		if strings.Contains(k, ".") || strings.HasPrefix(d.question, k+".") || strings.HasPrefix(d.answer, k+".") {
			return true // it is in a field, or holds what is asked
		}
		return k == d.question || k == d.answer || strings.EqualFold(k, "id") || slices.Contains(optional, strings.ToLower(k))
	})
	return d, nil
}

// keys settles which keys the question and the answer are under.
func (c Cmd) keys(_ context.Context, d *draft, seen *look) error {
	d.question, d.questionWhy = c.Question, "the key of the question"
	if c.Question == "" {
		if d.question, d.questionWhy = seen.question(); d.question == "" {
			return cli.Usagef("no key looks like a question: name it with --question; the keys are %s", strings.Join(seen.columns, ", "))
		}
	} else if err := seen.mustHave("question", c.Question); err != nil {
		return err
	}
	switch d.answer, d.answerWhy = c.Answer, "the key of the right answer"; {
	case c.Match == none || c.Answer == none:
		d.answer = ""
	case c.Answer == "":
		d.answer, d.answerWhy = seen.answer(d.question)
	default:
		return seen.mustHave("answer", c.Answer)
	}
	return nil
}

// rewards settles what an answer earns.
func (c Cmd) rewards(_ context.Context, d *draft, seen *look) error {
	if err := checkReward(c.Reward); err != nil {
		return err
	}
	if c.Reward == byProgram && c.Harness == "" {
		return cli.Usagef("--reward harness is what a program says: name it with --harness FILE.py")
	}
	d.reward = cmp.Or(c.Reward, label)
	if d.reward != label || d.answer != "" {
		return nil
	}
	return cli.Usagef("there is no right answer to compare with: name its key with --answer (the keys are %s), or a reward of your own with --reward FILE.py", strings.Join(seen.columns, ", "))
}

// matching lists the ways in which answers can be compared that the data suggests.
func (c Cmd) matching(ctx context.Context, d *draft, seen *look) error {
	column, labelled := seen.options()
	if column != "choices" {
		d.choices = column
	}
	text := texts(d.reward)
	number := way{"number", "every answer is a number", "boxed"}
	if d.reward != label {
		number.why += `, which the reward gets in item["truth"]`
	}
	switch {
	case d.answer == "":
		d.ways = []way{{none, "no key was taken for the right answer, which --answer names: item has no \"truth\", and the reward judges", "boxed"}}
	case c.Match != "":
		for _, final := range []string{"boxed", "last-line", "response"} {
			d.ways = append(d.ways, way{c.Match, "how answers are compared", final})
		}
	case column != "" || labelled:
		d.ways = append([]way{{"choice", "rows have options", "boxed"}, number}, text...)
	case seen.letters(ctx, d.answer):
		d.ways = append([]way{{"choice", "every answer is a letter", "boxed"}}, text...)
	case seen.units(ctx, d.answer):
		d.ways = text
	default:
		d.ways = append([]way{number}, text...)
	}
	return nil
}

// texts are the ways of comparing answers that are texts. A reward of the user's own compares by itself, and gets them as the file has them.
func texts(reward string) []way {
	if reward != label {
		return []way{
			{"exact", `the reward gets answers as in the file, in item["truth"]`, "boxed"},
			{"exact", `the reward gets answers as in the file, in item["truth"]`, "last-line"},
		}
	}
	return []way{
		{"normalised", "answers are texts: letter case and the punctuation of prose do not count", "boxed"},
		{"normalised", "answers are texts, which cannot all be written in a box", "last-line"},
	}
}

// team settles who speaks when, and how the team learns.
func (c Cmd) team(_ context.Context, d *draft, _ *look) error {
	for _, role := range c.Roles {
		d.roles = append(d.roles, strings.TrimSpace(role))
	}
	if c.Harness != "" {
		return c.program(d)
	}
	if c.Interpreter != "" {
		return cli.Usagef("--interpreter is the Python of a program: name that with --harness FILE.py")
	}
	if d.agents = cmp.Or(c.Agents, len(d.roles), 2); len(d.roles) > 0 && len(d.roles) != d.agents {
		return cli.Usagef("--roles names %d roles for %d agents: give one to each", len(d.roles), d.agents)
	}
	d.protocol = c.Protocol
	switch {
	case d.protocol != "":
	case d.agents == 1:
		d.protocol = "single"
	case d.reward == label:
		d.protocol = "debate"
	default:
		d.protocol = "parallel"
	}
	if d.protocol == "single" && c.Agents == 0 && len(d.roles) == 0 {
		d.agents = 1
	}
	if err := checkShape(d.protocol, d.agents); err != nil {
		return err
	}
	switch d.turns, d.algorithm = 1, "magrpo"; d.protocol {
	case "debate":
		d.turns = 2
		if d.reward == label {
			d.algorithm = "mappo"
		}
	case "leader":
		d.turns = 2
	case "pipeline", chain, review:
		d.turns = d.agents
	}
	return nil
}

// lengths settles how long answers may be: room for some reasoning, in a context that holds what all agents wrote before.
func (c Cmd) lengths(ctx context.Context, d *draft, seen *look) error {
	count, failed, err := counter(d.base)
	if err != nil {
		return err
	}
	columns := []string{d.question}
	if column, _ := seen.options(); column != "" {
		columns = append(columns, column)
	}
	question, err := seen.longest(ctx, count, columns...)
	if err != nil {
		return err
	}
	answer := 0
	if d.answer != "" {
		if answer, err = seen.longest(ctx, count, d.answer); err != nil {
			return err
		}
	}
	if *failed != nil {
		return cli.Usagef("model %s: %v", d.base, *failed)
	}
	d.maxTokens = max(usualTokens(d.base), min(2*answer, 512))
	shown := 1
	if d.turns != 1 {
		shown += d.agents
	}
	context := contextOf(d.base)
	if room := (context - question - promptTokens) / shown; context > 0 && room < d.maxTokens {
		d.maxTokens = max(room, leastTokens)
		d.truncate = room < leastTokens && d.harness == ""
	}
	if d.base == usualBase {
		d.notes = append(d.notes, usualBase+" was made for sums and knows little else: for other questions name a model with --base (docs/models.md)")
	}
	if answer > longAnswer && d.reward == label {
		d.notes = append(d.notes, fmt.Sprintf("right answers have up to %d tokens, and an answer has to be the same text: a reward of your own, --reward FILE.py, may suit such texts better", answer))
	}
	return nil
}

// usualTokens are the most of an answer of which nothing is known.
func usualTokens(base string) int {
	if base == usualBase {
		return 64
	}
	return 256
}

const (
	promptTokens = 100 // what prompts say beside the question and the answers of others
	leastTokens  = 16  // of an answer
	longAnswer   = 40  // tokens of a right answer that is hardly written twice
)

// contextOf is the most tokens of a sequence of a base; 0: not known.
func contextOf(base string) int {
	config, _, err := model.Shape(base)
	if err != nil {
		return 0
	}
	var c struct {
		Context int `json:"max_position_embeddings"`
	}
	if json.Unmarshal(config, &c) != nil {
		return 0
	}
	return c.Context
}

// unfit matches what a name of a recipe cannot have.
var unfit = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// nameOf is a name for a recipe after a file's.
func nameOf(file string) string {
	stem, _, _ := strings.Cut(strings.TrimLeft(file, "."), ".")
	return cmp.Or(strings.TrimLeft(strings.Trim(unfit.ReplaceAllString(stem, "-"), "-"), "._-"), "mine")
}
