// Command doccommands runs the commands that README.md and the other documents tell their reader to type.
//
//	go run ./tools/doccommands --parley ./parley           # runs them in scratch folders
//	go run ./tools/doccommands --list                      # only says what is done with each
//
// A command is a line of a fenced block without a language, or with sh, that begins with parley, go, make, python3, bash or echo, variables
// before it included. What is done with it stands in .ci/commands.txt; a command that no rule names is an error, and so is a rule that names no command.
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

	"parley/internal/turn"
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
	plan, err := planned()
	if err != nil {
		return err
	}
	if list {
		for _, j := range plan {
			fmt.Println(j)
		}
		return nil
	}
	return execute(plan, parley)
}

// planned is what is done with each command of the documents below the working directory.
func planned() ([]job, error) {
	commands, err := documented(".")
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(".ci/commands.txt")
	if err != nil {
		return nil, err
	}
	rules, err := parseRules(string(text))
	if err != nil {
		return nil, err
	}
	return match(commands, rules)
}

// execute runs the jobs of one document after another, each document's in a copy of the folder that the first jobs leave, and goes on after one that
// failed. CI on a landing runs those of README.md and of a sixth of the other documents ([turn.Has]).
func execute(plan []job, parley string) error {
	base, err := scratch(parley)
	defer os.RemoveAll(base)
	if err != nil {
		return err
	}
	var failed []error
	ran, dir, file := 0, base, ""
	for _, j := range plan {
		if !j.rule.runs() || j.rule.verb != "first" && j.command.file != "README.md" && !turn.Has(j.command.file) {
			continue
		}
		if j.rule.verb != "first" && j.command.file != file {
			file, dir = j.command.file, filepath.Join(base, "documents", fmt.Sprint(ran))
			if err := copyBase(dir, base); err != nil {
				return err
			}
		}
		ran++
		began := time.Now()
		out, err := j.execute(dir)
		fmt.Printf("%6.1f s  %s\n", time.Since(began).Seconds(), j)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w\n%s", j.command, err, out))
		}
	}
	fmt.Printf("%d commands ran, %d are left to other steps, another turn or their reader\n", ran, len(plan)-ran)
	return errors.Join(failed...)
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

// copyBase makes dir, with all that is in base but the folders of documents.
func copyBase(dir, base string) error {
	list, err := os.ReadDir(base)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, e := range list {
		if e.Name() == "documents" {
			continue
		}
		if err := exec.Command("cp", "-r", "-P", filepath.Join(base, e.Name()), dir).Run(); err != nil {
			return fmt.Errorf("copy %s: %w", e.Name(), err)
		}
	}
	return nil
}

// execute runs a command as a shell would, and compares its exit code. $REPOSITORY is where the documents are.
func (j job) execute(dir string) (output string, err error) {
	line := strings.ReplaceAll(j.command.text, "go run ./cmd/parley", "parley")
	if j.rule.more != "" {
		line = insert(line, j.rule.more)
	}
	repository, err := os.Getwd()
	if err != nil {
		return "", err
	}
	c := exec.Command("bash", "-o", "pipefail", "-c", line)
	c.Dir = dir
	c.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PARLEY_") }), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "REPOSITORY="+repository)
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
