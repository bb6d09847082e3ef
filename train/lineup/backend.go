package lineup

import (
	"context"

	"parley/engine"
	"parley/internal/usererror"
	"parley/model"
	"parley/model/config"
	"parley/rl/rollout/harness"
	"parley/train/plan"
)

// A Backend is a kind of engine that recipes can run on. [parley/engine/native.Backend] is the embedded one; an engine elsewhere needs
// one of its own, which answers for what it takes of this machine.
type Backend interface {
	// Open puts a model on an engine of its own. Whoever opens it closes it, where it is an io.Closer, and closes the model after it.
	// Abilities that training asks for beside [engine.Engine], where the recipe needs them: [engine.Contexter], [engine.Noter],
	// [engine.Streamer], [engine.Diverger].
	Open(ctx context.Context, m *model.Model, o engine.Options) (engine.Engine, error)
	// Estimator says what an engine over a model of shape c would take, without opening one: before a run, and for a dry run.
	Estimator(c config.Config, o engine.Options) engine.Estimator
	// Kernels names what would compute, for the run's record: numbers of one name are the same bits. Slow is a sentence for the user where
	// that is much slower than it could be; else empty.
	Kernels(o engine.Options) (name, slow string)
}

// A Doored backend has the door by which programs ask the agents of teams that work in them (team.protocol: harness).
type Doored interface{ Door() harness.Door }

// openHarness gets the program of the team ready, where it works in one. Nothing is started before the first episode.
func (l *Lineup) openHarness() error {
	if !l.Recipe.Harnessed() || !l.purpose.pays() {
		return nil
	}
	if l.door == nil {
		return usererror.Errorf("team.protocol is %s, but there is no door for its program: the backend is no lineup.Doored", l.Recipe.Team.Protocol)
	}
	s, err := plan.Harness(l.Recipe)
	if err == nil {
		l.Harness, err = harness.New(s, l.door)
	}
	return err
}
