package executor

// This part of the package lets the executor of programs speak in a team: its message is a job, and what it says is the report (package executor at the root).

import (
	"context"
	"sync"

	"parley/team/speaker"
)

// Speaker implements [speaker.Speaker].
type Speaker struct {
	*Executor
	way string // [executor.ByTests] or [executor.BySpeed]
}

// Speak starts the sandbox of an executor that runs programs in a way.
func Speak(ctx context.Context, way string, s Settings) (*Speaker, error) {
	e, err := Open(ctx, s)
	if err != nil {
		return nil, err
	}
	return &Speaker{e, way}, nil
}

// Kind implements [speaker.Speaker].
func (*Speaker) Kind() string { return "executor" }

// Speak implements [speaker.Speaker]. An executor that fails, or hangs, fails its episode alone.
func (s *Speaker) Speak(ctx context.Context, asks []speaker.Ask) ([]speaker.Reply, error) {
	replies := make([]speaker.Reply, len(asks))
	var wait sync.WaitGroup
	for i, a := range asks {
		wait.Go(func() { replies[i].Text, replies[i].Err = s.Run(ctx, s.way, a.Messages[len(a.Messages)-1].Content) })
	}
	wait.Wait()
	return replies, ctx.Err()
}
