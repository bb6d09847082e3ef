package tables

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"parley/rl/rollout"
	"parley/team"
	"parley/viewer/episodes"
)

// A Standing says of one agent how often it was right and read in some episodes, and what became of the answers of those who read it.
type Standing struct {
	Judged, Right int // its answers that are right or wrong
	Asked, Read   int // its answers behind which a teammate was asked; those of them that a teammate's prompt showed
	// Heard are answers of teammates who had answered before and had read since then what it said; Helped of them were wrong before and right then,
	// Harmed right before and wrong then.
	Heard, Helped, Harmed int
}

// Add adds another one.
func (s *Standing) Add(o Standing) {
	s.Judged, s.Right, s.Asked, s.Read = s.Judged+o.Judged, s.Right+o.Right, s.Asked+o.Asked, s.Read+o.Read
	s.Heard, s.Helped, s.Harmed = s.Heard+o.Heard, s.Helped+o.Helped, s.Harmed+o.Harmed
}

// Standings are those of the agents, from 0, in an update.
type Standings struct {
	Update int
	Agents map[int]*Standing
}

func (s *Standings) of(agent int) *Standing {
	if s.Agents[agent] == nil {
		s.Agents[agent] = &Standing{}
	}
	return s.Agents[agent]
}

// ReadStandings reads those of a run, oldest first. Where ctx has a deadline, they are those of as many updates as there is time for, spread evenly
// over all. left are damaged episodes, as [episodes.Whole] has them.
func ReadStandings(ctx context.Context, dir string, p team.Protocol) (list []Standings, left []string, err error) {
	updates, err := episodes.Open(dir).Updates()
	if err != nil {
		return nil, nil, err
	}
	for _, update := range spread(updates) {
		s := Standings{update, map[int]*Standing{}}
		damaged, err := episodes.Whole(dir, update, func(e *rollout.Episode) error { s.count(p, e); return ctx.Err() })
		if errors.Is(err, context.DeadlineExceeded) {
			break
		}
		if err != nil {
			return nil, left, err
		}
		list, left = append(list, s), append(left, damaged...)
	}
	slices.SortFunc(list, func(a, b Standings) int { return cmp.Compare(a.Update, b.Update) })
	return list, left, nil
}

// spread are the same updates in another order: the last one, then others between those that came before, so that however many are taken stand apart.
func spread(updates []int) []int {
	step := 1
	for step < len(updates) {
		step *= 2
	}
	var out []int
	for ; step >= 1; step /= 2 {
		for back := 0; back < len(updates); back += step {
			if u := updates[len(updates)-1-back]; !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
	}
	return out
}

// count adds an episode. What earlier checkpoints said in an agent's place is not its own.
func (s *Standings) count(p team.Protocol, e *rollout.Episode) {
	if e.Failed() != "" {
		return
	}
	read := map[episodes.Seen]bool{} // of the answers behind which a teammate was asked
	for i, n := range e.Nodes {
		for k, way := range episodes.Before(p, e, i) {
			if n.Agents[k].Opponent == "" {
				slices.Reverse(way)
				s.listen(e, way, &n.Agents[k], read)
			}
		}
	}
	for at, shown := range read {
		s.of(at.Agent).Add(Standing{Asked: 1, Read: one(shown)})
	}
}

// listen adds what an agent said, and whom it had read on the way there, the last ones first.
func (s *Standings) listen(e *rollout.Episode, way []episodes.Earlier, a *rollout.AgentTurn, read map[episodes.Seen]bool) {
	own := slices.IndexFunc(way, func(b episodes.Earlier) bool { return b.Agent == a.Agent })
	var since []int // whom it has read since its own last answer
	for _, b := range way {
		if b.Agent == a.Agent || b.By.Opponent != "" {
			continue
		}
		read[b.Seen] = read[b.Seen] || b.Shown
		if own >= 0 && b.Shown && e.Nodes[b.Node].Turn >= e.Nodes[way[own].Node].Turn && !slices.Contains(since, b.Agent) {
			since = append(since, b.Agent)
		}
	}
	for i := range a.Completions {
		right, ok := judged(e, a, &a.Completions[i])
		if !ok {
			continue
		}
		s.of(a.Agent).Add(Standing{Judged: 1, Right: one(right)})
		if own < 0 {
			continue
		}
		if was, ok := judged(e, way[own].By, &way[own].By.Completions[way[own].Completion]); ok {
			for _, agent := range since {
				s.of(agent).Add(Standing{Heard: 1, Helped: one(!was && right), Harmed: one(was && !right)})
			}
		}
	}
}

// judged says whether an answer is right; ok is false where it is neither right nor wrong.
func judged(e *rollout.Episode, a *rollout.AgentTurn, c *rollout.Completion) (right, ok bool) {
	return c.Correct, e.Problem.Truth != "" && episodes.Judged(a.Speaker, c.HasAnswer)
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
