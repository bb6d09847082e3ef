package episodes

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"parley/rl/rollout"
	"parley/task"
)

// A Through is one problem through training.
type Through struct {
	Problem  *Problem     `json:"problem"`
	Episodes []Time       `json:"episodes"`
	Next     *string      `json:"next"`
	Scanned  *Range       `json:"scanned"`
	Damaged  []string     `json:"damaged"` // episodes that cannot be read: of which problems, is not known of all
	Asked    task.Problem `json:"-"`       // the problem as the newest episode has it
}

// A Time is one time that a problem was worked on.
type Time struct {
	TimeShort
	Lines   []Line `json:"lines"`
	Damaged string `json:"damaged,omitempty"` // why it cannot be read
}

// A Line is one answer of a dialogue.
type Line struct {
	Turn      int     `json:"turn"`
	Agent     int     `json:"agent"`
	Name      string  `json:"name"`
	Text      string  `json:"text"`
	Correct   *bool   `json:"correct"`
	Reward    float64 `json:"reward"`
	Advantage float64 `json:"advantage"`
}

// Problem follows one problem from the newest update backwards.
func (s *Store) Problem(ctx context.Context, f Filter, t Team, patience time.Duration) (*Through, error) {
	page, err := s.List(ctx, f, patience)
	if err != nil {
		return nil, err
	}
	out := &Through{Episodes: []Time{}, Next: page.Next, Scanned: page.Scanned, Damaged: page.Damaged}
	for _, r := range page.Episodes {
		at := Time{TimeShort: TimeShort{Place{r.Update, r.Index}, r.Reward, r.Correct}, Lines: []Line{}}
		e, _, _, err := s.Read(r.Update, r.Index)
		switch damage := new(DamagedError); {
		case err == nil:
			at.Lines = Lines(e, t)
			if out.Problem == nil {
				out.Problem, out.Asked = &Show(e, Neighbours{}, nil, t).Problem, e.Problem
			}
		case errors.As(err, &damage):
			at.Damaged = err.Error()
		case errors.As(err, new(*NoneError)): // the run went back behind it
			continue
		default:
			return nil, err
		}
		out.Episodes = append(out.Episodes, at)
	}
	if out.Problem == nil && len(page.Episodes) > 0 {
		r := page.Episodes[0]
		out.Problem = &Problem{r.Problem, r.Question, "", map[string]string{}}
	}
	return out, nil
}

// Lines is a dialogue of an episode: from the first answers on along what went on, and of several what comes first.
func Lines(e *rollout.Episode, t Team) []Line {
	out := []Line{}
	for at := 0; at >= 0 && at < len(e.Nodes); {
		n := e.Nodes[at]
		action, next := 0, slices.IndexFunc(e.Nodes, func(n *rollout.Node) bool { return n.Parent == at })
		if next >= 0 {
			action = e.Nodes[next].ParentAction
		}
		for k := range n.Agents {
			i := 0
			if action >= 0 && action < len(n.Joint) && k < len(n.Joint[action]) {
				i = n.Joint[action][k]
			}
			if i < len(n.Agents[k].Completions) {
				out = append(out, line(e, n.Turn, &n.Agents[k], i, t))
			}
		}
		at = next
	}
	return out
}

func line(e *rollout.Episode, turn int, a *rollout.AgentTurn, i int, t Team) Line {
	c := &a.Completions[i]
	text, _ := cut(c.Text)
	l := Line{Turn: turn, Agent: a.Agent, Name: t.Name(a.Agent), Text: text, Reward: finite(c.Reward), Advantage: finite(c.Advantage)}
	if e.Problem.Truth != "" && Judged(a.Speaker, c.HasAnswer) {
		l.Correct = &c.Correct
	}
	return l
}

// Problems are the problems of training with the times they were worked on.
type Problems struct {
	Problems []ProblemRow `json:"problems"`
	Next     *string      `json:"next"`
	Scanned  *Range       `json:"scanned"`
	Damaged  []string     `json:"damaged"` // as of [Through]
}

// A ProblemRow is one problem in a list.
type ProblemRow struct {
	Problem  string      `json:"problem"`
	Question string      `json:"question"`
	Times    []TimeShort `json:"times"`
}

// A TimeShort is a [Time] without its dialogue.
type TimeShort struct {
	Place
	Reward  *float64 `json:"reward"`
	Correct *float64 `json:"correct"`
}

// Problems lists the problems of a page of episodes.
func (s *Store) Problems(ctx context.Context, f Filter, patience time.Duration) (*Problems, error) {
	f.Limit = math.MaxInt32
	out := &Problems{Problems: []ProblemRow{}}
	page, err := s.List(ctx, f, patience)
	if err != nil {
		return nil, err
	}
	out.Next, out.Scanned, out.Damaged = page.Next, page.Scanned, page.Damaged
	for _, r := range page.Episodes {
		if r.Problem == "" && r.Damaged != "" {
			continue // which problem it is of, nobody knows
		}
		i := slices.IndexFunc(out.Problems, func(p ProblemRow) bool { return p.Problem == r.Problem })
		if i < 0 {
			i = len(out.Problems)
			out.Problems = append(out.Problems, ProblemRow{Problem: r.Problem, Question: r.Question})
		}
		out.Problems[i].Times = append(out.Problems[i].Times, TimeShort{Place{r.Update, r.Index}, r.Reward, r.Correct})
	}
	return out, nil
}
