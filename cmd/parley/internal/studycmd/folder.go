package studycmd

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/internal/folder"
	"parley/recipe"
	"parley/runs"
	"parley/runs/store"
	"parley/train/provenance"
	"parley/train/study"
)

// A studyFolder holds a study: a folder for each run, recipes/RUN.yaml that it was started with, logs/RUN.txt, and what came of it.
type studyFolder struct {
	dir   string
	study *study.Study
	plan  *study.Plan
	lock  *os.File
}

// folderOf is the folder of a study as a flag says it; empty: the one that the study has by itself.
func folderOf(dir string, s *study.Study, plan *study.Plan) *studyFolder {
	return &studyFolder{dir: cmp.Or(dir, filepath.Join(runs.Root(), "study-"+s.Name)), study: s, plan: plan}
}

// openFolder takes the folder of a study for this process. Runs of other recipes in it are refused.
func openFolder(dir string, s *study.Study, plan *study.Plan, l *recipe.Language) (*studyFolder, error) {
	f := folderOf(dir, s, plan)
	dir = f.dir
	if err := f.free(); err != nil {
		return nil, err
	}
	if err := f.same(l); err != nil {
		return nil, err
	}
	for _, sub := range []string{"recipes", "logs"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			return nil, err
		}
	}
	lock, err := folder.Lock(filepath.Join(dir, "lock"))
	if errors.Is(err, folder.ErrLocked) {
		return nil, fmt.Errorf("another parley works on the study in %s", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the study: %w", err)
	}
	f.lock = lock
	return f, folder.WriteFile(filepath.Join(dir, runs.StudyFile), s.YAML())
}

// Close gives the folder to other processes.
func (f *studyFolder) Close() error { return f.lock.Close() }

func (f *studyFolder) runDir(name string) string { return filepath.Join(f.dir, name) }

func (f *studyFolder) recipeFile(name string) string {
	return filepath.Join(f.dir, "recipes", name+".yaml")
}

// free refuses what is no folder of this study, but a file, a run or another study.
func (f *studyFolder) free() error {
	if info, err := os.Stat(f.dir); err == nil && !info.IsDir() {
		return cli.Usagef("%s is a file, and a study needs a folder: name another with --out", f.dir)
	}
	if _, err := runs.Read(f.dir); !errors.As(err, new(*runs.NotRunError)) {
		return cli.Usagef("%s is the folder of a run, and a study needs one of its own: name another with --out", f.dir)
	}
	data, err := os.ReadFile(filepath.Join(f.dir, runs.StudyFile))
	if name := study.NameIn(data); err == nil && name != "" && name != f.study.Name {
		return cli.Usagef("%s is the folder of the study %s, and this one is %s: name another with --out", f.dir, name, f.study.Name)
	}
	return nil
}

// same refuses a folder in which runs were begun with other recipes than the study has now: their numbers would stand beside those of others.
func (f *studyFolder) same(l *recipe.Language) error {
	var changed []string
	for _, run := range f.plan.Runs {
		if what := f.changed(l, run); what != "" {
			changed = append(changed, fmt.Sprintf("\n  %s: %s", run.Name, what))
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return cli.Usagef("the study has changed since these runs in %s were begun:%s\nname another folder with --out, or remove them with: parley run rm", f.dir, strings.Join(changed, ""))
}

// changed says what is another in a run's recipe than when the run was begun; empty: nothing, or it was never begun.
func (f *studyFolder) changed(l *recipe.Language, run study.Run) string {
	begun, err := f.begun(l, run.Name)
	switch {
	case err != nil:
		return "its recipe cannot be read any more"
	case begun == nil:
		return ""
	}
	if placed, err := begun.Moved(filepath.Join(f.runDir(run.Name), runs.MetaFile), provenance.Places(run.Recipe)); err == nil {
		begun = placed // files that were moved are compared by their content, where the run goes on
	}
	return provenance.RecipeChanged(begun, run.Recipe)
}

// begun is the recipe that a run was begun with, as the run has recorded it; nil: it was never begun. If the run's record is damaged, it is the
// recipe that the study wrote.
func (f *studyFolder) begun(l *recipe.Language, name string) (*recipe.Recipe, error) {
	meta, err := runs.Read(f.runDir(name))
	switch {
	case err == nil:
		return l.Parse(filepath.Join(f.runDir(name), runs.MetaFile), []byte(meta.Recipe), nil)
	case errors.As(err, new(*runs.NotRunError)):
		return nil, nil
	}
	r, err := l.Load(f.recipeFile(name), nil)
	if unknown := new(recipe.UnknownError); errors.As(err, &unknown) {
		return nil, nil
	}
	return r, err
}

// todo lists the runs that are not finished, or that have lost something: resuming them says what.
func (f *studyFolder) todo() (names []string, err error) {
	for _, run := range f.plan.Runs {
		s, err := runs.Summarise(f.runDir(run.Name))
		if none := new(runs.NotRunError); err != nil && !errors.As(err, &none) {
			return nil, fmt.Errorf("look at run %s: %w", run.Name, err)
		}
		if err == nil && s.State == runs.Finished {
			whole, err := f.whole(run.Name, s.Report.Updates)
			if err != nil {
				return nil, fmt.Errorf("look at run %s: %w", run.Name, err)
			}
			if whole {
				continue
			}
		}
		names = append(names, run.Name)
	}
	return names, nil
}

// whole says that a run has the lines of metrics.jsonl that it wrote in so many updates.
func (f *studyFolder) whole(name string, updates int) (bool, error) {
	books, err := runs.ReadBooks(f.runDir(name))
	if err != nil {
		return false, err
	}
	books.Episodes = func(int) (string, error) { return "", fs.ErrNotExist } // no number of a study comes out of them
	audit, err := store.Examine(books, store.Claim{Update: updates}, updates)
	if err != nil {
		return false, fmt.Errorf("compare metrics.jsonl with its checksums: %w", err)
	}
	return !slices.ContainsFunc(audit.Lost, func(l store.Loss) bool { return l.File == store.MetricsFile }), nil
}

// rows are the raw numbers of all runs that are finished, and of those that failed why. A run that cannot be read is one that failed.
func (f *studyFolder) rows(failed []failedJob) ([]study.Row, []failedJob) {
	why := map[string]string{}
	for _, x := range failed {
		why[x.Name] = brief(x.Err)
	}
	var rows []study.Row
	worked := f.worked()
	for _, run := range f.plan.Runs {
		row := study.Row{Cell: run.Cell, Seed: run.Seed, Failed: why[run.Name]}
		if row.Failed == "" {
			read, err := study.Read(f.runDir(run.Name), f.study, run)
			if err != nil {
				row.Failed, failed = brief(err), append(failed, failedJob{Name: run.Name, Err: err})
			} else {
				row = read
				row.Processors = math.Round(100*worked[run.Name]) / 100
			}
		}
		rows = append(rows, row)
	}
	return rows, failed
}

// write keeps the rows, the tables and the pictures.
func (f *studyFolder) write(r *study.Results, rows []study.Row) error {
	raw, err := study.Encode(rows)
	if err != nil {
		return err
	}
	files := []struct {
		name string
		data []byte
	}{
		{rowsFile, raw},
		{"table.txt", []byte(r.Text())},
		{"table.md", []byte(r.Markdown())},
		{"table.csv", r.CSV()},
		{"table.tex", []byte(r.LaTeX())},
	}
	for _, x := range files {
		if err := folder.WriteFile(filepath.Join(f.dir, x.name), x.data); err != nil {
			return err
		}
	}
	if len(r.Failed) == len(f.plan.Runs) || len(r.Lacking()) == len(f.study.AllMetrics()) {
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
func (f *studyFolder) draw(name string, picture func(file string) ([]byte, error)) error {
	data, err := picture(name)
	if err != nil || data == nil {
		return err
	}
	return folder.WriteFile(filepath.Join(f.dir, name), data)
}
