package runcmd

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/internal/terminal"
	"parley/viewer/tables"
)

type runQueryCmd struct {
	Run_ string        `arg:"" name:"run" help:"Folder of a run, or its name in the runs folder."`
	SQL  string        `arg:"" name:"sql" help:"One SELECT. Tables: updates, episodes, nodes, completions, tokens, answers."`
	JSON bool          `name:"json" help:"Print an array of rows as objects."`
	Rows int           `default:"100000" placeholder:"N" help:"The most rows of an answer."`
	Time time.Duration `default:"60s" placeholder:"TIME" help:"How long the query may take."`
}

func (runQueryCmd) Help() string {
	return `Answers a question about a run in SQL (SQLite's). It only reads. All tables begin with the column update.

    updates      a row an update: every number of metrics.jsonl and timing.jsonl. Parts of a list or an object have columns of their own (reward_1, grad_norm_policy_agent1) and their mean has the name (reward)
    episodes     a row a problem: episode, problem, question, truth, nodes, turns, samples, completions, tokens, reward, reward_min, reward_max, correct, failed
    nodes        a row a turn of a dialogue: episode, node, turn, parent, parent_action, sample, joint_actions, reward, reward_max, ended, failed
    completions  a row an answer: episode, node, agent (from 1), completion, name, policy, problem, turn, sample, text, answer, correct, score, reward, advantage, flags, stop, tokens, prompt_tokens, surprisal, masked, penalty, calls, prompt
    tokens       a row a token: episode, node, agent, completion, position, token, text, logprob, advantage, and before, entropy, reference, kl, after, ratio, clipped

The columns of tokens from before on are not recorded: they are null until ` + "`parley run tokens RUN UPDATE`" + ` has computed them, as its help says (before is its policy). advantage is the own one of the token where that was computed, else that of its answer; null, where a critic gives each token its own.

A query that says which updates it wants (where update >= 90) reads only these. Episodes that are damaged are left out, and stderr says which.

Examples:

    parley run query magrpo-tiny-s1 "select update, reward, length from updates"
    parley run query magrpo-tiny-s1 "select text, advantage from completions where update = 3 order by advantage limit 5" --json
    parley run query magrpo-tiny-s1 "select text, entropy, ratio from tokens where update = 40 order by entropy desc limit 5"

Exit codes: 0 answered; 1 the run cannot be read, or the query took too long or has too many rows; 2 there is no such run, or the query is wrong.`
}

func (c *runQueryCmd) Run(a *cli.App) error {
	if c.Rows < 1 || c.Time <= 0 {
		return cli.Usagef("--rows and --time must be above 0")
	}
	dir, err := cli.FindOne(c.Run_, "parley", "run", "query")
	if err != nil {
		return err
	}
	answer, err := tables.Query(a.Ctx, dir, c.SQL, tables.Limits{Rows: c.Rows, Time: c.Time})
	if wrong, ok := errors.AsType[*tables.QueryError](err); ok {
		return cli.Usagef("query: %s", wrong.Why)
	}
	if err != nil {
		return err
	}
	for _, what := range answer.LeftOut {
		a.Sayf("left out, as it is damaged: %s\n", what)
	}
	if c.JSON {
		return a.PrintJSON(answer)
	}
	return a.Table(func(w io.Writer) {
		cells(w, answer.Columns)
		for _, row := range answer.Rows {
			texts := make([]string, len(row))
			for i, v := range row {
				texts[i] = cell(v)
			}
			cells(w, texts)
		}
	})
}

// cells writes a row of texts.
func cells(w io.Writer, texts []string) {
	row := make([]any, len(texts))
	for i, t := range texts {
		row[i] = t
	}
	cli.Row(w, row...)
}

// cell is a value in a table: one line without control characters.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case float64:
		return fmt.Sprintf("%.6g", v)
	case string:
		return terminal.Printable(strings.NewReplacer("\n", "⏎", "\t", " ").Replace(v))
	}
	return fmt.Sprint(v)
}
