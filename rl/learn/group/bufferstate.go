package group

import (
	"fmt"

	"parley/rl/learn"
	"parley/rl/rollout"
)

// State implements [learn.Stateful]: the samples in the buffers, by where they come from.
func (l *learner) State() []learn.SampleRef {
	var out []learn.SampleRef
	for _, s := range l.buffers.Held() {
		out = append(out, s.at)
	}
	return out
}

// Restore implements [learn.Stateful]. Samples are built again from the credited episodes of their updates, which the run recalls, and enter
// the buffers in their old order. None of these is full: it would have been drained.
func (l *learner) Restore(refs []learn.SampleRef) error {
	updates := map[int]map[int]*rollout.Episode{}
	for _, at := range refs {
		if updates[at.Update] == nil {
			episodes, err := l.Recall(at.Update)
			if err != nil {
				return fmt.Errorf("read what buffers held of update %d: %w", at.Update, err)
			}
			updates[at.Update] = map[int]*rollout.Episode{}
			for _, e := range episodes {
				updates[at.Update][e.Index] = e
			}
		}
		e := updates[at.Update][at.Episode]
		if e == nil || at.Node < 0 || at.Node >= len(e.Nodes) || at.Agent < 0 || at.Agent >= len(e.Nodes[at.Node].Agents) {
			return fmt.Errorf("the episodes of update %d lack what a buffer held", at.Update)
		}
		if err := l.add(e, at); err != nil {
			return err
		}
	}
	return nil
}
