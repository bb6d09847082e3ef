package ask

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/engine"
	"parley/rl/rollout"
	"parley/train/measure"
	"parley/viewer/episodes"
)

// The ways to change an agent, beside other runs.
const (
	Untrained = "untrained"   // its base speaks for it
	LeftOut   = "left-out"    // it says nothing
	Earlier   = "checkpoint:" // followed by an update: the agent as it was then
)

// A Change puts somebody else in the place of an agent.
type Change struct {
	Agent string // its name, or its number from 1
	With  string // untrained, left-out, checkpoint:N or the folder of another run
}

// A ChangeError says what is wrong with a change.
type ChangeError struct{ Why string }

func (e *ChangeError) Error() string { return e.Why }

// ParseChange reads AGENT=WITH.
func ParseChange(text string) (Change, error) {
	agent, with, ok := strings.Cut(text, "=")
	if !ok || agent == "" || with == "" {
		return Change{}, &ChangeError{fmt.Sprintf("%q is no change; write AGENT=untrained, AGENT=left-out, AGENT=checkpoint:N or AGENT=RUN", text)}
	}
	return Change{agent, with}, nil
}

// update is that of a checkpoint; ok is false where the change is another one.
func (c Change) update() (n int, ok bool, err error) {
	text, ok := strings.CutPrefix(c.With, Earlier)
	if !ok {
		return 0, false, nil
	}
	n, err = strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, true, &ChangeError{fmt.Sprintf("%s: %q is no update", c.With, text)}
	}
	return n, true, nil
}

// title says in words what is changed.
func title(changes []Change) string {
	parts := make([]string, len(changes))
	for i, c := range changes {
		with := c.With
		if strings.ContainsRune(with, filepath.Separator) {
			with = filepath.Base(with)
		}
		parts[i] = c.Agent + ": " + with
	}
	return strings.Join(parts, ", ")
}

// change puts others in the places of agents. closeAll gives back what was opened for that.
func (o SwapOptions) change(ctx context.Context, r *rollout.Runner, changes []Change) (closeAll func(), err error) {
	var opened []Team
	closeAll = func() {
		for _, other := range opened {
			_ = other.Close() // nothing is written any more
		}
	}
	var silent []int
	for _, c := range changes {
		agent, err := numbered(c.Agent, episodes.TeamIn(o.Dir).Names, len(r.Actors))
		if err != nil {
			return closeAll, err
		}
		switch c.With {
		case Untrained:
			r.Actors[agent].Policy = func(int) engine.Policy { return engine.Base }
			continue
		case LeftOut:
			silent = append(silent, agent)
			continue
		}
		dir := c.With
		update, earlier, err := c.update()
		if err != nil {
			return closeAll, err
		}
		if earlier {
			dir = o.Dir
		}
		other, err := o.open(ctx, dir, update)
		if err != nil {
			return closeAll, fmt.Errorf("%s: %w", c.Agent, err)
		}
		opened = append(opened, other)
		actors := other.Evaluation(other.Trained).Actors
		theirs, err := numbered(c.Agent, episodes.TeamIn(dir).Names, len(actors))
		if err != nil {
			return closeAll, errors.Join(fmt.Errorf("in %s", dir), err)
		}
		r.Actors[agent] = actors[theirs]
	}
	if err := (measure.Change{LeftOut: silent}).On(r); err != nil {
		return closeAll, &ChangeError{err.Error()}
	}
	return closeAll, nil
}

// numbered is the number, from 0, of an agent that is named or counted from 1.
func numbered(agent string, names []string, n int) (int, error) {
	if i := slices.Index(names, agent); i >= 0 && i < n {
		return i, nil
	}
	if i, err := strconv.Atoi(agent); err == nil && i >= 1 && i <= n {
		return i - 1, nil
	}
	return 0, &ChangeError{fmt.Sprintf("there is no agent %q; there are %s", agent, strings.Join(names, ", "))}
}
