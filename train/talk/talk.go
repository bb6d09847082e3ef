// Package talk makes the team of a lineup one that people talk to: its agents answer a question as they answer held-out problems.
//
//	talk.go      teams whose agents answer by themselves
//	together.go  teams whose agents write one text
package talk

import (
	"context"
	"errors"
	"fmt"

	"parley/chatsession"
	"parley/engine"
	"parley/engine/batching"
	"parley/rollout"
	"parley/train/lineup"
	"parley/train/plan"
)

// A Team is a team, loaded to talk to.
type Team struct {
	chatsession.Team
	lineup lineup.Lineup
}

// Of makes the team of a lineup one to talk to, trained or as its bases are, and owns the lineup from then on. Its speakers may answer several
// at a time: they share their engines.
func Of(ctx context.Context, s lineup.Lineup, trained bool) (*Team, error) {
	r := s.Evaluation(trained)
	t := &Team{lineup: s}
	if s.Recipe.AlgorithmType().Decodes {
		if err := t.writeTogether(ctx, r); err != nil {
			return nil, errors.Join(err, t.Close())
		}
		return t, nil
	}
	t.Protocol, t.Names, t.Shown = r.Protocol, s.Sharing.Names, s.Scorer.Visible
	if answerer := s.Scorer.Answerer(); answerer != nil {
		t.Final = answerer.Answer
	}
	t.Settings = chatsession.Settings{Sampling: r.Settings.Sampling, MaxTokens: r.Settings.MaxTokens, MinTokens: r.Settings.MinTokens, Stop: s.Recipe.Sampling.Stop}
	voices := make([]chatsession.Speaker, len(r.Actors))
	shared := map[engine.Streamer]engine.Streamer{}
	for i, actor := range r.Actors {
		v, err := chatsession.SpeakerOf(actor)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", t.Called(i), err), t.Close())
		}
		if shared[v.Engine] == nil {
			shared[v.Engine] = batching.Of(v.Engine)
		}
		v.Engine = shared[v.Engine]
		voices[i] = v
	}
	t.Own = func(agent int, s chatsession.Settings) chatsession.Settings {
		if own := r.Actors[agent].Own; own != nil {
			d := own(rollout.Draw{Sampling: s.Sampling, MaxTokens: s.MaxTokens, MinTokens: s.MinTokens})
			s.Sampling, s.MaxTokens, s.MinTokens = d.Sampling, d.MaxTokens, d.MinTokens
		}
		if stop := plan.Agent(t.lineup.Recipe, agent).Sampling.Stop; len(stop) > 0 {
			s.Stop = stop
		}
		return s
	}
	t.Speaker = func(turn, agent int) chatsession.Voice {
		v, actor := voices[agent], r.Actors[agent]
		v.Policy = actor.Policy(turn)
		return chatsession.VoiceOf(actor.Speaker, actor.Name, v)
	}
	return t, nil
}

// ShowsScores reports whether prompts of later turns quote a verifier's scores, which nobody gives in a conversation.
func (t *Team) ShowsScores() bool {
	return t.lineup.Recipe.Team.RewardFeedback && t.Protocol.Turns() > 1
}

// Close gives the team's memory back.
func (t *Team) Close() error {
	return t.lineup.Close()
}
