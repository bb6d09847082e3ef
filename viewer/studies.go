package viewer

import (
	"net/http"
	"path/filepath"

	"parley/internal/folder"
	"parley/recipe"
	"parley/runs"
	"parley/train/study"
	"parley/viewer/show"
)

// A studyPage is a study with what came of it so far.
type studyPage struct {
	ID         string         `json:"id"`
	Problem    string         `json:"problem,omitempty"` // why it cannot be read; then only its runs are known
	Runs       int            `json:"runs"`              // that it asks for
	Dimensions []string       `json:"dimensions"`        // in which its cells differ
	Metrics    []string       `json:"metrics"`
	Cells      []studyCell    `json:"cells"`
	Results    *study.Results `json:"results"`
}

// A studyCell is one combination of levels, with the runs of its seeds.
type studyCell struct {
	Name   string     `json:"name"`
	Levels []string   `json:"levels"` // by dimension
	Runs   []studyRun `json:"runs"`
}

// A studyRun is one seed of a cell. Its state is empty before it begins.
type studyRun struct {
	ID    string     `json:"id"`
	Seed  int        `json:"seed"`
	State runs.State `json:"state"`
}

// studies lists those of the folder.
func (s *Server) studies(*http.Request) (any, error) {
	ids, err := s.root.Studies()
	if err != nil {
		return nil, err
	}
	out := make([]studyPage, len(ids))
	for i, id := range ids {
		out[i] = readStudy(s.root, id, s.options.Language)
		for k := range out[i].Cells {
			out[i].Cells[k].Runs = nil // of a list, how many are done says enough
		}
	}
	return map[string]any{"studies": out}, nil
}

func (s *Server) study(r *http.Request) (any, error) {
	id := r.PathValue("id")
	if dir, err := s.root.Path(id); err != nil || !runs.IsStudy(dir) {
		return nil, &runs.NotRunError{Dir: id}
	}
	return readStudy(s.root, id, s.options.Language), nil
}

// readStudy puts together what came of a study: its rows are read from the folders of its runs, so that one that still runs shows what is there.
func readStudy(root *show.Root, id string, l *recipe.Language) studyPage {
	dir := filepath.Join(root.Dir, filepath.FromSlash(id))
	page := studyPage{ID: id, Dimensions: []string{}, Metrics: []string{}, Cells: []studyCell{}}
	data, err := folder.ReadFile(dir, runs.StudyFile)
	if err != nil {
		page.Problem = err.Error()
		return page
	}
	s, plan, err := study.Outline(l, dir, data)
	if err != nil {
		page.Problem = err.Error()
		return page
	}
	page.Runs, page.Metrics = len(plan.Runs), s.AllMetrics()
	var rows []study.Row
	states := map[string]runs.State{}
	for _, run := range plan.Runs {
		if one, err := root.Row(id + "/" + run.Name); err == nil {
			states[run.Name] = one.State
		}
		if row, err := study.Read(filepath.Join(dir, run.Name), s, run); err == nil && states[run.Name] == runs.Finished {
			rows = append(rows, row)
		}
	}
	page.Results = study.Of(s, plan, rows)
	for _, c := range plan.Cells {
		cell := studyCell{Name: c.Name, Levels: []string{}, Runs: []studyRun{}}
		for _, level := range c.Levels {
			cell.Levels = append(cell.Levels, level.Name)
			if len(page.Cells) == 0 {
				page.Dimensions = append(page.Dimensions, level.Dimension)
			}
		}
		for _, run := range plan.Runs {
			if run.Cell == c.Name {
				cell.Runs = append(cell.Runs, studyRun{id + "/" + run.Name, run.Seed, states[run.Name]})
			}
		}
		page.Cells = append(page.Cells, cell)
	}
	return page
}
