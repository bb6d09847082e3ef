package viewer

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"parley/internal/bounded"
	"parley/rl/rollout"
	"parley/task"
	"parley/task/environment"
	"parley/task/environment/games"
	"parley/team"
	"parley/viewer/ask"
	"parley/viewer/episodes"
	"parley/viewer/tokens"
)

// patience is how long a page of a list is looked for.
const patience = 300 * time.Millisecond

// filtered finds the episodes of a run, and the filter that parameters are.
func (s *Server) filtered(r *http.Request, q url.Values) (*episodes.Store, episodes.Filter, error) {
	f, err := episodes.ParseFilter(q)
	if err != nil {
		return nil, f, bad(err)
	}
	store, err := s.store(r.PathValue("id"))
	return store, f, err
}

func (s *Server) episodes(r *http.Request) (any, error) {
	store, f, err := s.filtered(r, r.URL.Query())
	if err != nil {
		return nil, err
	}
	page, err := store.List(r.Context(), f, patience)
	if page != nil {
		page.Agents = append(page.Agents, s.root.Flat(r.PathValue("id")).Agents()...)
	}
	return page, err
}

func (s *Server) distributions(r *http.Request) (any, error) {
	store, f, err := s.filtered(r, r.URL.Query())
	if err != nil {
		return nil, err
	}
	return store.Distribute(f)
}

func (s *Server) problems(r *http.Request) (any, error) {
	store, f, err := s.filtered(r, r.URL.Query())
	if err != nil {
		return nil, err
	}
	return store.Problems(r.Context(), f, patience)
}

func (s *Server) problem(r *http.Request) (any, error) {
	q := r.URL.Query()
	problem := q.Get("id")
	if problem == "" {
		return nil, bad(errors.New("id is missing: which problem"))
	}
	q.Del("id")
	store, f, err := s.filtered(r, q)
	if err != nil {
		return nil, err
	}
	f.Problem = problem
	id := r.PathValue("id")
	t, err := store.Problem(r.Context(), f, episodes.TeamOf(s.root.Flat(id)), time.Second)
	if err != nil || t.Problem == nil {
		return t, err
	}
	return struct {
		*episodes.Through
		viewed
	}{t, s.view(id, t.Asked)}, nil
}

// found reads the episode that a request names.
func (s *Server) found(r *http.Request) (*rollout.Episode, episodes.Neighbours, []episodes.Place, error) {
	var near episodes.Neighbours
	update, err := whole(r.PathValue("update"))
	index, e := whole(r.PathValue("index"))
	if err = errors.Join(err, e); err != nil {
		return nil, near, nil, err
	}
	store, err := s.store(r.PathValue("id"))
	if err != nil {
		return nil, near, nil, err
	}
	return store.Read(update, index)
}

func (s *Server) episode(r *http.Request) (any, error) {
	e, near, group, err := s.found(r)
	if err != nil {
		return nil, err
	}
	id := r.PathValue("id")
	dir, err := s.root.Path(id)
	if err != nil {
		return nil, err
	}
	game, _ := games.Find(s.root.Flat(id).Text("task.environment.name"))
	return struct {
		*episodes.Episode
		viewed
		Board environment.Board `json:"board,omitzero"` // how its observations are drawn
	}{episodes.Show(e, near, group, ask.TeamOf(s.options.Language, dir)), s.view(id, e.Problem), game.Board}, nil
}

// viewed is a problem as the recipe's task.view shows it, or why that cannot be.
type viewed struct {
	View        string `json:"view,omitempty"`
	ViewTrouble string `json:"view_trouble,omitempty"`
}

// view fills the template of a run, which sees the right answer too, and keeps its first 64 KiB.
func (s *Server) view(id string, p task.Problem) (v viewed) {
	source := s.root.Flat(id).Text("task.view")
	if source == "" {
		return v
	}
	t, err := bounded.ParsePrompt("view", source)
	if err == nil {
		v.View, err = t.Fill(p)
		v.View = episodes.Begin(v.View, 64<<10)
	}
	if err != nil {
		v.ViewTrouble = team.TemplateError(err).Error()
	}
	return v
}

// An answer is one that a request names.
type answer struct {
	episode *rollout.Episode
	turn    *rollout.AgentTurn
	said    *rollout.Completion
	at      tokens.Place
}

// answerOf finds it.
func (s *Server) answerOf(r *http.Request) (a answer, err error) {
	if a.episode, _, _, err = s.found(r); err != nil {
		return a, err
	}
	q := r.URL.Query()
	a.at.Solo = q.Get("solo") == "1"
	for name, to := range map[string]*int{"node": &a.at.Node, "agent": &a.at.Agent, "completion": &a.at.Completion} {
		if *to, err = whole(q.Get(name)); err != nil {
			return a, err
		}
	}
	a.turn, a.said, err = episodes.Find(a.episode, a.at.Solo, a.at.Node, a.at.Agent, a.at.Completion)
	return a, err
}

// text sends all that was written in an answer, as text.
func (s *Server) text(w http.ResponseWriter, r *http.Request) error {
	a, err := s.answerOf(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err = w.Write([]byte(a.said.Text))
	return err
}

// tokens are those of an answer, with what was computed of them.
func (s *Server) tokens(r *http.Request) (any, error) {
	a, err := s.answerOf(r)
	if err != nil {
		return nil, err
	}
	dir, err := s.root.Path(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	computed, err := tokens.Read(dir, a.episode.Update, a.episode.Index)
	if err != nil {
		return nil, err
	}
	return computed.Strip(s.vocab.Of(tokens.BasesOf(dir), a.turn.Agent), a.said, a.at), nil
}
