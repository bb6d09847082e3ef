package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"parley/internal/service/web"
	"parley/speaker"
	"parley/team"
)

// endpoint speaks by a model behind an OpenAI-compatible server: a chat completion for each ask.
type endpoint struct {
	web   *web.Server
	model string
	stop  []string
}

// Kind implements [speaker.Speaker].
func (e *endpoint) Kind() string { return "endpoint" }

// completion is the part of a request that is used. A server that does not know the seed ignores it.
type completion struct {
	Model       string         `json:"model"`
	Messages    []team.Message `json:"messages"`
	Temperature float64        `json:"temperature"`
	TopP        float64        `json:"top_p"`
	MaxTokens   int            `json:"max_tokens"`
	Stop        []string       `json:"stop,omitempty"`
	Seed        int64          `json:"seed"`
}

// Speak implements [speaker.Speaker].
func (e *endpoint) Speak(ctx context.Context, asks []speaker.Ask) ([]speaker.Reply, error) {
	replies := make([]speaker.Reply, len(asks))
	web.Each(len(asks), func(i int) {
		a := asks[i]
		request := completion{e.model, a.Messages, a.Temperature, a.TopP, a.MaxTokens, e.stop, a.Draw()}
		if err := e.web.Post(ctx, request, func(body []byte) (err error) {
			replies[i].Text, err = firstChoice(body)
			return err
		}); err != nil {
			replies[i] = speaker.Reply{Err: err}
		}
	})
	return replies, ctx.Err()
}

// firstChoice reads what the model said.
func firstChoice(body []byte) (string, error) {
	var r struct {
		Choices []struct {
			Message struct {
				Content *string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return "", fmt.Errorf("the reply %.80q is no chat completion: %w", body, err)
	}
	if len(r.Choices) == 0 {
		return "", errors.New("the reply has no choices")
	}
	text := r.Choices[0].Message.Content
	if text == nil {
		return "", errors.New("the reply has no choices[0].message.content")
	}
	return boundedText(*text)
}
