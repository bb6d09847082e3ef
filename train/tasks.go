package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/recipe"
	"parley/sandbox"
	"parley/task"
	"parley/task/code"
	"parley/task/duet"
	"parley/task/sums"
	"parley/task/tldr"
	"parley/task/words"
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
		out, err = openTLDR(t.Path, words.Scorer(t.Scorer))
	case "humaneval", "coophumaneval", "mbpp":
		out, err = openCode(t)
	case "gsm8k", "tinygsm", "svamp", "gsm-hard", "math", "nli":
		out, err = openLabelled(t)
	default:
		err = fmt.Errorf("task %q is not known: docs/recipes.md lists the tasks under task.name", t.Name)
	}
	var missing *sandbox.Unavailable
	if errors.As(err, &missing) {
		return nil, fmt.Errorf("open task: %w", err) // the machine's fault, not the recipe's
	}
	if err != nil {
		return nil, &UserError{fmt.Errorf("open task: %w", err)}
	}
	return out, nil
}

// openTLDR opens the files train and test of a folder (.jsonl or .jsonl.gz); without a folder, the sample.
func openTLDR(dir string, scorer words.Scorer) (task.Task, error) {
	o := tldr.Options{Scorer: scorer}
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

// openCode opens a code task with its sandboxes.
func openCode(t recipe.Task) (task.Task, error) {
	lab, err := code.OpenLab(context.Background(), 0)
	if err != nil {
		return nil, err
	}
	out, err := code.New(code.Options{Name: t.Name, File: t.Path, Scorer: words.Scorer(t.Scorer), Drop: t.Damaged == "drop", Lab: lab})
	if err != nil {
		return nil, errors.Join(err, lab.Close())
	}
	return out, nil
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
