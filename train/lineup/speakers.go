package lineup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"parley/internal/usererror"
	"parley/recipe/keys"
	"parley/systems/lessonl/executor"
	"parley/team"
	"parley/team/speaker/external"
	"parley/train/plan"
)

// openSpeakers opens what speaks for agents who are no models.
func (l *Lineup) openSpeakers(ctx context.Context) error {
	if !l.purpose.speaks() {
		return nil
	}
	var err error
	if l.Servers, err = plan.Servers(l.Recipe); err != nil {
		return err
	}
	for agent := range l.Protocol.Agents() {
		s, err := l.openSpeaker(ctx, plan.Agent(l.Recipe, agent))
		if err != nil {
			return &usererror.Error{Err: err}
		}
		l.speakers = append(l.speakers, s)
	}
	return l.openRival()
}

// openSpeaker opens what speaks for an agent; nil: a base does.
func (l *Lineup) openSpeaker(ctx context.Context, a keys.Agent) (team.Speaker, error) {
	place := "team.agents." + a.Name + "." + a.Speaker()
	switch a.Speaker() {
	case "":
		return nil, nil
	case "executor":
		s, err := executor.Speak(ctx, a.Executor, executor.Settings{Deadline: time.Duration(a.Seconds * float64(time.Second))})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		return s, nil
	}
	s, err := plan.External(l.Recipe, a, place, l.Servers)
	if err != nil {
		return nil, err
	}
	out, err := external.Open(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	return out, nil
}

// closeSpeakers ends programs.
func (l Lineup) closeSpeakers() error {
	var errs []error
	for _, s := range l.speakers {
		if c, ok := s.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// speakerOf is what speaks for an agent of the team, in the place of a base; nil: a base does.
func (l Lineup) speakerOf(agent int) team.Speaker {
	if at := agent + l.standsFor; at < len(l.speakers) {
		return l.speakers[at]
	}
	return nil
}
