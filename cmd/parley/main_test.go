package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/rogpeppe/go-internal/testscript"

	"parley/cmd/parley/internal/cli"
	"parley/engine"
	"parley/engine/native"
	"parley/engine/tinker/tinkertest"
	"parley/internal/plotio"
	"parley/model"
	"parley/recipe"
	"parley/recipe/language"
	"parley/train"
)

func TestMain(m *testing.M) {
	plotio.DPI = 24 // what runs this short draw would take most of their time
	testscript.Main(m, map[string]func(){"parley": main})
}

// TestScripts runs what a user could type. json FILE [KEY] checks that FILE holds exactly one JSON value, with such a key;
// exits N CMD… runs a command and checks its exit code.
func TestScripts(t *testing.T) { runScripts(t, "testdata/script") }

func runScripts(t *testing.T, dir string) {
	repository, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PARLEY_RUNS", "")
			e.Setenv("PARLEY_CPU", "")
			e.Setenv("HF_HUB_CACHE", "")
			e.Setenv("REPOSITORY", repository)
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, ".config"))
			// Only parley: a machine without Python and without a sandbox.
			e.Setenv("BARE_PATH", filepath.SplitList(e.Getenv("PATH"))[0])
			port, err := freePort()
			e.Setenv("PORT", port)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"json": scriptJSON, "exits": scriptExits, "interrupts": scriptInterrupts, "unread": scriptUnread, "serves": scriptServes, "trains": scriptTrains},
	})
}

// freePort is a port of this machine at which nothing listens, for a server that a script starts.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// scriptTrains starts a server of the Tinker protocol at a port of this machine, which ends with the script.
func scriptTrains(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: trains PORT")
	}
	m, err := model.Open(model.Shipped)
	ts.Check(err)
	e, err := native.Open(m.Source, engine.Options{})
	ts.Check(err)
	l, err := net.Listen("tcp", "127.0.0.1:"+args[0])
	ts.Check(err)
	s := httptest.NewUnstartedServer(tinkertest.New(e, model.Shipped, ts.MkAbs("saved")))
	s.Listener = l
	s.Start()
	ts.Defer(func() { s.Close(); e.Close(); m.Close() })
}

func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: json FILE [KEY…]")
	}
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	var v any
	if err := dec.Decode(&v); err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
	if dec.More() {
		ts.Fatalf("%s holds more than one JSON value", args[0])
	}
	for _, key := range args[1:] {
		if object, ok := v.(map[string]any); !ok || object[key] == nil {
			ts.Fatalf("%s has no key %s", args[0], key)
		}
	}
}

func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND…")
	}
	wantCode(ts, args[0], ts.Exec(args[1], args[2:]...))
}

func wantCode(ts *testscript.TestScript, want string, err error) {
	var failed interface{ ExitCode() int }
	code := 0
	if errors.As(err, &failed) {
		code = failed.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(code) != want {
		ts.Fatalf("exit code %d, want %s", code, want)
	}
}

func scriptInterrupts(ts *testscript.TestScript, neg bool, args []string) {
	stop := os.Interrupt
	if len(args) > 0 && args[0] == "HUP" { // as when its terminal is closed: more than once
		stop, args = syscall.SIGHUP, args[1:]
	}
	heard := make(chan os.Signal, 1) // what the test ignores, since nohup started it, the command would ignore too
	signal.Notify(heard, stop)
	defer signal.Stop(heard)
	if neg || len(args) < 3 {
		ts.Fatalf("usage: interrupts [HUP] N FILE COMMAND…")
	}
	path, err := exec.LookPath(filepath.Join(ts.Getenv("BARE_PATH"), args[2]))
	ts.Check(err)
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(path, args[3:]...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), append(os.Environ(), "PARLEY_RUNS=")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	ts.Check(cmd.Start())
	for range 3000 {
		if _, err := os.Stat(ts.MkAbs(args[1])); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Check(cmd.Process.Signal(stop))
	if stop != os.Interrupt {
		_ = cmd.Process.Signal(stop) // it may have ended
	}
	err = cmd.Wait()
	ts.Check(os.WriteFile(ts.MkAbs("interrupted.out"), stdout.Bytes(), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs("interrupted.err"), stderr.Bytes(), 0o644))
	wantCode(ts, args[0], err)
}

// scriptUnread runs a command whose stderr nobody reads any more after its first byte.
func scriptUnread(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: unread N COMMAND…")
	}
	path, err := exec.LookPath(filepath.Join(ts.Getenv("BARE_PATH"), args[1]))
	ts.Check(err)
	cmd := exec.Command(path, args[2:]...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), append(os.Environ(), "PARLEY_RUNS=")
	said, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	_, err = said.Read(make([]byte, 1))
	ts.Check(errors.Join(err, said.Close()))
	wantCode(ts, args[0], cmd.Wait())
}

// TestExitCodes holds the code of every kind of error.
func TestExitCodes(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want int
	}{
		"none":           {nil, 0},
		"work failed":    {errors.New("disk full"), 1},
		"usage":          {cli.Usagef("no"), 2},
		"recipe":         {fmt.Errorf("load: %w", &recipe.Errors{List: []recipe.Error{{}}}), 2},
		"unknown recipe": {&recipe.UnknownError{Name: "x"}, 2},
		"user":           {fmt.Errorf("train: %w", &train.UserError{Err: errors.New("model")}), 2},
		"interrupted":    {fmt.Errorf("%w: saved", train.ErrInterrupted), 130},
		"cancelled":      {fmt.Errorf("load the model: %w", context.Canceled), 130},
	} {
		var stderr bytes.Buffer
		if got := cli.Report(&stderr, c.err); got != c.want {
			t.Errorf("%s: exit code %d, want %d", name, got, c.want)
		}
		if (c.err == nil) != (stderr.Len() == 0) || strings.Contains(stderr.String(), "context") {
			t.Errorf("%s: stderr %q", name, stderr.String())
		}
	}
}

// TestRoom: where limits leave too little to begin, one sentence says what to set.
func TestRoom(t *testing.T) {
	for left, refused := range map[float64]bool{-1: true, 10 << 20: true, 64 << 20: false, math.Inf(1): false} {
		var stderr bytes.Buffer
		if code := cli.Report(&stderr, room(left)); (code == cli.ExitFailed) != refused || refused != strings.Contains(stderr.String(), "key memory") || strings.Count(stderr.String(), "\n") > 1 {
			t.Errorf("%g bytes left: %d, %s", left, code, stderr.String())
		}
	}
}

// TestPrintText checks that what a model wrote cannot drive the terminal.
func TestPrintText(t *testing.T) {
	const said = "a\x1b[2Jé\r\x07\u009b\u202eb\x7f"
	const shown = `a\u001b[2Jé\u000d\u0007\u009b\u202eb\u007f`
	var out bytes.Buffer
	a := &cli.App{Stdout: &out}
	for way, print := range map[string]struct {
		print func() error
		want  string
	}{
		"text":   {func() error { return a.PrintText("a\tb\n" + said) }, "a\tb\n" + shown},
		"format": {func() error { return a.Printf("%s\n", said) }, shown + "\n"},
		"table":  {func() error { return a.Table(func(w io.Writer) { cli.Row(w, said, 1); cli.Row(w, "", 2) }) }, shown + "  1\n" + strings.Repeat(" ", len([]rune(shown))) + "  2\n"},
	} {
		out.Reset()
		if err := print.print(); err != nil || out.String() != print.want {
			t.Errorf("%s: printed %q, %v, want %q", way, out.String(), err, print.want)
		}
	}
	for way, print := range map[string]func() error{
		"JSON":       func() error { return a.PrintJSON([]string{said}) },
		"JSON lines": func() error { return cli.WriteLines(&out, [][]string{{said}}) },
	} {
		out.Reset()
		var same []string
		if err := print(); err != nil || strings.ContainsAny(out.String(), "\u202e\u009b\x7f\r\x1b") || json.Unmarshal(out.Bytes(), &same) != nil || same[0] != said {
			t.Errorf("%s: printed %q, %v", way, out.String(), err)
		}
	}
}

// TestHelp checks that the help of every verb has an example that can be typed, ends with what its exit codes mean, and is printed on
// stdout.
func TestHelp(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{}, helpVars(language.New()))
	if err != nil {
		t.Fatal(err)
	}
	for i, leaf := range parser.Model.Leaves(false) {
		if leaf.Help == "" {
			t.Errorf("%s has no help", leaf.FullPath())
		}
		if last := leaf.Detail[strings.LastIndex(leaf.Detail, "\n")+1:]; !strings.HasPrefix(last, "Exit codes: 0 ") {
			t.Errorf("%s: its help ends with %q, and not with exit codes", leaf.FullPath(), last)
		}
		checkExamples(t, parser, leaf)
		var stdout, stderr bytes.Buffer
		args := append(strings.Fields(leaf.FullPath())[1:], []string{"--help", "-h"}[i%2])
		if code := run(context.Background(), args, os.Stdin, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
			t.Errorf("%s: exit code %d, %s", args, code, stderr.String())
		}
		if !strings.Contains(stdout.String(), "Usage: parley") {
			t.Errorf("%s --help prints %q", leaf.FullPath(), stdout.String())
		}
	}
}

// An example is an indented line that calls parley; what a shell makes of redirections is left out, but comments.
var example = regexp.MustCompile(`(?m)^    (?:.*\| )?parley ([^#>\n]*)`)

// typed are the words of a command, of which one in quotes may have spaces.
func typed(command string) []string {
	words := regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(command, -1)
	for i, w := range words {
		words[i] = strings.Trim(w, `"`)
	}
	return words
}

// checkExamples parses the commands in the help of a verb. One of them must call it.
func checkExamples(t *testing.T, parser *kong.Kong, leaf *kong.Node) {
	t.Helper()
	own := false
	for _, m := range example.FindAllStringSubmatch(leaf.Detail, -1) {
		parsed, err := parser.Parse(typed(m[1]))
		if err != nil {
			t.Errorf("%s: its help has the example %q: %v", leaf.FullPath(), m[1], err)
			continue
		}
		own = own || parsed.Selected() == leaf
	}
	if !own {
		t.Errorf("%s: its help has no example of it", leaf.FullPath())
	}
}
