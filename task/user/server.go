package user

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/internal/service"
	"parley/internal/service/web"
)

// server asks a server about each call, or about so many in one request.
type server struct {
	web   *web.Server
	batch int // at most so many calls a request; 0 and 1: each alone
}

// longestBatch bounds the calls of a request, in bytes: the server reads a request of twice that.
const longestBatch = 8 << 20

// openServer asks the program that started parley how many calls it takes at once; other servers take one.
func openServer(ctx context.Context, s Settings, at web.Place) (*server, error) {
	opened := &server{web: at.Server(s.Deadline, s.Retries)}
	if !web.OfHost(s.URL) {
		return opened, nil
	}
	about, err := at.About(ctx)
	if opened.batch = about.Batch; opened.batch > 1 {
		opened.web.Longest = 16 << 20
	}
	return opened, err
}

// Ask implements [source].
func (s *server) Ask(ctx context.Context, requests []json.RawMessage) ([]service.Reply, error) {
	replies := make([]service.Reply, len(requests))
	parts := s.parts(requests)
	web.Each(len(parts), web.Together, func(i int) {
		from, to := parts[i][0], parts[i][1]
		if s.batch > 1 {
			s.together(ctx, requests[from:to], replies[from:to])
			return
		}
		replies[from].Err = s.web.Post(ctx, requests[from], func(body []byte) error {
			replies[from].Body = body
			return answers(body)
		})
	})
	return replies, service.LeftAmong(ctx, replies, func(r service.Reply) error { return r.Err })
}

// parts divides requests into those that go together, each from one up to another.
func (s *server) parts(requests []json.RawMessage) (parts [][2]int) {
	for from := 0; from < len(requests); {
		to, size := from+1, len(requests[from])
		for to < len(requests) && to-from < s.batch && size+len(requests[to]) <= longestBatch {
			size += len(requests[to])
			to++
		}
		parts = append(parts, [2]int{from, to})
		from = to
	}
	return parts
}

// together asks about several calls in one request. An answer that is wrong is one call's; another number of answers is wrong for all.
func (s *server) together(ctx context.Context, requests []json.RawMessage, replies []service.Reply) {
	var said struct {
		Answers []json.RawMessage `json:"answers"`
		Error   string            `json:"error"`
	}
	err := s.web.Post(ctx, map[string]any{"calls": requests}, func(body []byte) error {
		said.Answers, said.Error = nil, ""
		switch err := json.Unmarshal(body, &said); {
		case err != nil:
			return fmt.Errorf(`%.80s is no {"answers": […]}`, body)
		case said.Error == "" && len(said.Answers) != len(requests):
			return fmt.Errorf("it has %d answers, expected one for each of %d calls", len(said.Answers), len(requests))
		}
		return nil
	})
	if err == nil && said.Error != "" {
		err = service.Own(said.Error)
	}
	for i := range replies {
		if replies[i].Err = err; err == nil {
			replies[i].Body = said.Answers[i]
		}
	}
}
