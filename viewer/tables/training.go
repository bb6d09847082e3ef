package tables

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/rl/loss"
	"parley/runs"
	"parley/viewer/episodes"
)

// Training is what a run recorded of its agents: by update, and as a mean over the last quarter of its updates.
type Training struct {
	Updates []int    `json:"updates"` // that were read
	From    int      `json:"from"`    // the first update of the last quarter
	Agents  []Curves `json:"agents"`
	Shares  string   `json:"gradient_of"` // what shares of the gradient are shares of, or why there are none
	Damaged []string `json:"damaged"`     // episodes that are left out, by file and line
}

// Curves are an agent's numbers by update, and their means over the last quarter; nil: there was nothing to count.
type Curves struct {
	Right []*float64 `json:"right"` // of its answers that are right or wrong, the share that is right
	Read  []*float64 `json:"read"`  // of its answers behind which a teammate was asked, those that a teammate's prompt showed
	Help  []*float64 `json:"help"`  // of teammates' answers that read it and had another one before, those that became right
	Harm  []*float64 `json:"harm"`  // the same that became wrong
	Mean  Recorded   `json:"last_quarter"`
}

// Recorded are the means.
type Recorded struct {
	ShareRight *float64 `json:"share_right"`
	ShareRead  *float64 `json:"share_read"`
	Help       *float64 `json:"help"`
	Harm       *float64 `json:"harm"`
	Heard      int      `json:"heard"`          // the answers that help and harm are shares of
	Gradient   *float64 `json:"share_gradient"` // of what [Training].Shares says
	Loss       *float64 `json:"share_loss"`     // of Σ |∂loss/∂log π| over all tokens
}

// Of is what is recorded of an agent, from 0.
func (t *Training) Of(agent int) Recorded {
	if t == nil || agent < 0 || agent >= len(t.Agents) {
		return Recorded{}
	}
	return t.Agents[agent].Mean
}

// Fits says that the parts of one that was read from a file fit together.
func (t *Training) Fits() bool {
	if t == nil || t.Updates == nil || t.Agents == nil || t.Damaged == nil {
		return false
	}
	n := len(t.Updates)
	return !slices.ContainsFunc(t.Agents, func(c Curves) bool {
		return c.Right == nil || len(c.Right) != n || len(c.Read) != n || len(c.Help) != n || len(c.Harm) != n || c.Read == nil || c.Help == nil || c.Harm == nil
	})
}

// Whole says that a training is about all updates of a run.
func (t *Training) Whole(updates []int) bool { return t != nil && slices.Equal(t.Updates, updates) }

// ReadTraining reads it from the run in dir: as much as there is time for, where ctx has a deadline.
func ReadTraining(ctx context.Context, dir string, team episodes.Team) (*Training, error) {
	names := team.Names
	list, damaged, err := ReadStandings(ctx, dir, team.Protocol)
	if err != nil {
		return nil, fmt.Errorf("read what training recorded: %w", err)
	}
	t := &Training{Updates: []int{}, Agents: make([]Curves, len(names)), Damaged: append([]string{}, damaged...)}
	for _, s := range list {
		t.Updates = append(t.Updates, s.Update)
	}
	if n := len(list); n > 0 {
		t.From = list[n-(n+3)/4].Update
	}
	for agent := range names {
		t.Agents[agent] = curves(list, agent, t.From)
	}
	return t, t.gradients(dir, names)
}

// curves are those of one agent.
func curves(list []Standings, agent, from int) Curves {
	c, late := Curves{Right: []*float64{}, Read: []*float64{}, Help: []*float64{}, Harm: []*float64{}}, Standing{}
	for _, s := range list {
		var one Standing
		if found := s.Agents[agent]; found != nil {
			one = *found
		}
		if s.Update >= from {
			late.Add(one)
		}
		m := recordedOf(one)
		c.Right, c.Read, c.Help, c.Harm = append(c.Right, m.ShareRight), append(c.Read, m.ShareRead), append(c.Help, m.Help), append(c.Harm, m.Harm)
	}
	c.Mean = recordedOf(late)
	return c
}

func recordedOf(s Standing) Recorded {
	share := func(part, of int) *float64 {
		if of == 0 {
			return nil
		}
		return new(float64(part) / float64(of))
	}
	return Recorded{ShareRight: share(s.Right, s.Judged), ShareRead: share(s.Read, s.Asked), Help: share(s.Helped, s.Heard), Harm: share(s.Harmed, s.Heard), Heard: s.Heard}
}

// learned is what a line of metrics.jsonl says of who the gradient and the loss were of.
type learned struct {
	Update    int
	Loss      map[string]float64   `json:"role_loss_mass"`
	Norms     map[string]float64   `json:"role_grad_norm"`
	Gradients map[string]loss.Mass `json:"role_gradients"`
}

// What shares of the gradient are of.
const (
	ofShared = "‖g‖ / Σ ‖g‖ over the agents who share a policy, g being the gradient of the step's loss from an agent's messages, before clipping; a mean over the updates that training.role_gradients has measured"
	ofOwn    = "‖g‖ / Σ ‖g‖ over the agents, each with a policy of its own, g being the gradient of its policy's steps, before clipping. These gradients have no parameters in common, so that nothing follows from one being longer"
	ofNobody = "not recorded: agents share a policy, and only training.role_gradients measures whose its gradient is. The share of the loss is recorded"
	ofNone   = "not recorded: several agents have to learn by gradients of one loss"
)

// gradients fills in whose the gradient and the loss were in the last quarter.
func (t *Training) gradients(dir string, names []string) error {
	losses, shares := map[string][]float64{}, map[string][]float64{}
	t.Shares = ofNone
	err := runs.ReadLines(dir, "metrics.jsonl", func(line []byte) error {
		var l learned
		if json.Unmarshal(line, &l) != nil || l.Update < t.From || len(l.Loss) == 0 {
			return nil // what is damaged, the state of the run says
		}
		for name, x := range l.Loss {
			losses[name] = append(losses[name], x)
		}
		if t.Shares == ofNone {
			t.Shares = ofNobody
		}
		switch {
		case len(l.Gradients) > 0:
			t.Shares = ofShared
			for _, step := range l.Gradients {
				for _, p := range step.Parts {
					shares[p.Name] = append(shares[p.Name], p.Mass)
				}
			}
		case len(l.Norms) == len(l.Loss):
			t.Shares = ofOwn
			parts, total := loss.MassShares(l.Norms)
			for name, x := range parts {
				if total > 0 { // else nobody learned anything
					shares[name] = append(shares[name], x)
				}
			}
		}
		return nil
	})
	for i, name := range names {
		name = strings.ReplaceAll(name, " ", "") // metrics call agents without names agent1, agent2, …
		t.Agents[i].Mean.Loss, t.Agents[i].Mean.Gradient = meanOr(losses[name]), meanOr(shares[name])
	}
	return err
}

// meanOr is a mean; nil: of nothing.
func meanOr(list []float64) *float64 {
	if len(list) == 0 {
		return nil
	}
	sum := 0.0
	for _, x := range list {
		sum += x / float64(len(list))
	}
	return &sum
}
