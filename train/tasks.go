package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/internal/usererror"
	"parley/model"
	"parley/recipe"
	"parley/sandbox"
	"parley/task"
	"parley/task/arxiv"
	"parley/task/blocks"
	"parley/task/classeval"
	"parley/task/code"
	"parley/task/dataset"
	"parley/task/duet"
	"parley/task/sums"
	"parley/task/tldr"
)

// openTask returns the task that a recipe names, for a team of so many agents.
func openTask(t recipe.Task, agents int) (task.Task, error) {
	var out task.Task
	var err error
	switch t.Name {
	case "sums":
		out, err = sums.New(sums.Options{Steps: t.Steps, Most: t.MaxNumber, Bare: t.Style == "sum", Last: t.Answer == "last-number"})
	case "duet":
		out, err = duet.New(duet.Options{Steps: t.Steps})
	case "tldr":
		out, err = openTLDR(t.Path, task.RewardVariant(t.Scorer))
	case "arxiv":
		out, err = openArxiv(t)
	case "classeval":
		out, err = openClasses(t)
	case "strbuild":
		out = blocks.NewDrawings(agents)
	case "housebuild":
		out = blocks.NewHouses(agents)
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
		return nil, usererror.Errorf("open task: %w", err)
	}
	return out, nil
}

// openTLDR opens the files train and test of a folder (.jsonl or .jsonl.gz); without a folder, the sample.
func openTLDR(dir string, scorer task.RewardVariant) (task.Task, error) {
	o := tldr.Options{Scorer: scorer}
	if dir != "" {
		var err error
		if o.Train, o.Test, err = splitFiles(dir); err != nil {
			return nil, err
		}
	}
	return tldr.New(o)
}

// openArxiv opens the files of a folder as openTLDR does. There is no sample.
func openArxiv(t recipe.Task) (task.Task, error) {
	if t.Path == "" {
		return nil, errors.New("task arxiv needs task.path: a folder with train.jsonl and test.jsonl, records of abstract_text")
	}
	train, test, err := splitFiles(t.Path)
	if err != nil {
		return nil, err
	}
	era := arxiv.EraPaper
	if t.RewardVersion != "usual" {
		era = arxiv.Era(t.RewardVersion)
	}
	return arxiv.New(arxiv.Options{Train: train, Test: test, Era: era, Scorer: task.RewardVariant(t.Scorer)})
}

// openClasses opens ClassEval with its sandboxes, from a data set or from the binary.
func openClasses(t recipe.Task) (task.Task, error) {
	o := classeval.Options{Drop: t.BrokenItems == "drop"}
	if t.RewardVersion != "usual" {
		o.Generation = classeval.Generation(t.RewardVersion)
	}
	if t.Path != "" {
		set, err := dataset.Open(t.Path, model.CacheRoot())
		if err != nil {
			return nil, err
		}
		for _, f := range set.Files {
			if err := f.Each(func(_ int, data []byte) error {
				p, err := classeval.ReadProblem(data)
				o.Problems = append(o.Problems, p)
				return err
			}); err != nil {
				return nil, err
			}
		}
	}
	var err error
	if o.Lab, err = classeval.OpenLab(context.Background(), 0); err != nil {
		return nil, err
	}
	out, err := classeval.New(o)
	if err != nil {
		return nil, errors.Join(err, o.Lab.Close())
	}
	return out, nil
}

// openCode opens a code task with its sandboxes. A folder has the files train and test, as for openTLDR.
func openCode(t recipe.Task) (task.Task, error) {
	o := code.Options{Name: t.Name, File: t.Path, Scorer: task.RewardVariant(t.Scorer), Drop: t.BrokenItems == "drop"}
	if info, err := os.Stat(t.Path); err == nil && info.IsDir() {
		if o.Train, o.Test, err = splitFiles(t.Path); err != nil {
			return nil, err
		}
	}
	lab, err := code.OpenLab(context.Background(), 0)
	if err != nil {
		return nil, err
	}
	o.Lab = lab
	out, err := code.New(o)
	if err != nil {
		return nil, errors.Join(err, lab.Close())
	}
	return out, nil
}

// splitFiles finds the files train and test in a folder.
func splitFiles(dir string) (train, test string, err error) {
	if train, err = splitFile(dir, "train"); err == nil {
		test, err = splitFile(dir, "test")
	}
	return train, test, err
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
