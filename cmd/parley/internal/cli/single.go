package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"parley/internal/usererror"
	"parley/runs"
)

// FindOne is [FindRun] for a command that is about a single run: that a folder holds several is an error that names one of them. command is what the user has
// written up to the run.
func FindOne(name string, command ...string) (string, error) {
	dir, err := FindRun(name)
	if err != nil {
		return "", err
	}
	return dir, One(dir, command...)
}

// One refuses the folder of an experiment.
func One(dir string, command ...string) error {
	if names := runs.Inside(dir); len(names) > 0 {
		return several(runs.Experiment, dir, names, command...)
	}
	return nil
}

// several is the error for a folder of several runs.
func several(kind runs.Kind, dir string, names []string, command ...string) error {
	if len(command) == 0 {
		command = []string{"parley", "run", "show"}
	}
	count := fmt.Sprintf("%d runs", len(names))
	if len(names) == 1 {
		count = "1 run"
	}
	list := names
	const most = 6
	if len(list) > most {
		list = append(names[:most:most], "…")
	}
	again := usererror.Quote(append(command, filepath.Join(dir, names[0]))...)
	return Usagef("%s is %s of %s: %s; name one of them: %s", dir, map[runs.Kind]string{runs.Experiment: "an experiment", runs.Study: "a study"}[kind], count, strings.Join(list, ", "), again)
}
