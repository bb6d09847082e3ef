package train

import (
	"context"
	"errors"
	"fmt"

	"parley/chatsession"
	"parley/train/lineup"
)

// A Team is a trained team, loaded to talk to.
type Team struct {
	chatsession.Team
	lineup lineup.Lineup
}

// OpenTeam loads the trained team of a finished run: Options say its folder, the language of its recipe, the backend, and whether it is
// trusted. Answers are drawn as its evaluation draws them. The caller closes it.
func OpenTeam(ctx context.Context, o Options) (*Team, error) {
	r, meta, err := recorded(&o)
	if err != nil {
		return nil, err
	}
	s, err := lineup.Open(ctx, r, o.Backend)
	if err != nil {
		return nil, err
	}
	if err := s.SameBases(meta.Bases); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	call := &runner{options: Options{Dir: o.Dir, Observe: func(Event) {}}, recipe: r}
	if err := call.loadTrained(ctx, s); err != nil {
		s.Close()
		return nil, err
	}
	return talkative(s)
}

// talkative makes the trained team of a lineup one to talk to, and owns the lineup from then on.
func talkative(s lineup.Lineup) (*Team, error) {
	r := s.Evaluation(true)
	t := &Team{lineup: s}
	t.Protocol, t.Names, t.Shown = r.Protocol, s.Sharing.Names, s.Scorer.Visible
	t.Settings = chatsession.Settings{Sampling: r.Settings.Sampling, MaxTokens: r.Settings.MaxTokens, MinTokens: r.Settings.MinTokens, Stop: s.Recipe.Sampling.Stop}
	voices := make([]chatsession.Speaker, len(r.Actors))
	for i, actor := range r.Actors {
		v, err := chatsession.SpeakerOf(actor)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", t.Called(i), err), t.Close())
		}
		voices[i] = v
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
