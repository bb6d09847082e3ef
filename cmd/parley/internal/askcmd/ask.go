// Package askcmd is the verbs of run that let a team speak or learn again, and keep what came of it with the run.
//
//	ask.go           a question to the team, or to one agent
//	swap.go          another one in an agent's place
//	contribution.go  what each agent is worth
//	crossplay.go     the agents of several runs with each other
//	players.go       who plays with whom, and what is kept of it
//	tokens.go        the numbers of single tokens
package askcmd

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/engine/native"
	"parley/internal/folder"
	"parley/internal/terminal"
	"parley/viewer/ask"
)

// Ask is the verb run ask.
type Ask struct {
	Run_        string   `arg:"" name:"run" help:"Folder of a run, or its name in the runs folder."`
	Question    string   `arg:"" name:"question" help:"What is asked. Put -- before the run where it begins with a hyphen."`
	Agent       string   `placeholder:"N" help:"Ask only agent N, by number or name, as it is in its first turn. Default: the team."`
	Update      int      `placeholder:"N" help:"As they were after update N, which has a checkpoint. Default: as they are now."`
	Temperature *float64 `placeholder:"T" help:"Temperature of sampling. Default: that of evaluation, eval.temperature of the recipe."`
	Seed        uint64   `placeholder:"N" help:"Seed of sampling."`
	Trust       bool     `name:"trust" help:"Open the run though it was made elsewhere and its recipe runs programs, asks servers or writes files. They are listed without the flag."`
	JSON        bool     `name:"json" help:"Print one JSON object."`

	cli.Moved
}

func (Ask) Help() string {
	return `Lets a run's team work on a question as it works on its problems, and prints what each agent says, turn by turn, and the team's answer. With --agent, one agent answers alone. Question and answers are kept in questions.jsonl of the run, the newest 200, and ` + "`parley ui`" + ` shows them. In a run that cannot be written they are printed only, and a note says so. To talk on and on, see parley chat.

The team's answer is what its workflow says it is. Where nothing says it, it is the vote of the last turn, if final answers can be read; else the team has none.

A team that acts in an environment, or whose prompts need more than a question, cannot be asked. Its agents can, one by one.

Examples:

    parley run ask debate-sums-s1 "What is 12 + 30?"
    parley run ask magrpo-tiny-s1 "What is 12 + 30?" --update 39
    parley run ask chain-tiny-s1 "What is 12 + 30?" --agent critic --temperature 0.7 --seed 2 --json

Exit codes: 0 answered; 1 an answer failed; 2 there is no such run, agent or checkpoint, or the team cannot be asked.`
}

func (c *Ask) Run(a *cli.App) error {
	dir, err := cli.FindOne(c.Run_, "parley", "run", "ask")
	if err != nil {
		return err
	}
	o := ask.Options{Dir: dir, Language: a.Language, Backend: native.Backend{}, Trust: c.Trust, Moved: c.Set, Now: time.Now}
	r, err := ask.Ask(a.Ctx, o, ask.Question{Text: c.Question, Agent: c.Agent, Update: c.Update, Temperature: c.Temperature, Seed: c.Seed})
	if errors.As(err, new(*ask.QuestionError)) {
		return cli.Usagef("%v", err)
	}
	if err := unkept(a, err); err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(r)
	}
	return a.PrintText(dialogueOf(r))
}

// unkept prints a note where the result of a verb is there and could not be kept with the run, and returns any other error.
func unkept(a *cli.App, err error) error {
	if a.Ctx.Err() != nil || !errors.As(err, new(*folder.KeepError)) {
		return err
	}
	a.Sayf("note: %s\n", terminal.Printable(err.Error()))
	return nil
}

// dialogueOf is what was said, as a conversation prints it.
func dialogueOf(r ask.Result) string {
	var out strings.Builder
	for _, l := range r.Lines {
		if r.Agent == "" {
			fmt.Fprintf(&out, "turn %d, %s: ", l.Turn+1, l.Name)
		}
		out.WriteString(l.Text)
		if l.Left > 0 {
			fmt.Fprintf(&out, "… (%d more bytes)", l.Left)
		}
		fmt.Fprintf(&out, "\n%s", l.Beside)
	}
	switch {
	case r.Answer != "" && r.Vote:
		fmt.Fprintf(&out, "the team, by vote: %s\n", strings.TrimSpace(r.Answer))
	case r.Answer != "":
		fmt.Fprintf(&out, "the team: %s\n", strings.TrimSpace(r.Answer))
	}
	return out.String()
}
