package askcmd

import (
	"fmt"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/internal/table"
	"parley/rl/eval"
	"parley/viewer/ask"
)

// CrossPlay is the verb run crossplay.
type CrossPlay struct {
	Runs   []string `arg:"" name:"run" help:"Folders of runs of one game, two or more, or their names in the runs folder."`
	Games  int      `placeholder:"N" help:"Games of every pair, where the game has no exact numbers. Default: task.games of the first run, 200 if it does not say."`
	Update int      `placeholder:"N" help:"The agents as they were after update N, which has a checkpoint in all runs. Default: as they are now."`
	Seed   int      `default:"1" placeholder:"N" help:"Seed of what is drawn in games, the same for every pair. Default: 1."`
	Trust  bool     `name:"trust" help:"Open runs though they were made elsewhere and their recipes run programs, ask servers or write files. They are listed without the flag."`
	JSON   bool     `name:"json" help:"Print one JSON object."`

	cli.Moved
}

func (CrossPlay) Help() string {
	return `Lets agents play together that were trained apart: the first agent of every run with the other agents of every run. Prints a table of the game's score, a row for the run of the first agent and a column for that of the others, and two means with 95 % intervals over runs: self-play, the pairs of one run, and cross-play, the pairs of two. Their difference is what a team loses with strangers (zero-shot coordination).

kuhn, leduc, tiny-hanabi and the matrix games are computed exactly, from the probabilities of moves. Others are played: tic-tac-toe, path, sweep, grid, divide, and environments of your own, over the held-out problems and with the same random numbers for every pair.

What a pair scores is kept in crossplay.json of the run of the first agent. The same command prints it at once; after ^C it goes on.

Examples:

    parley run crossplay tiny-hanabi-tiny-s1 tiny-hanabi-tiny-s2 tiny-hanabi-tiny-s3
    parley run crossplay divide-tiny-s1 divide-tiny-s2 divide-tiny-s3 --games 500 --json

Exit codes: 0 said; 1 a game could not be played; 2 there is no such run or checkpoint, or the runs cannot play together, with the reason; 130 interrupted.`
}

func (c *CrossPlay) Run(a *cli.App) error {
	dirs, err := cli.FindRuns(c.Runs)
	if err != nil {
		return err
	}
	if c.Games < 0 {
		return cli.Usagef("%d games cannot be played: write --games with 1 or more", c.Games)
	}
	result, err := play(a.Ctx, across{
		Dirs: dirs, Language: a.Language, Backend: cli.Backend(), Trust: c.Trust, Moved: c.Set, Update: c.Update, Games: c.Games, Seed: c.Seed,
		Tell: func(line string) { a.Say(line) },
	})
	if result == nil {
		return err
	}
	if err := unkept(a, err); err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(result)
	}
	return a.PrintReport(together(result), "")
}

// together is the result for a terminal.
func together(c *ask.CrossPlay) string {
	var b strings.Builder
	how := "exact"
	if !c.Exact {
		how = fmt.Sprintf("means of %d games", c.Games)
	}
	fmt.Fprintf(&b, "%s, %s: %s of the run in a row, %s of that in a column\n", c.Game, how, c.Agents[0], strings.Join(c.Agents[1:], ", "))
	for _, s := range c.Scores {
		t := &table.Table{Title: s.Score, Head: []string{""}}
		for i, r := range c.Runs {
			t.Head = append(t.Head, r.Run)
			row := []string{r.Run}
			for _, x := range s.Values[i] {
				row = append(row, table.Number(x))
			}
			t.Add(row...)
		}
		b.WriteString(t.Text())
		fmt.Fprintf(&b, "self-play %s, cross-play %s, difference %s\n", centre(s.Self, table.Number), centre(s.Cross, table.Number), centre(s.Gap, table.Signed))
	}
	if len(c.Scores[0].Values) < eval.LeastRuns {
		fmt.Fprintf(&b, "\nIntervals over runs take %d runs.\n", eval.LeastRuns)
	}
	return b.String()
}

func centre(c eval.Centre, number func(float64) string) string {
	if c.CI95 == nil {
		return number(c.Mean)
	}
	return fmt.Sprintf("%s [%s, %s]", number(c.Mean), number(c.CI95[0]), number(c.CI95[1]))
}
