package servecmd

// This file talks to servers of OpenAI's protocol, for people who watch: what a server says is told as it comes.
//
//	server.go  requests, and what servers answer to them
//	events.go  the pieces of an answer
//
// What a server says is not trusted: its lines and texts have bounds, a server that falls silent is left, and an answer is whole only
// with its reason to end. Requests keep the policy of package web.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/internal/service/web"
)

const (
	mostTries = 5       // of a request that a busy server puts off
	mostList  = 4 << 20 // bytes of a list of models
)

// A Server is where requests go.
type server struct {
	base   string // ends in a version, such as /v1
	key    string
	client *http.Client
	// silence is how long a server may say nothing; teams think for minutes, and good servers say so meanwhile.
	silence time.Duration
}

// newServer returns the server at an address. One without a path has the protocol at /v1. An empty key is not sent.
func newServer(address, key string) (*server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%.200q is no address of a server, such as http://127.0.0.1:8000/v1", address)
	}
	if u.Path = strings.TrimRight(u.Path, "/"); u.Path == "" {
		u.Path = "/v1"
	}
	const silence = 10 * time.Minute
	return &server{u.String(), key, web.NewClient(silence), silence}, nil
}

// Models are the names of what is served.
func (s *server) Models(ctx context.Context) ([]string, error) {
	answer, err := s.ask(ctx, http.MethodGet, "/models", nil)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	data, err := web.Read(answer, mostList)
	if err != nil {
		return nil, err
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s answers no list of models: %w", s.base, err)
	}
	var names []string
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	return names, nil
}

// A Message is one of a conversation.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// A Request is a conversation that a model of the server is to answer. Fields that are nil are as the server has them.
type Request struct {
	Model       string    `json:"model"`
	Messages    []message `json:"messages"`
	Temperature *float64  `json:"temperature,omitempty"`
	MaxTokens   *int      `json:"max_tokens,omitempty"`
	Stop        []string  `json:"stop,omitempty"`
	Seed        *int64    `json:"seed,omitempty"`
}

// A Listener is told what comes while it comes. Its errors end the request.
type listener struct {
	Reason func(text string) error // what a team says in its turns, or a model thinks
	Say    func(text string) error // the answer
}

// A Reply is a whole answer.
type Reply struct {
	Text   string
	Tokens int // as the server counts them; 0: it does not
	Cut    bool
}

// Chat lets the server answer. What came before an error is in the reply.
func (s *server) Chat(ctx context.Context, r Request, l listener) (Reply, error) {
	body, err := json.Marshal(struct {
		Request
		Stream  bool            `json:"stream"`
		Options map[string]bool `json:"stream_options"`
	}{r, true, map[string]bool{"include_usage": true}})
	if err != nil {
		return Reply{}, err
	}
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	answer, err := s.ask(ctx, http.MethodPost, "/chat/completions", body)
	if err != nil {
		return Reply{}, err
	}
	defer answer.Body.Close()
	watch := time.AfterFunc(s.silence, func() { leave(errors.New("the server has been silent for too long")) })
	defer watch.Stop()
	reply, err := hear(&awake{answer.Body, watch, s.silence}, l)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return reply, err
}

// awake is a body whose bytes prove that its server is there.
type awake struct {
	io.Reader
	watch   *time.Timer
	silence time.Duration
}

func (a *awake) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	a.watch.Reset(a.silence)
	return n, err
}

// ask sends a request until the server takes it.
func (s *server) ask(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	for try := 1; ; try++ {
		answer, err := s.send(ctx, method, path, body)
		var failed *web.StatusError
		if err == nil || try == mostTries || !errors.As(err, &failed) || failed.Code != http.StatusTooManyRequests && failed.Code != http.StatusServiceUnavailable {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(max(web.Asked(answer), web.Pause(time.Second, try))):
		}
	}
}

// send sends a request once. An answer that is no success has been read.
func (s *server) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if s.key != "" {
		r.Header.Set("Authorization", "Bearer "+s.key)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", s.base, web.Cause(err))
	}
	if answer.StatusCode != http.StatusOK {
		defer answer.Body.Close()
		return answer, refusal(s.base, answer)
	}
	return answer, nil
}

// refusal is the error of an answer that is no success: what the server says, in whatever shape.
func refusal(base string, answer *http.Response) error {
	data, err := web.Read(answer, 64<<10)
	words := web.Words(data, 300)
	if message := messageOf(data); err == nil && message != "" {
		words = web.Words([]byte(message), 300)
	}
	return fmt.Errorf("%s: %w", base, &web.StatusError{Code: answer.StatusCode, Location: answer.Header.Get("Location"), Words: words})
}

// messageOf is the sentence in an error, which servers write as OpenAI does, flat, as a detail, or as one text.
func messageOf(data []byte) string {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(data, &e) != nil {
		return ""
	}
	for _, raw := range []json.RawMessage{e.Error, e.Detail} {
		var text string
		var inner struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(raw, &text) == nil && text != "" {
			return text
		}
		if json.Unmarshal(raw, &inner) == nil && inner.Message != "" {
			return inner.Message
		}
	}
	return e.Message
}
