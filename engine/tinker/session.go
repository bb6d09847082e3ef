package tinker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley/engine/tinker/wire"
	"parley/internal/service/web"
)

const (
	sdkVersion = "0.25.0"        // whose fields are sent: every server takes them
	farewell   = 5 * time.Second // for all that is said when a session ends
)

// A session is one of the server's. It ends when its heartbeats do.
type session struct {
	id      string
	context int // of the base, as the server has it; 0: it does not say
	ended   atomic.Bool

	models, samplers, draws atomic.Int64 // numbers of what the session asks for

	stop context.CancelFunc
	wait sync.WaitGroup
	c    *client
}

// open begins a session and keeps it alive.
func (c *client) open(ctx context.Context) (*session, error) {
	s := &session{c: c}
	if _, err := ask[wire.Reply](ctx, c, "client/config", wire.Config{SDK: sdkVersion}); err != nil && !missing(err) {
		return nil, fmt.Errorf("reach the server: %w", err)
	}
	has, err := get[wire.Reply](ctx, c, "get_server_capabilities")
	if err != nil {
		return nil, fmt.Errorf("ask which models the server has: %w", err)
	}
	if c.server.Model == "" && len(has.Supported) == 1 {
		c.server.Model = has.Supported[0].Name
	}
	var names []string
	for _, m := range has.Supported {
		names = append(names, m.Name)
		if m.Name == c.server.Model {
			s.context = m.Context
		}
	}
	if !slices.Contains(names, c.server.Model) {
		return nil, fmt.Errorf("the server has no model %q: name one of %s", c.server.Model, web.Words([]byte(strings.Join(names, ", ")), 500))
	}
	reply, err := ask[wire.Reply](ctx, c, "create_session", wire.Session{Tags: []string{}, Metadata: map[string]any{}, SDK: sdkVersion, Type: "create_session"})
	if err == nil && reply.Session == "" {
		err = errors.New("the reply names none")
	}
	if err != nil {
		return nil, fmt.Errorf("begin a session: %w", err)
	}
	s.id = reply.Session
	var alive context.Context
	alive, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.wait.Go(func() { s.beats(alive) })
	return s, nil
}

// missing reports that a server does not have a path.
func missing(err error) bool {
	var status *web.StatusError
	return errors.As(err, &status) && (status.Code == http.StatusNotFound || status.Code == http.StatusMethodNotAllowed)
}

// beats keeps the session alive. That some are lost matters to nobody; that the session is gone does.
func (s *session) beats(ctx context.Context) {
	for sleep(ctx, s.c.beat) == nil {
		r, err := post("session_heartbeat", wire.InSession{Session: s.id, Type: "session_heartbeat"})
		if err != nil {
			continue
		}
		_, _, err = s.c.once(ctx, r, max(s.c.beat, time.Second))
		var status *web.StatusError
		if errors.As(err, &status) && (status.Code == http.StatusGone || status.Code == http.StatusNotFound) {
			s.ended.Store(true)
			return
		}
	}
}

// check refuses what a session that is over would be asked.
func (s *session) check() error {
	if s.ended.Load() {
		return fmt.Errorf("session %s: %w", s.id, ErrGone)
	}
	return nil
}

// close tells the server that nobody will ask again. Whether it hears does not matter.
func (s *session) close() {
	s.stop()
	s.wait.Wait()
	ctx, stop := context.WithTimeout(context.Background(), farewell)
	defer stop()
	type reason struct {
		Type string `json:"type"`
	}
	r, err := post("sessions/"+s.id+"/finish", struct {
		Reason reason  `json:"reason"`
		Detail *string `json:"detail"`
	}{reason{"success"}, nil})
	if err == nil {
		_, _, _ = s.c.once(ctx, r, farewell)
	}
	s.c.http.CloseIdleConnections()
}
