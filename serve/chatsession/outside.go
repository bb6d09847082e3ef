package chatsession

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/task"
	"parley/team"
)

// VoiceOf is s, who speaks for an agent that is no model, by the agent's name; or the model, where s is nil.
func VoiceOf(s team.Speaker, name string, model Speaker) Voice {
	if s == nil {
		return model
	}
	return outsider{s, name}
}

// An outsider is a [Voice] that says its text all at once.
type outsider struct {
	speaker team.Speaker
	name    string
}

// Say implements [Voice].
func (v outsider) Say(ctx context.Context, dialogue []team.Message, s Settings, say func(text string) error) (Reply, error) {
	problem := s.Problem
	if problem.Question == "" { // no team works on one: it is asked alone
		problem = asked(dialogue)
	}
	replies, err := v.speaker.Speak(ctx, []team.SpeakerAsk{{
		Agent: v.name, Problem: problem, Messages: dialogue, Seed: s.Seed, Temperature: s.Sampling.Temperature, TopP: s.Sampling.TopP, MaxTokens: s.MaxTokens,
		Form: s.Form,
	}})
	if err == nil {
		err = replies[0].Err
	}
	if err != nil {
		return Reply{}, err
	}
	return Reply{Text: replies[0].Text, Stop: engine.StopEOS}, say(replies[0].Text)
}

// asked is the last question of a dialogue as a problem.
func asked(dialogue []team.Message) task.Problem {
	var p task.Problem
	n := 0
	for _, m := range dialogue {
		if m.Role == team.User {
			n++
			p = task.Problem{ID: fmt.Sprintf("question-%d", n), Question: m.Content}
		}
	}
	return p
}
