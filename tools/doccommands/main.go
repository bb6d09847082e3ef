// Command doccommands runs the commands that README.md and the other documents tell a reader to type.
//
//	go run ./tools/doccommands --parley ./parley           # runs them in a scratch folder, in the order of the documents
//	go run ./tools/doccommands --list                      # only says what is done with each
//
// A command is a line of a fenced block without a language, or with sh, that begins with parley, go, make, python3 or bash, variables before it
// included. What is done with it stands in .ci/commands.txt; a command that no rule names is an error, and so is a rule that names no command.
// Files that commands read are in .ci/commands.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	parley := flag.String("parley", "", "the program; it stands for `go run ./cmd/parley` too")
	list := flag.Bool("list", false, "run nothing")
	flag.Parse()
	if err := run(*parley, *list); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(parley string, list bool) error {
	commands, err := documented(".")
	if err != nil {
		return err
	}
	text, err := os.ReadFile(".ci/commands.txt")
	if err != nil {
		return err
	}
	rules, err := parseRules(string(text))
	if err != nil {
		return err
	}
	plan, err := match(commands, rules)
	if err != nil {
		return err
	}
	if list {
		for _, j := range plan {
			fmt.Println(j)
		}
		return nil
	}
	dir, err := scratch(parley)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return execute(plan, dir)
}

// scratch makes a folder with what commands read, and with the program in bin.
func scratch(parley string) (string, error) {
	program, err := filepath.Abs(parley)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "commands")
	if err != nil {
		return "", err
	}
	return dir, errors.Join(os.CopyFS(dir, os.DirFS(".ci/commands")), os.Mkdir(filepath.Join(dir, "bin"), 0o755), os.Symlink(program, filepath.Join(dir, "bin", "parley")))
}

// execute runs the jobs one after another and goes on after one that failed.
func execute(plan []job, dir string) error {
	var failed []error
	ran := 0
	for _, j := range plan {
		if !j.rule.runs() {
			continue
		}
		ran++
		began := time.Now()
		out, err := j.execute(dir)
		fmt.Printf("%6.1f s  %s\n", time.Since(began).Seconds(), j)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w\n%s", j.command, err, out))
		}
	}
	fmt.Printf("%d commands ran, %d are left to other steps or to their reader\n", ran, len(plan)-ran)
	return errors.Join(failed...)
}

// execute runs a command as a shell would, and compares its exit code.
func (j job) execute(dir string) (output string, err error) {
	line := strings.ReplaceAll(j.command.text, "go run ./cmd/parley", "parley")
	if j.rule.more != "" {
		line = insert(line, j.rule.more)
	}
	c := exec.Command("bash", "-o", "pipefail", "-c", line)
	c.Dir = dir
	c.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PARLEY_") }), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	data, err := c.CombinedOutput()
	code := c.ProcessState.ExitCode()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return "", err
	}
	if code != j.rule.code {
		return string(data), fmt.Errorf("exit code %d, should be %d", code, j.rule.code)
	}
	return "", nil
}

// insert puts more arguments behind the command's own, before what a shell reads.
func insert(line, more string) string {
	end := len(line)
	for _, stop := range []string{" > ", " | ", " < "} {
		if at := strings.Index(line, stop); at >= 0 {
			end = min(end, at)
		}
	}
	return line[:end] + " " + more + line[end:]
}
