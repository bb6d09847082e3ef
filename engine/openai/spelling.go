package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"parley/internal/service/web"
)

// A Form is how chats are spelled.
type Form string

// Forms of chats.
const (
	OpenAI    Form = "openai"    // /chat/completions
	Anthropic Form = "anthropic" // /messages
)

// newerRequest is a chat whose limit has its newer name.
type newerRequest struct {
	ChatRequest
	MaxTokens *int `json:"max_tokens,omitempty"`
	Newer     int  `json:"max_completion_tokens"`
}

func newerOf(r ChatRequest) any { return newerRequest{ChatRequest: r, Newer: r.MaxTokens} }

// wantsNewer says that a server has refused a request for the old name of the limit: models that reason know the newer one alone.
func wantsNewer(err error) bool {
	var status *web.StatusError
	return errors.As(err, &status) && status.Code == http.StatusBadRequest && strings.Contains(status.Words, "max_completion_tokens")
}

// messagesRequest asks for a message of Anthropic's protocol. It knows no seed.
type messagesRequest struct {
	Model       string    `json:"model"`
	System      string    `json:"system,omitempty"`
	Messages    []Message `json:"messages"`
	MaxTokens   int       `json:"max_tokens"`
	Temperature float64   `json:"temperature"`
	TopP        float64   `json:"top_p,omitempty"`
	Stop        []string  `json:"stop_sequences,omitempty"`
}

// anthropicHeader is what requests of Anthropic's protocol carry.
func anthropicHeader(key string) http.Header {
	h := http.Header{"Anthropic-Version": {"2023-06-01"}}
	if key != "" {
		h.Set(web.KeyHeader, key)
	}
	return h
}

// anthropic makes a question of a chat in that form. Its reply becomes one of a chat.
func (q *question) anthropic(r ChatRequest) error {
	if r.Stream || r.Logprobs {
		return errors.New("servers of Anthropic's protocol are asked for whole texts alone: write neither stream nor logprobs")
	}
	m := messagesRequest{Model: r.Model, MaxTokens: r.MaxTokens, Temperature: r.Temperature, TopP: r.TopP, Stop: r.Stop}
	var system []string
	for _, one := range r.Messages {
		if one.Role == "system" {
			system = append(system, one.Content)
		} else {
			m.Messages = append(m.Messages, one)
		}
	}
	m.System = strings.Join(system, "\n\n")
	q.route, q.body, q.newer, q.shape = "/messages", m, nil, chatOf
	if r.Seed != nil {
		q.seed = *r.Seed
	}
	return nil
}

// chatOf is a message as the reply of a chat.
func chatOf(reply []byte) ([]byte, error) {
	var m struct {
		Content []struct {
			Type string  `json:"type"`
			Text *string `json:"text"`
		} `json:"content"`
		Stop  *string `json:"stop_reason"`
		Usage *struct {
			Prompt int `json:"input_tokens"`
			Drawn  int `json:"output_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(reply, &m); err != nil {
		return nil, fmt.Errorf("the reply %.80q is no message: %w", reply, err)
	}
	var choice chatChoice
	for _, part := range m.Content {
		if part.Type == "text" && part.Text != nil {
			if choice.Message.Content == nil {
				choice.Message.Content = new(string)
			}
			*choice.Message.Content += *part.Text
		}
	}
	if choice.Message.Content == nil {
		return nil, errors.New("the reply has no content of type text")
	}
	if choice.Finish = m.Stop; m.Stop != nil && *m.Stop == "max_tokens" {
		choice.Finish = new("length")
	}
	body := chatBody{Choices: []chatChoice{choice}}
	if m.Usage != nil {
		data, err := json.Marshal(map[string]int{"prompt_tokens": m.Usage.Prompt, "completion_tokens": m.Usage.Drawn})
		if err != nil {
			return nil, err
		}
		body.Usage = data
	}
	return json.Marshal(body)
}
