package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"parley/recipe"
	"parley/recipe/language"
	"parley/train"
)

// Exit codes, as the contract has them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// An app is what a verb may use of the world.
type app struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
	language       *recipe.Language // of recipes
}

// commands is the command line. Kong reads flags and help from the field tags.
type commands struct {
	Train    trainCmd    `cmd:"" help:"Train a team and print what it gained."`
	Eval     evalCmd     `cmd:"" help:"Evaluate a trained run, or the untrained team of a recipe, with baselines."`
	Run      runCmd      `cmd:"" help:"List, show, export and delete runs."`
	Recipe   recipeCmd   `cmd:"" help:"List, print and check recipes."`
	Reward   rewardCmd   `cmd:"" help:"Score responses with the reward of a task."`
	Model    modelCmd    `cmd:"" help:"Download, inspect, run and measure base models."`
	Data     dataCmd     `cmd:"" help:"Download and prepare data sets."`
	Verifier verifierCmd `cmd:"" help:"Train and use a verifier that scores answers (MAPoRL)."`
	Chat     chatCmd     `cmd:"" help:"Talk to a trained team or to a model."`
	Game     gameCmd     `cmd:"" help:"Solve MAPoRL's collaboration game, or train tabular policies on matrix games."`
	Doctor   doctorCmd   `cmd:"" help:"Check what works on this machine."`
	Version  versionCmd  `cmd:"" help:"Print the version, the commit and the Go version."`
}

const about = `parley trains teams of language models with multi-agent reinforcement learning. Start with

    parley train
    parley recipe list

Exit codes: 0 done; 1 the work failed; 2 the command line, a recipe or an input file is wrong, and nothing was started; 130 interrupted, and the state is saved.`

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	a := &app{ctx, stdin, stdout, stderr, language.New()}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case earlyExit:
			code = int(p)
		default:
			fmt.Fprintf(stderr, "parley: internal error: %v\n%s", p, debug.Stack())
			code = exitFailed
		}
	}()
	parser, err := kong.New(&commands{}, kong.Name("parley"), kong.Description(about), kong.Writers(stdout, stderr),
		helpVars(a.language), kong.Exit(func(code int) { panic(earlyExit(code)) }), kong.Bind(a),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}))
	if err != nil {
		fmt.Fprintln(stderr, "parley: internal error:", err)
		return exitFailed
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "parley: %s\n", complaint(err))
		fmt.Fprintf(stderr, "`%s --help` shows what can be written here\n", helpFor(err))
		return exitUsage
	}
	return report(stderr, parsed.Run())
}

// helpVars are the words in help texts that the recipe language decides.
func helpVars(l *recipe.Language) kong.Vars {
	return kong.Vars{
		"default_recipe": recipe.DefaultName,
		"gamed_tasks":    strings.Join(gamedTasks(l), ", "),
		"reward_tasks":   "A task (" + strings.Join(taskNames(l), ", ") + ") or a reward of your own (FILE.py, FILE.star, http://…, RECIPE.yaml)",
	}
}

// earlyExit ends run from inside the parser, after it has printed help.
type earlyExit int

// complaint is what a parse error says, but for a flag without its value: there the parser speaks of tokens.
func complaint(err error) string {
	flag, rest, _ := strings.Cut(err.Error(), ": ")
	if strings.HasSuffix(rest, `"EOL" (<EOL>)`) || strings.HasPrefix(rest, "missing value") {
		return flag + " needs a value"
	}
	return err.Error()
}

// helpFor names the command whose help answers a parse error.
func helpFor(err error) string {
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil && parse.Context.Selected() != nil {
		return parse.Context.Selected().FullPath()
	}
	return "parley"
}

// report prints an error for people and returns its exit code.
func report(stderr io.Writer, err error) int {
	if err == nil {
		return exitDone
	}
	var shown *shownError
	if !errors.As(err, &shown) {
		fmt.Fprintf(stderr, "parley: %s\n", strings.TrimRight(err.Error(), "\n"))
	}
	return exitCode(err)
}

func exitCode(err error) int {
	var (
		user    *train.UserError
		usage   *usageError
		list    *recipe.Errors
		unknown *recipe.UnknownError
	)
	switch {
	case errors.Is(err, train.ErrInterrupted), errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage), errors.As(err, &user), errors.As(err, &list), errors.As(err, &unknown):
		return exitUsage
	}
	return exitFailed
}

// A usageError is a mistake on the command line that the parser cannot know.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// A shownError has been reported on stdout already; only its exit code counts.
type shownError struct{ error }

func (e *shownError) Unwrap() error { return e.error }
