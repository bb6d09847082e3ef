package viewer

import (
	"errors"
	"net/http"
	"strconv"

	"parley/recipe"
	"parley/runs"
	"parley/viewer/ask"
	"parley/viewer/show"
)

func (s *Server) session(*http.Request) (any, error) {
	return map[string]any{"version": s.options.Version, "root": s.options.Root, "read_only": s.options.ReadOnly, "can_run": s.options.Jobs != nil && !s.options.ReadOnly}, nil
}

func (s *Server) runs(*http.Request) (any, error) {
	rows, err := s.root.Rows()
	return map[string]any{"runs": rows}, err
}

// run is a run, and why it cannot go on here, where it has not ended.
func (s *Server) run(r *http.Request) (any, error) {
	d, err := s.root.Detail(r.PathValue("id"))
	if err == nil && s.options.Jobs != nil && (d.State == runs.Interrupted || d.State == runs.Failed) {
		if why := s.unresumed(r.Context(), d.Dir); why != nil {
			d.Refused = why.Error()
		}
	}
	return d, err
}

func (s *Server) metrics(r *http.Request) (any, error) { return s.root.Metrics(r.PathValue("id")) }
func (s *Server) costs(r *http.Request) (any, error)   { return s.root.Costs(r.PathValue("id")) }

func (s *Server) recipe(r *http.Request) (any, error) {
	return s.root.Recipe(r.PathValue("id"), s.options.Language)
}

func (s *Server) diagnostics(r *http.Request) (any, error) {
	return s.root.Diagnosis(r.PathValue("id"))
}

func (s *Server) answers(r *http.Request) (any, error) {
	dir, err := s.root.Path(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return show.Answers(r.Context(), dir)
}

// dialogues are the answers to one held-out problem, of all systems or of one.
func (s *Server) dialogues(r *http.Request) (any, error) {
	dir, err := s.root.Path(r.PathValue("id"))
	problem, e := whole(r.PathValue("number"))
	if err = errors.Join(err, e); err != nil {
		return nil, err
	}
	d, err := show.Dialogues(r.Context(), dir, problem, r.URL.Query().Get("system"))
	if err != nil {
		return nil, err
	}
	return struct {
		*show.HeldOutDialogues
		viewed
	}{d, s.view(r.PathValue("id"), d.Asked)}, nil
}

func (s *Server) timeline(r *http.Request) (any, error) {
	from, err := whole(r.URL.Query().Get("from"))
	to, e := whole(r.URL.Query().Get("to"))
	if err = errors.Join(err, e); err != nil {
		return nil, bad(err)
	}
	return s.root.Timeline(r.PathValue("id"), from, to)
}

func (s *Server) compare(r *http.Request) (any, error) {
	q := r.URL.Query()
	metric, x := q.Get("metric"), q.Get("x")
	if metric == "" {
		metric = "reward"
	}
	if x == "" {
		x = "update"
	}
	c, err := s.root.Compare(s.options.Language, q["run"], metric, x, q.Get("system"))
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, r := range c.Runs {
		dir, err := s.root.Path(r.ID)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, dir)
	}
	return struct {
		*show.Compare
		CrossPlay *ask.CrossPlay `json:"cross_play,omitempty"`
	}{c, ask.Together(dirs)}, nil
}

func (s *Server) keys(r *http.Request) (any, error) { return s.root.Keys(r.URL.Query()["key"]) }

func (s *Server) note(r *http.Request) (any, error) {
	var note show.Note
	if err := readJSON(r, &note); err != nil {
		return nil, err
	}
	if err := s.root.Annotate(r.PathValue("id"), note); err != nil {
		return nil, err
	}
	return s.root.Row(r.PathValue("id"))
}

// picture sends a drawing of a run. A drawing may come from a hostile run: shown as an image it runs no scripts, and opened
// by itself it is sandboxed.
func (s *Server) picture(w http.ResponseWriter, r *http.Request) error {
	data, err := s.root.Picture(r.PathValue("id"), r.PathValue("name"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	w.Header().Set("Content-Type", "image/svg+xml")
	_, err = w.Write(data)
	return err
}

// A shippedRecipe is one of the recipes that come with parley.
type shippedRecipe struct {
	Name    string  `json:"name"`
	About   string  `json:"about"`
	Minutes float64 `json:"minutes"`
}

func (s *Server) shippedRecipes(*http.Request) (any, error) {
	list := []shippedRecipe{}
	for _, r := range s.recipes() {
		list = append(list, shippedRecipe{r.Name, r.About, r.Minutes})
	}
	return map[string]any{"recipes": list}, nil
}

func (s *Server) shipped(r *http.Request) (any, error) {
	name := r.PathValue("name")
	for _, shipped := range s.recipes() {
		if shipped.Name == name {
			return map[string]string{"name": name, "yaml": string(shipped.YAML())}, nil
		}
	}
	return nil, fail(http.StatusNotFound, "not_found", "there is no recipe %s", short(name))
}

// A checked is what is wrong with a recipe, with the places.
type checked struct {
	OK       bool     `json:"ok"`
	Name     string   `json:"name"`
	Errors   []place  `json:"errors"`
	Warnings []string `json:"warnings"`
	Full     string   `json:"full"` // with every default; empty where something is wrong
}

type place struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Hint    string `json:"hint"` // what to write instead
}

// check reads a recipe as train would. It opens nothing that the recipe names.
func (s *Server) check(r *http.Request) (any, error) {
	var body struct {
		YAML string `json:"yaml"`
	}
	if err := readJSON(r, &body); err != nil {
		return nil, err
	}
	parsed, err := s.options.Language.Parse("recipe", []byte(body.YAML), nil)
	out := checked{Errors: []place{}, Warnings: []string{}}
	var list *recipe.Errors
	switch {
	case errors.As(err, &list):
		for _, e := range list.List {
			out.Errors = append(out.Errors, place{e.Line, e.Column, e.Message, e.Hint})
		}
	case err != nil:
		out.Errors = append(out.Errors, place{Line: 1, Column: 1, Message: err.Error()})
	default:
		out.OK, out.Name, out.Full = true, parsed.Name, string(parsed.YAML())
		out.Warnings = append(out.Warnings, parsed.Warnings()...)
	}
	return out, nil
}

// whole reads a number that is not negative; none is 0.
func whole(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fail(http.StatusBadRequest, "bad_request", "%s is no whole number", short(text))
	}
	return n, nil
}
