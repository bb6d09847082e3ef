package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"parley/cmd/parley/internal/cli"
	"parley/cmd/parley/internal/datacmd"
	"parley/cmd/parley/internal/initcmd"
	"parley/cmd/parley/internal/modelcmd"
	"parley/cmd/parley/internal/recipecmd"
	"parley/cmd/parley/internal/runcmd"
	"parley/cmd/parley/internal/servecmd"
	"parley/cmd/parley/internal/studycmd"
	"parley/cmd/parley/internal/traincmd"
	"parley/recipe"
	"parley/recipe/keys"
	"parley/recipe/language"
)

// commands is the command line. Kong reads flags and help from the field tags.
type commands struct {
	Init     initcmd.Cmd       `cmd:"" help:"Write a commented recipe for your own data."`
	Train    traincmd.Train    `cmd:"" help:"Train a team and print what it gained."`
	Eval     traincmd.EvalCmd  `cmd:"" help:"Evaluate a trained run, or the untrained team of a recipe, with baselines."`
	Study    studycmd.Study    `cmd:"" help:"Answer a question with many runs: list, show and run studies."`
	Run      runcmd.Cmd        `cmd:"" help:"List, show, export and delete runs."`
	Recipe   recipecmd.Cmd     `cmd:"" help:"List, print and check recipes."`
	Harness  recipecmd.Harness `cmd:"" help:"Try the program in which a team works."`
	Reward   datacmd.Reward    `cmd:"" help:"Score responses with the reward of a task."`
	Model    modelcmd.Cmd      `cmd:"" help:"Download, inspect, run and measure base models."`
	Data     datacmd.Data      `cmd:"" help:"Download and prepare data sets."`
	Verifier datacmd.Verifier  `cmd:"" help:"Train and use a verifier that scores answers (MAPoRL)."`
	Chat     servecmd.Chat     `cmd:"" help:"Talk to a trained team or to a model."`
	Serve    servecmd.Serve    `cmd:"" help:"Serve trained teams and models behind OpenAI's protocol."`
	Cluster  traincmd.Cluster  `cmd:"" help:"Start and stop a training cluster, or write its files."`
	UI       servecmd.UI       `cmd:"" name:"ui" help:"Show runs in a browser, or write one as a file."`
	Game     gameCmd           `cmd:"" help:"Solve MAPoRL's collaboration game, or train tabular policies on matrix games."`
	Doctor   traincmd.Doctor   `cmd:"" help:"Check what works on this machine."`
	Version  versionCmd        `cmd:"" help:"Print the version, the commit and the Go version."`

	Completion completionCmd `cmd:"" help:"Print what lets a shell complete parley's words."`
}

const about = `parley trains teams of language models with multi-agent reinforcement learning. Start with

    parley train
    parley recipe list

Exit codes: 0 done; 1 the work failed; 2 the command line, a recipe or an input file is wrong, and nothing was started; 130 interrupted, and the state is saved.`

// run is the program: it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	a := &cli.App{Ctx: ctx, Stdin: stdin, Stdout: stdout, Stderr: stderr, Language: language.New()}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case earlyExit:
			code = int(p)
		default:
			fmt.Fprintf(stderr, "parley: internal error, which is a mistake in parley%s\n", cli.Kept(fmt.Sprintf("%v\n%s", p, debug.Stack())))
			code = cli.ExitFailed
		}
	}()
	parser, err := kong.New(&commands{}, kong.Name("parley"), kong.Description(about), kong.Writers(stdout, stderr),
		helpVars(a.Language), kong.Exit(func(code int) { panic(earlyExit(code)) }), kong.Bind(a),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}))
	if err != nil {
		fmt.Fprintln(stderr, "parley: internal error:", err)
		return cli.ExitFailed
	}
	parsed, err := parser.Parse(usual(args))
	if err != nil {
		a.Sayf("parley: %s\n", complaint(err))
		a.Sayf("`%s --help` shows what can be written here\n", helpFor(err))
		return cli.ExitUsage
	}
	return cli.Report(stderr, parsed.Run())
}

// usual puts what people type out of habit into parley's words: no word at all and `help` ask for help, --version for the version.
func usual(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(args[1:len(args):len(args)], "--help")
	case len(args) == 1 && args[0] == "--version":
		return []string{"version"}
	}
	return args
}

// helpVars are the words in help texts that the recipe language decides.
func helpVars(l *recipe.Language) kong.Vars {
	return kong.Vars{
		"default_recipe": recipe.DefaultName,
		"gamed_tasks":    strings.Join(datacmd.GamedTasks(l), ", "),
		"reward_tasks":   "A task (" + strings.Join(datacmd.TaskNames(l), ", ") + ") or a reward of your own (FILE.py, FILE.star, http://…, RECIPE.yaml)",
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
	return err.Error() + keyHint(err.Error())
}

// stray is a key of a recipe that was written as an argument or a flag of its own.
var stray = regexp.MustCompile(`^unexpected argument (([a-z_.]+)=[^ ,]*)|^unknown flag --([a-z_.-]+)`)

// keyHint says how a key of a recipe is changed, where somebody wrote one as other tools have it.
func keyHint(complaint string) string {
	m := stray.FindStringSubmatch(complaint)
	if m == nil {
		return ""
	}
	hint := keys.Written(strings.ReplaceAll(m[3], "-", "_") + m[1])
	if hint == "" && m[1] == "" && !strings.Contains(m[3], ".") {
		return ""
	}
	return "; write --set KEY=VALUE to change a key of a recipe" + hint
}

// helpFor names the command whose help answers a parse error.
func helpFor(err error) string {
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil && parse.Context.Selected() != nil {
		return parse.Context.Selected().FullPath()
	}
	return "parley"
}

// versionCmd is the verb version.
type versionCmd struct {
	JSON bool `name:"json" help:"Print one JSON object {\"version\",\"commit\",\"go\",\"api\"}."`
}

func (versionCmd) Help() string {
	return `Example:

    parley version --json

Exit codes: 0 printed.`
}

func (c *versionCmd) Run(a *cli.App) error {
	b := cli.ThisBuild()
	if c.JSON {
		return a.PrintJSON(b)
	}
	return a.Printf("parley %s\ncommit %s\n%s\n", b.Version, b.Commit, b.Go)
}
