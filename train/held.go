package train

import (
	"fmt"

	"parley/rollout"
)

// A spot is where in the run's episodes something was said.
type spot struct {
	Update  int `json:"update"` // from 1
	Episode int `json:"episode"`
	Node    int `json:"node"`
	Seat    int `json:"seat"`
}

// A keeper is a learner whose buffers may hold samples between updates. They are kept as the places that they come from: what was said
// there lies in the run's episodes.
type keeper interface {
	held() []spot
	refill(spots []spot) error
}

// held implements [keeper].
func (g *group) held() []spot {
	var out []spot
	for _, to := range g.buffers.order {
		for _, s := range g.buffers.held[to].Held {
			out = append(out, s.at)
		}
	}
	return out
}

// refill implements [keeper].
func (g *group) refill(spots []spot) error {
	updates := map[int]map[int]*rollout.Episode{}
	for _, at := range spots {
		if updates[at.Update] == nil {
			episodes, err := g.recall(at.Update)
			if err != nil {
				return fmt.Errorf("read what buffers held of update %d: %w", at.Update, err)
			}
			updates[at.Update] = map[int]*rollout.Episode{}
			for _, e := range episodes {
				updates[at.Update][e.Index] = e
			}
		}
		e := updates[at.Update][at.Episode]
		if e == nil || at.Node >= len(e.Nodes) || at.Seat >= len(e.Nodes[at.Node].Agents) {
			return fmt.Errorf("the episodes of update %d lack what a buffer held", at.Update)
		}
		if err := g.add(e, at); err != nil {
			return err
		}
	}
	return nil
}
