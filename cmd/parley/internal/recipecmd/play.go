package recipecmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/internal/terminal"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/rl/rollout/harness"
	"parley/task"
	"parley/team"
	"parley/train/lineup"
)

// Harness is the verb harness: what concerns teams that work in a program.
type Harness struct {
	Play playCmd `cmd:"" help:"Play one problem, untrained, and print every call of the program."`
}

type playCmd struct {
	Recipe string   `arg:"" help:"A recipe file with team.protocol harness."`
	Set    []string `sep:"none" placeholder:"KEY=VALUE" help:"Set a key of the recipe. Repeatable."`
	JSON   bool     `name:"json" help:"Print one JSON object {\"problem\",\"calls\",\"answer\",\"unread\",\"reward\",\"parts\",\"flags\",\"paid\",\"refused\",\"unasked\",\"failed\"}."`

	cli.Overlays
}

func (playCmd) Help() string {
	return `Starts the program of a recipe's team for one held-out problem and lets the untrained team answer. Prints every call with its messages and its answer, what the program says in the end, what that earns, requests that were refused, and the agents that nobody asked. Nothing is trained and nothing is kept. The program runs with your rights.

Examples:

    parley harness play recipe.yaml
    parley harness play recipe.yaml --set team.harness.calls=8 --json

Exit codes: 0 played; 2 the recipe is wrong, or the episode failed.`
}

func (c *playCmd) Run(a *cli.App) error {
	r, err := a.Language.Load(c.Recipe, c.Set, c.Overlay...)
	if err != nil {
		return err
	}
	if !r.Harnessed() {
		return cli.Usagef("team.protocol of %s is %s, and no program plays: write protocol: harness", c.Recipe, r.Team.Protocol)
	}
	p, err := playOne(a.Ctx, r)
	if err != nil {
		return err
	}
	if c.JSON {
		err = a.PrintJSON(p)
	} else {
		err = p.print(a)
	}
	return errors.Join(err, p.fault())
}

// fault is why the episode has failed; nil: it has not, or none was played.
func (p *played) fault() error {
	if p == nil || p.Failed == "" {
		return nil
	}
	return usererror.Errorf("the episode failed: %s", p.Failed)
}

// A played problem is what the program of a team did with it.
type played struct {
	Problem task.Problem `json:"problem"`
	Calls   []call       `json:"calls"`
	Answer  []string     `json:"answer"`           // of the team, as the program says it
	Unread  string       `json:"unread,omitempty"` // why an answer has no final answer, where the reward is about that
	Reward  *float64     `json:"reward"`           // null: there is none
	Parts   numbers      `json:"parts,omitempty"`
	Flags   []string     `json:"flags,omitempty"`
	Paid    numbers      `json:"paid,omitempty"`    // by agent, beside the team
	Refused numbers      `json:"refused,omitempty"` // requests, by code
	Unasked []string     `json:"unasked"`
	Failed  string       `json:"failed,omitempty"` // why the episode has
}

// Numbers are named.
type numbers map[string]float64

// A call is one of the program's.
type call struct {
	Agent    string         `json:"agent"`
	Messages []team.Message `json:"messages"`
	Answer   string         `json:"answer"`
	Prompt   int            `json:"prompt_tokens"`
	Tokens   int            `json:"tokens"`
}

// playOne lets the program of a recipe's team play the first held-out problem with the untrained team.
func playOne(ctx context.Context, r *recipe.Recipe) (*played, error) {
	l, err := lineup.Open(ctx, r, cli.Backend())
	if err != nil {
		return nil, err
	}
	defer l.Close()
	if l, err = l.Measured(); err != nil {
		return nil, err
	}
	runner := l.Evaluation(false)
	episodes, err := runner.Run(ctx, harness.Trial, 0, l.HeldOut[:1])
	if err != nil {
		return nil, err
	}
	e := episodes[0]
	p := &played{Problem: e.Problem, Calls: []call{}, Answer: []string{}, Refused: numbers{}, Paid: numbers{}, Unasked: []string{}, Failed: e.Failed()}
	names, asked := r.Team.Agents.Names(), map[int]bool{}
	for _, n := range e.Nodes {
		turn := &n.Agents[0]
		asked[turn.Agent] = true
		c := call{names[turn.Agent], turn.Messages, turn.Completions[0].Text, len(turn.Prompt), len(turn.Completions[0].Tokens)}
		for agent, name := range names {
			if n.Own != nil && n.Own[0][agent] != 0 {
				p.Paid[name] += n.Own[0][agent]
			}
		}
		p.Calls, p.Answer = append(p.Calls, c), append(p.Answer, n.Answers...)
	}
	if m := l.Harness.Take(0); m != nil {
		for code, n := range m.Refused {
			p.Refused[code] = float64(n)
		}
	}
	if !r.Reward.Joint() {
		p.Unread = unread(r, l.Scorer.Answerer(), e.Problem, p.Answer)
	}
	for agent, name := range names {
		if !asked[agent] {
			p.Unasked = append(p.Unasked, name)
		}
	}
	if n := len(e.Nodes); n > 0 && len(e.Nodes[n-1].Scored) > 0 && p.Failed == "" {
		last := &e.Nodes[n-1].Scored[0]
		p.Reward, p.Parts, p.Flags = &last.Reward, last.Parts, last.Flags
	}
	return p, nil
}

// unread says what a final answer is read in, where one of texts has none that can be read; else it is empty.
func unread(r *recipe.Recipe, a task.Answerer, p task.Problem, texts []string) string {
	for _, text := range texts {
		if _, ok := task.AnswerTo(a, p, text); ok {
			continue
		}
		why := `it is read in \boxed{…}`
		if s, ok := r.Task.Settings.(task.Unboxed); ok && s.Unboxed() != "" {
			why = "task." + s.Unboxed()
		} else if r.Task.Name == "data" {
			why = `task.final is boxed, which wants \boxed{…}`
		}
		return why
	}
	return ""
}

func (p *played) print(a *cli.App) error {
	var b strings.Builder
	fmt.Fprintf(&b, "problem %s: %s\n", p.Problem.ID, p.Problem.Question)
	for i, c := range p.Calls {
		fmt.Fprintf(&b, "\ncall %d asks %s (%d tokens of prompt, %d of answer)\n", i+1, c.Agent, c.Prompt, c.Tokens)
		for _, m := range c.Messages {
			fmt.Fprintf(&b, "%s\n", indented(string(m.Role), m.Content))
		}
		fmt.Fprintf(&b, "%s\n", indented(c.Agent, c.Answer))
	}
	b.WriteString("\n")
	for _, text := range p.Answer {
		fmt.Fprintf(&b, "%s\n", indented("the program answers", text))
	}
	if p.Unread != "" {
		fmt.Fprintf(&b, "no final answer can be read in it: %s\n", p.Unread)
	}
	if p.Reward != nil {
		fmt.Fprintf(&b, "the reward is %g\n", *p.Reward)
	}
	if len(p.Flags) > 0 {
		fmt.Fprintf(&b, "flags: %s\n", strings.Join(p.Flags, ", "))
	}
	p.Parts.print(&b, "parts")
	p.Paid.print(&b, "paid beside the team")
	p.Refused.print(&b, "refused")
	for _, name := range p.Unasked {
		fmt.Fprintf(&b, "nobody asked %s\n", name)
	}
	return a.Printf("%s", terminal.Printable(b.String()))
}

// print writes them in a line, if there are any.
func (x numbers) print(b *strings.Builder, title string) {
	for i, name := range slices.Sorted(maps.Keys(x)) {
		head := ", "
		if i == 0 {
			head = title + ": "
		}
		fmt.Fprintf(b, "%s%s %g", head, name, x[name])
	}
	if len(x) > 0 {
		b.WriteString("\n")
	}
}

// indented is a text with who says it, its further lines below its first.
func indented(who, text string) string {
	return "    " + who + ": " + strings.ReplaceAll(text, "\n", "\n        ")
}
