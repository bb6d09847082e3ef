package studycmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/internal/atomicdir"
	"parley/internal/filelock"
	"parley/recipe"
	"parley/runs"
	"parley/study"
	"parley/study/queue"
	"parley/study/results"
	"parley/train/provenance"
)

// A folder holds a study: a folder for each run, recipes/RUN.yaml that it was started with, logs/RUN.txt, and what came of it.
type folder struct {
	dir   string
	study *study.Study
	plan  *study.Plan
	lock  *os.File
}

// openFolder takes the folder of a study for this process. Runs of other recipes in it are refused.
func openFolder(dir string, s *study.Study, plan *study.Plan, l *recipe.Language) (*folder, error) {
	if dir == "" {
		dir = filepath.Join(runs.Root(), "study-"+s.Name)
	}
	f := &folder{dir: dir, study: s, plan: plan}
	if err := f.same(l); err != nil {
		return nil, err
	}
	for _, sub := range []string{"recipes", "logs"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return nil, err
		}
	}
	lock, err := filelock.Take(filepath.Join(dir, "lock"))
	if errors.Is(err, filelock.ErrLocked) {
		return nil, fmt.Errorf("another parley works on the study in %s", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the study: %w", err)
	}
	f.lock = lock
	return f, atomicdir.File(filepath.Join(dir, "study.yaml"), s.YAML())
}

// Close gives the folder to other processes.
func (f *folder) Close() error { return f.lock.Close() }

func (f *folder) runDir(name string) string { return filepath.Join(f.dir, name) }

func (f *folder) recipeFile(name string) string {
	return filepath.Join(f.dir, "recipes", name+".yaml")
}

// same refuses a folder in which runs were begun with other recipes than the study has now: their numbers would stand beside those of others.
func (f *folder) same(l *recipe.Language) error {
	var changed []string
	for _, run := range f.plan.Runs {
		begun, err := l.Load(f.recipeFile(run.Name), nil)
		if _, none := os.Stat(f.runDir(run.Name)); errors.Is(none, os.ErrNotExist) || errors.Is(err, os.ErrNotExist) {
			continue
		}
		if unknown := new(recipe.UnknownError); errors.As(err, &unknown) {
			continue // the run was never begun
		}
		what := "its recipe cannot be read any more"
		if err == nil {
			what = provenance.RecipeChanged(begun, run.Recipe)
		}
		if what != "" {
			changed = append(changed, fmt.Sprintf("\n  %s: %s", run.Name, what))
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return cli.Usagef("the study has changed since these runs in %s were begun:%s\nname another folder with --out, or remove them with: parley run rm", f.dir, strings.Join(changed, ""))
}

// todo lists the runs that are not finished.
func (f *folder) todo() (names []string, err error) {
	for _, run := range f.plan.Runs {
		s, err := runs.Summarise(f.runDir(run.Name))
		if none := new(runs.NotRunError); err != nil && !errors.As(err, &none) {
			return nil, fmt.Errorf("look at run %s: %w", run.Name, err)
		}
		if err == nil && s.State == runs.Finished {
			continue
		}
		names = append(names, run.Name)
	}
	return names, nil
}

// rows are the raw numbers of all runs that are finished, and of those that failed why.
func (f *folder) rows(failed []queue.Failure) (rows []results.Row, err error) {
	why := map[string]string{}
	for _, x := range failed {
		why[x.Name], _, _ = strings.Cut(x.Err.Error(), "\n")
	}
	for _, run := range f.plan.Runs {
		row := results.Row{Cell: run.Cell, Seed: run.Seed, Failed: why[run.Name]}
		if row.Failed == "" {
			if row, err = results.Read(f.runDir(run.Name), f.study, run); err != nil {
				return nil, fmt.Errorf("read run %s: %w", run.Name, err)
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// write keeps the rows, the tables and the pictures.
func (f *folder) write(r *results.Results, rows []results.Row) error {
	raw, err := results.Encode(rows)
	if err != nil {
		return err
	}
	files := []struct {
		name string
		data []byte
	}{
		{"rows.jsonl", raw},
		{"table.txt", []byte(r.Text())},
		{"table.md", []byte(r.Markdown())},
		{"table.csv", r.CSV()},
		{"table.tex", []byte(r.LaTeX())},
	}
	for _, x := range files {
		if err := atomicdir.File(filepath.Join(f.dir, x.name), x.data); err != nil {
			return err
		}
	}
	if len(r.Failed) == len(f.plan.Runs) {
		return nil
	}
	for _, end := range []string{"png", "svg"} {
		if err := f.draw("study."+end, r.Picture); err != nil {
			return err
		}
		if err := f.draw("curves."+end, r.Curves); err != nil {
			return err
		}
	}
	return nil
}

// draw writes a picture, where there is one.
func (f *folder) draw(name string, picture func(file string) ([]byte, error)) error {
	data, err := picture(name)
	if err != nil || data == nil {
		return err
	}
	return atomicdir.File(filepath.Join(f.dir, name), data)
}
