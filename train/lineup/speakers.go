package lineup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"parley/executor"
	"parley/internal/usererror"
	"parley/recipe/keys"
	"parley/speaker"
	programs "parley/speaker/executor"
	"parley/speaker/external"
	"parley/train/plan"
)

// openSpeakers opens what speaks for agents who are no models.
func (l *Lineup) openSpeakers(ctx context.Context) error {
	if l.replay {
		return nil
	}
	for agent := range l.Protocol.Agents() {
		s, err := openSpeaker(ctx, plan.Agent(l.Recipe, agent), l.Recipe.Sampling.Stop)
		if err != nil {
			return &usererror.Error{Err: err}
		}
		l.speakers = append(l.speakers, s)
	}
	return nil
}

// openSpeaker opens what speaks for an agent; nil: a base does. stop are the texts that end answers where it has none of its own.
func openSpeaker(ctx context.Context, a keys.Agent, stop []string) (speaker.Speaker, error) {
	place := "team.agents." + a.Name + "." + a.Speaker()
	switch a.Speaker() {
	case "":
		return nil, nil
	case "executor":
		s, err := programs.Open(ctx, a.Executor, executor.Settings{Deadline: time.Duration(a.Seconds * float64(time.Second))})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		return s, nil
	}
	s := external.Settings{
		Program: a.Program, URL: a.Endpoint.URL, Model: a.Endpoint.Model, Stop: stop,
		Deadline: time.Duration(a.Seconds * float64(time.Second)), Retries: a.Retries,
	}
	if len(a.Sampling.Stop) > 0 {
		s.Stop = a.Sampling.Stop
	}
	var err error
	if s.Key, err = plan.Secret(place+".token_env", a.Endpoint.TokenEnv); err != nil {
		return nil, err
	}
	if s.Place, s.Script, err = plan.Script(place, a.Script); err != nil {
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
func (l Lineup) speakerOf(agent int) speaker.Speaker {
	if at := agent + l.standsFor; at < len(l.speakers) {
		return l.speakers[at]
	}
	return nil
}
