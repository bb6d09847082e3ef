package train

import (
	"context"
	"errors"
	"fmt"

	"parley/chatsession"
	"parley/engine"
	"parley/model"
	"parley/recipe"
	"parley/rollout"
)

// A Team is a trained team, loaded to talk to.
type Team struct {
	chatsession.Team
	session *session
}

// OpenTeam loads the trained team of a finished run, whose recipe is in a language, on engines of a backend. Answers are drawn as its evaluation draws them. The caller closes it.
func OpenTeam(ctx context.Context, l *recipe.Language, dir string, backend Backend) (*Team, error) {
	r, bases, err := recorded(&Options{Language: l, Dir: dir})
	if err != nil {
		return nil, err
	}
	s, err := reopen(ctx, r, bases, backend)
	if err != nil {
		return nil, err
	}
	j := &job{options: Options{Dir: dir}, recipe: r}
	if err := j.loadTrained(ctx, s); err != nil {
		s.close()
		return nil, err
	}
	return s.talkative()
}

// talkative makes the session's trained team one to talk to, and owns the session from then on.
func (s *session) talkative() (*Team, error) {
	r := s.evaluation(true)
	t := &Team{session: s}
	t.Protocol, t.Shown = r.Protocol, s.scorer.Visible
	t.Settings = chatsession.Settings{Sampling: r.Settings.Sampling, MaxTokens: r.Settings.MaxTokens, MinTokens: r.Settings.MinTokens}
	voices := make([]chatsession.Voice, len(r.Actors))
	for i, actor := range r.Actors {
		v, err := voice(actor)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("agent %d: %w", i+1, err), t.Close())
		}
		voices[i] = v
	}
	t.Voice = func(turn, agent int) chatsession.Voice {
		v := voices[agent]
		v.Policy = r.Actors[agent].Policy(turn)
		return v
	}
	return t, nil
}

// voice is who sits in a seat, without its policy, which depends on the turn.
func voice(actor rollout.Actor) (chatsession.Voice, error) {
	stream, streams := actor.Engine.(engine.Streamer)
	m, isModel := actor.Codec.(*model.Model)
	if !streams || !isModel {
		return chatsession.Voice{}, errors.New("its engine cannot hand out tokens one by one")
	}
	return chatsession.Voice{Engine: stream, Model: m}, nil
}

// ShowsScores reports whether prompts of later turns quote a verifier's scores, which nobody gives in a conversation.
func (t *Team) ShowsScores() bool {
	return t.session.recipe.Team.RewardFeedback && t.Protocol.Turns() > 1
}

// Close gives the team's memory back.
func (t *Team) Close() error {
	t.session.close()
	return nil
}
