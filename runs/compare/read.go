package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/internal/usererror"
	"parley/rl/eval"
	"parley/runs"
)

// one is a single finished run.
type one struct {
	dir    string
	label  string // what it is called together with its other seeds
	recipe string // in full, without its seed
	report runs.Report
	system string
	scores []float64 // of the system's last turn, a problem each

	measure  eval.Measure      // of scores
	accuracy []float64         // of the same answers; nil: scores are, or nobody knows
	passAt   map[int][]float64 // pass@k of each problem, by k
	truths   string            // of the problems, where answers have one

	missing []int // numbers of the problems that could not be scored
}

// folder is the last part of the run's path.
func (o *one) folder() string { return filepath.Base(filepath.Clean(o.dir)) }

// read opens runs, and those that experiments are made of.
func read(dirs []string, system string) ([]*one, error) {
	var all []*one
	for _, dir := range dirs {
		report, err := reportOf(dir)
		if err != nil {
			return nil, err
		}
		inner := []string{dir}
		if len(report.Runs) > 0 {
			inner = inner[:0]
			for _, name := range report.Runs {
				inner = append(inner, filepath.Join(dir, name))
			}
		}
		for _, d := range inner {
			r, err := open(d, system)
			if err != nil {
				return nil, err
			}
			if len(report.Runs) > 0 {
				r.label = labelIn(dir, r, len(dirs) > 1)
			}
			all = append(all, r)
		}
	}
	return all, nil
}

func reportOf(dir string) (runs.Report, error) {
	report, err := runs.ReadReport(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return report, refuse("%s has no report yet: it is not trained to the end; %s", dir, usererror.Train("--resume", dir))
	}
	return report, err
}

// labelIn names a run of an experiment by its variant; with the experiment before it where others are compared too.
func labelIn(experiment string, r *one, others bool) string {
	folder := seeded.ReplaceAllString(filepath.Base(filepath.Clean(experiment)), "")
	variant := strings.TrimPrefix(seeded.ReplaceAllString("-"+r.folder(), ""), "-")
	switch {
	case variant == "":
		return folder
	case others:
		return folder + "/" + variant
	}
	return variant
}

// seeded is the end of the name of a run's folder.
var seeded = regexp.MustCompile(`-s\d+(-\d+)?$`)

// open reads one run and the scores of its system.
func open(dir, system string) (*one, error) {
	meta, err := runs.Read(dir)
	if err != nil {
		return nil, err
	}
	report, err := reportOf(dir)
	if err != nil {
		return nil, err
	}
	r := &one{dir: dir, recipe: withoutSeed(meta.Recipe), report: report, system: system}
	r.label = seeded.ReplaceAllString(r.folder(), "")
	if r.system == "" {
		r.system = runs.OffTheShelf
		if _, trained := report.Row(runs.Trained); trained {
			r.system = runs.Trained
		}
	}
	return r, r.read()
}

// withoutSeed is a recipe without the line that says its seed.
func withoutSeed(recipe string) string {
	lines := strings.Split(recipe, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "seed:") }), "\n")
}

// read takes the scores from the measurement of the system that is the newest.
func (o *one) read() error {
	row, measured := o.report.Row(o.system)
	if !measured {
		return refuse("%s has not measured %s; it has %s", o.dir, o.system, strings.Join(systems(o.report), ", "))
	}
	if o.measure, measured = o.report.MeasuredBy(); !measured {
		return refuse("%s was measured by an earlier release, which did not record by what: its rows may be of two measures; measure it again with `%s`", o.dir, runs.Again(o.dir))
	}
	file, err := newest(o.dir, o.system)
	if err != nil || file == "" {
		return fmt.Errorf("%s: its folder evaluation has no scores of %s, %w", o.dir, o.system, errors.Join(err, fs.ErrNotExist))
	}
	var m struct {
		Measure  eval.Measure
		Scores   [][]float64
		Accuracy [][]float64
		Debates  []struct{ Truth string }
		Missing  []struct{ Number int }
	}
	if err := readFile(file, &m); err != nil {
		return err
	}
	if m.Measure != o.measure && m.Measure != (eval.Measure{}) {
		return fmt.Errorf("read %s: its scores are %v, those of the report %v: one of both was changed", file, m.Measure, o.measure)
	}
	if n := len(m.Accuracy); n > 0 && len(m.Accuracy[n-1])+len(m.Missing) == o.report.Problems {
		o.accuracy = m.Accuracy[n-1]
	}
	if len(m.Scores) == 0 || len(m.Scores[len(m.Scores)-1])+len(m.Missing) != o.report.Problems {
		return fmt.Errorf("read %s: it does not have one score for each of the %d problems of the report", file, o.report.Problems)
	}
	for _, x := range m.Missing {
		if x.Number < 0 || x.Number >= o.report.Problems || slices.Contains(o.missing, x.Number) {
			return fmt.Errorf("read %s: problem %d of %d is missing, or more than once", file, x.Number, o.report.Problems)
		}
		o.missing = append(o.missing, x.Number)
	}
	o.scores = m.Scores[len(m.Scores)-1]
	sum := 0.0
	for _, s := range o.scores {
		sum += s
	}
	if math.Abs(sum/float64(len(o.scores))-row.Score) > 1e-9 {
		return fmt.Errorf("read %s: its scores have the mean %v, the report says %v: one of both was changed", file, sum/float64(len(o.scores)), row.Score)
	}
	for _, d := range m.Debates {
		o.truths += d.Truth + "\n"
	}
	return o.readSamples()
}

// newest is the last file of the evaluation folder with the measurement of a system; empty: there is none.
func newest(dir, system string) (string, error) {
	files, err := filepath.Glob(filepath.Join(escaped(dir), "evaluation", system+"-[0-9][0-9][0-9][0-9][0-9][0-9].json"))
	if err != nil || len(files) == 0 {
		return "", err
	}
	return slices.Max(files), nil
}

func readFile(file string, to any) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read scores: %w", err)
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	return nil
}

func systems(r runs.Report) []string {
	var out []string
	for _, row := range r.Rows {
		out = append(out, row.System)
	}
	return out
}

// escaped is a path in which a pattern's letters stand for themselves.
func escaped(path string) string {
	return strings.NewReplacer(`[`, `\[`, `*`, `\*`, `?`, `\?`).Replace(path)
}
