package train

import (
	"fmt"
	"os"
	"path/filepath"

	"parley/recipe"
	"parley/task"
	"parley/task/duet"
	"parley/task/sums"
	"parley/task/tldr"
)

// openTask returns the task that a recipe names.
func openTask(t recipe.Task) (task.Task, error) {
	var out task.Task
	var err error
	switch t.Name {
	case "sums":
		out, err = sums.New(sums.Options{Steps: t.Steps, Most: t.Most, Bare: t.Form == "sum", Last: t.Answer == "last-number"})
	case "duet":
		out, err = duet.New(duet.Options{Steps: t.Steps})
	case "tldr":
		out, err = openTLDR(t.Path)
	default:
		err = fmt.Errorf("task %q is not known: write sums, duet or tldr", t.Name)
	}
	if err != nil {
		return nil, &UserError{fmt.Errorf("open task: %w", err)}
	}
	return out, nil
}

// openTLDR opens the files train and test of a folder (.jsonl or .jsonl.gz); without a folder, the sample.
func openTLDR(dir string) (task.Task, error) {
	var o tldr.Options
	if dir != "" {
		var err error
		if o.Train, err = splitFile(dir, "train"); err != nil {
			return nil, err
		}
		if o.Test, err = splitFile(dir, "test"); err != nil {
			return nil, err
		}
	}
	return tldr.New(o)
}

// splitFile finds the file of a split in a folder.
func splitFile(dir, split string) (string, error) {
	for _, ending := range []string{".jsonl", ".jsonl.gz"} {
		file := filepath.Join(dir, split+ending)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("task.path %s has neither %s.jsonl nor %s.jsonl.gz", dir, split, split)
}
