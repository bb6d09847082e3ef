package viewer

import (
	"net/http"

	"parley/recipe"
	"parley/runs"
	"parley/train/record"
	"parley/train/study"
	"parley/viewer/show"
)

// studies lists those of the folder.
func (s *Server) studies(*http.Request) (any, error) {
	ids, err := s.root.Studies()
	if err != nil {
		return nil, err
	}
	out := make([]study.Progress, len(ids))
	for i, id := range ids {
		out[i] = SoFar(s.root, id, s.options.Language)
		for k := range out[i].Cells {
			out[i].Cells[k].Runs = nil // of a list, how many are done says enough
		}
	}
	return map[string]any{"studies": out}, nil
}

// study is one study, or one experiment.
func (s *Server) study(r *http.Request) (any, error) {
	id := r.PathValue("id")
	if dir, err := s.root.Path(id); err != nil || !runs.IsStudy(dir) && len(runs.Inside(dir)) == 0 {
		return nil, &runs.NotRunError{Dir: id}
	}
	return SoFar(s.root, id, s.options.Language), nil
}

// SoFar is what came of a study or an experiment of a runs folder.
func SoFar(root *show.Root, id string, l *recipe.Language) study.Progress {
	state := func(id string) runs.State {
		row, err := root.Row(id)
		if err != nil {
			return ""
		}
		return row.State
	}
	values := func(yaml string) (map[string]string, error) {
		f, err := record.Flatten(yaml)
		if err != nil {
			return nil, err
		}
		return f.Values, nil
	}
	return study.Look{Language: l, State: state, Values: values}.SoFar(root.Dir, id)
}
