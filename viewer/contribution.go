package viewer

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"parley/train/provenance"
	"parley/viewer/ask"
	"parley/viewer/jobs"
)

// patienceToRead is how long an answer waits for what training recorded of agents: of a long run it then has some updates, spread over all.
const patienceToRead = 1500 * time.Millisecond

// contribution is what is known of what each agent contributes. Nothing is played for it.
func (s *Server) contribution(r *http.Request) (any, error) {
	dir, err := s.root.Path(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), patienceToRead)
	defer cancel()
	if r.URL.Query().Get("all") == "1" {
		ctx = r.Context() // as long as somebody waits for all of it
	}
	return ask.Contributed(ctx, s.options.Language, dir)
}

// contribute plays held-out problems without agents. A process of its own does it and keeps what it finds with the run.
func (s *Server) contribute(r *http.Request) (any, error) {
	var body struct {
		Problems int `json:"problems"` // 0: as many as is usual
	}
	id, dir, err := s.about(r, &body)
	if err != nil {
		return nil, err
	}
	if body.Problems < 0 {
		return nil, bad(errors.New("problems is negative: write how many held-out problems are played, or leave it out"))
	}
	args := []string{"run", "contribution", dir}
	if body.Problems > 0 {
		args = append(args, "--problems", strconv.Itoa(body.Problems))
	}
	return s.work(provenance.CheckTrust, dir, args, jobs.Work{What: jobs.Contribution, Title: id + ": who contributes", Run: id})
}
