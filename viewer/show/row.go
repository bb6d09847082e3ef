// Package show is what the pages about runs show: the list, one run, its curves, its recipe, its timeline, and several runs beside each other.
//
//	row.go       a run in the list
//	detail.go    one run
//	metrics.go   its curves
//	names.go     what curves are called, their units, and what they mean
//	recipe.go    its recipe, and how it differs from its preset
//	timeline.go  where its time went
//	costs.go     what each agent costs
//	compare.go   runs beside each other
//	notes.go     tags and notes, which lie beside the runs
//
// Everything is read from run folders, without locks and without following links. What a run lacks, because it is young, old or damaged,
// is absent; only where nothing can be shown there is an error.
package show

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley/internal/folder"
	"parley/rl/rollout"
	"parley/runs"
	"parley/runs/scalars"
	"parley/train/record"
	"parley/viewer/episodes"
)

// A Row is one run in the list.
type Row struct {
	ID         string      `json:"id"` // its path below the runs folder
	Name       string      `json:"name"`
	State      runs.State  `json:"state"`
	Problem    string      `json:"problem,omitempty"`
	Recipe     string      `json:"recipe"`
	Task       string      `json:"task"`
	Algorithm  string      `json:"algorithm"`
	Model      string      `json:"model"`
	Seed       int         `json:"seed"`
	Created    string      `json:"created"`
	Updates    int         `json:"updates"`
	Planned    *int        `json:"updates_planned"`          // absent where nobody knows: of an experiment, and of a run that ends with its tokens
	Tokens     *int        `json:"tokens_planned,omitempty"` // after which training ends
	Runs       int         `json:"runs,omitempty"`           // of an experiment
	Checkpoint int         `json:"checkpoint"`
	Agents     []string    `json:"agents"`
	Team       []Edge      `json:"team"`
	Score      *float64    `json:"score"`
	CI95       *[2]float64 `json:"ci95"`
	Metric     string      `json:"metric"`
	Before     *float64    `json:"before"`
	Gain       *float64    `json:"gain"`
	GainCI95   *[2]float64 `json:"gain_ci95,omitempty"`
	Spark      []float64   `json:"spark"` // mean reward over the updates
	Parent     string      `json:"parent,omitempty"`
	Tags       []string    `json:"tags"`
	Note       string      `json:"note"`
}

// An Edge says that one agent reads what another one said.
type Edge struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// A Root is a folder of runs.
type Root struct {
	Dir string

	mu      sync.Mutex
	rows    map[string]known // by id
	numbers scalars.Kept
	recipes record.KeptRecipes
	last    lastCompared
	reading sync.Mutex // of rows: a page asks for several parts of a run at a time, and one reading is enough for all
	writing sync.Mutex // of notes
}

// known is a row with what it was made of, so that a run that did not change is not read again.
type known struct {
	stamp string
	row   Row
	team  string // the stamp of what its team was drawn from
}

// Open looks at a folder of runs, or at one run: then at the folder that it lies in. It reads nothing.
func Open(dir string) *Root {
	return &Root{Dir: dir, rows: map[string]known{}}
}

// Path is the folder of a run. An id that leads out of the runs folder, over a link, or to what a run keeps for itself, has none.
func (r *Root) Path(id string) (string, error) {
	none := &runs.NotRunError{Dir: id}
	if id == "" || id != path.Clean(id) || !filepath.IsLocal(filepath.FromSlash(id)) || strings.Contains(id, `\`) || own(path.Base(id)) && id != path.Base(id) {
		return "", none
	}
	f, err := folder.Open(r.Dir)
	if err != nil {
		return "", none
	}
	defer f.Close()
	if info, err := f.Stat(id); err != nil || !info.IsDir() {
		return "", none
	}
	return filepath.Join(r.Dir, filepath.FromSlash(id)), nil
}

// own says whether a folder in a run is the run's own: checkpoints hold a copy of run.json, and are no run.
func own(name string) bool { return name == "checkpoints" || name == "episodes" }

// Rows are all runs, newest first, those of experiments and studies too.
func (r *Root) Rows() ([]Row, error) {
	entries, err := os.ReadDir(r.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return []Row{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	notes := r.notes()
	out := []Row{}
	for _, e := range entries {
		if !e.IsDir() {
			continue // nor links
		}
		row, err := r.row(e.Name())
		if err != nil && !runs.IsStudy(filepath.Join(r.Dir, e.Name())) {
			continue // no run
		}
		if err == nil {
			out = append(out, notes.on(row))
		}
		for _, inner := range r.inside(e.Name()) {
			out = append(out, notes.on(inner))
		}
	}
	slices.SortStableFunc(out, func(a, b Row) int { return cmp.Compare(b.Created, a.Created) })
	return out, nil
}

// Studies are the folders of studies, by name.
func (r *Root) Studies() ([]string, error) {
	entries, err := os.ReadDir(r.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("list studies: %w", err)
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() && runs.IsStudy(filepath.Join(r.Dir, e.Name())) {
			out = append(out, e.Name())
		}
	}
	return out, nil
}

// Row is one run.
func (r *Root) Row(id string) (Row, error) {
	row, err := r.row(id)
	return r.notes().on(row), err
}

// inside are the runs in the folder of a run that has no updates of its own: an experiment's.
func (r *Root) inside(id string) (out []Row) {
	dir := filepath.Join(r.Dir, filepath.FromSlash(id))
	if _, err := os.Lstat(filepath.Join(dir, "metrics.jsonl")); err == nil {
		return nil
	}
	entries, _ := os.ReadDir(dir) // a folder that is gone has none
	for _, e := range entries {
		if e.IsDir() && !own(e.Name()) {
			if row, err := r.row(id + "/" + e.Name()); err == nil {
				row.Parent = id
				out = append(out, row)
			}
		}
	}
	return out
}

// stamp changes when something of a run does that its row shows.
func stamp(dir string) string {
	return stampOf(dir, "run.json", "metrics.jsonl", "report.json", "failure.json", "checkpoints", "adapters") + fmt.Sprint(runs.Locked(dir))
}

// stampOf changes when one of these does.
func stampOf(dir string, names ...string) string {
	var b strings.Builder
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			fmt.Fprintf(&b, "%s %d %d;", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}

func (r *Root) row(id string) (Row, error) {
	dir, err := r.Path(id)
	if err != nil {
		return Row{}, err
	}
	now := stamp(dir)
	if row, ok := r.kept(id, now); ok {
		return row, nil
	}
	r.reading.Lock()
	defer r.reading.Unlock()
	if row, ok := r.kept(id, now); ok {
		return row, nil
	}
	r.mu.Lock()
	before := r.rows[id]
	r.mu.Unlock()
	row, err := r.read(dir, id)
	if err != nil {
		return Row{}, err
	}
	team := stampOf(dir, "run.json", runs.EpisodeFile(1))
	if row.Team = before.row.Team; team != before.team || row.Team == nil {
		row.Team = edges(dir)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows[id] = known{now, row, team}
	return row, nil
}

// kept is the row of a run as it was read before, if the run did not change.
func (r *Root) kept(id, stamp string) (Row, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, ok := r.rows[id]
	return k.row, ok && k.stamp == stamp
}

// read makes the row of a run.
func (r *Root) read(dir, id string) (Row, error) {
	s, err := runs.SummariseBy(dir, r.updated)
	if err != nil {
		return Row{}, err
	}
	row := Row{
		ID: id, Name: path.Base(id), State: s.State, Problem: s.Problem, Recipe: s.Recipe, Seed: s.Seed, Created: s.Created, Updates: s.Updates,
		Checkpoint: s.Checkpoint, Agents: []string{}, Team: []Edge{}, Tags: []string{},
	}
	r.numbers.Of(dir, func(of *scalars.Run) { row.Spark = spark(&of.Metrics) }) // what is damaged, the state says
	if meta, err := runs.Read(dir); err == nil {
		row.Task, row.Model = meta.Task, meta.Base
		if f, err := r.recipes.Of(meta.Recipe); err == nil {
			row.describe(meta, f)
		}
	}
	if row.Runs = len(runs.Inside(dir)); row.Runs > 0 {
		row.Planned, row.Tokens = nil, nil // each of its runs has a number of its own
	}
	if report, err := runs.ReadReport(dir); err == nil {
		row.result(&report)
	}
	return row, nil
}

// updated is the update of the last line of metrics.jsonl.
func (r *Root) updated(dir string) (update int, err error) {
	r.numbers.Of(dir, func(of *scalars.Run) {
		if update = of.Metrics.Last(); !errors.As(of.Metrics.Damaged, new(*scalars.CutError)) {
			err = of.Metrics.Damaged
		}
	})
	return update, err
}

func (row *Row) describe(meta runs.Meta, r *record.FlatRecipe) {
	row.Algorithm, row.Agents = r.Text("algorithm"), r.Agents()
	if n := int(r.Number("training.updates", 0)); n > 0 {
		row.Planned = &n
	}
	if n := int(r.Number("training.tokens", 0)); n > 0 { // then training.updates is a bound that is not meant to be reached
		row.Planned, row.Tokens = nil, &n
	}
	if meta.MaxUpdates != nil {
		row.Planned = meta.MaxUpdates
	}
	if row.Model == "" {
		row.Model = r.Text("model")
	}
}

func (row *Row) result(r *runs.Report) {
	row.Metric = r.Metric
	of, ok := r.Row(runs.Trained)
	if before, measured := r.Row(runs.OffTheShelf); measured {
		row.Before = &before.Score
		if !ok {
			of, ok = before, true
		} else {
			row.Gain = &r.Gain
			if paired := gainOf(r); paired != nil {
				row.Gain, row.GainCI95 = &paired.Difference, &paired.CI95
			}
		}
	}
	if ok {
		row.Score, row.CI95 = &of.Score, &of.CI95
	}
}

// gainOf is what training gained on the same problems, where the report has compared the two; nil: it has not.
func gainOf(r *runs.Report) *runs.Comparison {
	for i, c := range r.Comparisons {
		if c.System == runs.Trained && c.Against == runs.OffTheShelf {
			return &r.Comparisons[i]
		}
	}
	return nil
}

// mostSpark is how many points the small curve of a list has.
const mostSpark = 40

// spark is the mean reward over the updates, of so many points at most.
func spark(c *scalars.Columns) []float64 {
	names := slices.DeleteFunc(slices.Clone(c.Names), func(name string) bool {
		part, ok := strings.CutPrefix(name, "reward/")
		return !ok || strings.Contains(part, "/")
	})
	var all []float64
	for row := range c.Updates {
		sum, n := 0.0, 0.0
		for _, name := range names {
			if x := c.At(name, row); x != nil {
				sum, n = sum+*x, n+1
			}
		}
		if n > 0 {
			all = append(all, sum/n)
		}
	}
	if len(all) <= mostSpark {
		return append([]float64{}, all...)
	}
	out := make([]float64, mostSpark)
	for i := range out {
		part := all[i*len(all)/mostSpark : (i+1)*len(all)/mostSpark]
		for _, x := range part {
			out[i] += x / float64(len(part))
		}
	}
	return out
}

// errFirst ends the reading of episodes behind the first.
var errFirst = errors.New("the first is enough")

// edges say who reads whom, as the first episode of the run shows it.
func edges(dir string) []Edge {
	out := []Edge{}
	err := runs.ReadEpisodes(dir, 1, func(line []byte) error {
		e, err := rollout.ReadEpisode(line)
		if err != nil {
			return err
		}
		shown := episodes.Show(e, episodes.Neighbours{}, nil, episodes.Team{})
		for _, n := range shown.Nodes {
			for _, c := range n.Cells {
				for _, s := range c.Saw {
					if edge := (Edge{s.Agent, c.Agent}); !slices.Contains(out, edge) {
						out = append(out, edge)
					}
				}
			}
		}
		return errFirst
	})
	if err != nil && !errors.Is(err, errFirst) && !errors.Is(err, fs.ErrNotExist) {
		return []Edge{} // damaged: there is no picture
	}
	return out
}
