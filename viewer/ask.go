package viewer

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"parley/train/provenance"
	"parley/viewer/ask"
	"parley/viewer/jobs"
)

// ask lets the team of a run, or one agent of it, answer a question. A process of its own does it and keeps the answers with the run.
func (s *Server) ask(r *http.Request) (any, error) {
	var body struct {
		Question    string   `json:"question"`
		Agent       *int     `json:"agent"`  // from 0; none: the team
		Update      int      `json:"update"` // 0: as it is now
		Temperature *float64 `json:"temperature"`
		Seed        uint64   `json:"seed"`
	}
	id, dir, err := s.about(r, &body)
	if err != nil {
		return nil, err
	}
	if err := (ask.Question{Text: body.Question, Update: body.Update, Temperature: body.Temperature}).Check(); err != nil {
		return nil, bad(err)
	}
	args := []string{"run", "ask", "--seed", strconv.FormatUint(body.Seed, 10)}
	whom := "the team"
	if body.Agent != nil {
		if *body.Agent < 0 {
			return nil, bad(errors.New("agent is negative: agents count from 0; leave it out for the team"))
		}
		whom = fmt.Sprintf("agent %d", *body.Agent+1)
		args = append(args, "--agent", strconv.Itoa(*body.Agent+1))
	}
	if body.Update > 0 {
		whom += fmt.Sprintf(" after update %d", body.Update)
		args = append(args, "--update", strconv.Itoa(body.Update))
	}
	if body.Temperature != nil {
		args = append(args, "--temperature", strconv.FormatFloat(*body.Temperature, 'g', -1, 64))
	}
	args = append(args, "--", dir, body.Question) // whatever it begins with
	return s.work(provenance.CheckToTalk, dir, args, jobs.Work{What: jobs.Ask, Title: id + ": a question to " + whom, Run: id})
}

// questions are those that the team of a run was asked, with the answers, and why it can be asked no more.
func (s *Server) questions(r *http.Request) (any, error) {
	dir, err := s.root.Path(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	refused := ""
	why := ask.Unasked(s.options.Language, dir)
	if why == nil {
		why = s.unasked(provenance.CheckToTalk, dir, []string{"run", "ask", dir, "QUESTION"})
	}
	if why != nil {
		refused = why.Error()
	}
	list, damaged, err := ask.Read(dir)
	return map[string]any{"questions": list, "damaged": damaged, "refused": refused}, err
}
