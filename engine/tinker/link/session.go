package link

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
	"parley/internal/service"
	"parley/internal/service/web"
)

const (
	sdkVersion = "0.25.0"        // whose fields are sent: every server takes them
	Farewell   = 5 * time.Second // for all that is said when a session ends
)

// A Session is one of the server's. It ends when its heartbeats do.
type Session struct {
	ID      string
	Context int // of the base, as the server has it; 0: it does not say
	Ended   atomic.Bool

	Models, Samplers, Draws atomic.Int64 // numbers of what the session asks for

	opened context.Context // by whom: when it has ended, there is only a moment for what is said at the end
	stop   context.CancelFunc
	wait   sync.WaitGroup
	c      *Client
}

// Parting is a context for what the server is told when something ends.
func (s *Session) Parting() (context.Context, context.CancelFunc) {
	return service.Parting(s.opened, Farewell)
}

// Open begins a session and keeps it alive.
func (c *Client) Open(ctx context.Context) (*Session, error) {
	s := &Session{opened: ctx, c: c}
	if _, err := Ask[wire.Reply](ctx, c, "client/config", wire.Config{SDK: sdkVersion}); err != nil && !Missing(err) {
		return nil, fmt.Errorf("reach the server: %w", err)
	}
	has, err := Get[wire.Reply](ctx, c, "get_server_capabilities")
	if err != nil {
		return nil, fmt.Errorf("ask which models the server has: %w", err)
	}
	if c.Server.Model == "" && len(has.Supported) == 1 {
		c.Server.Model = has.Supported[0].Name
	}
	var names []string
	for _, m := range has.Supported {
		names = append(names, m.Name)
		if m.Name == c.Server.Model {
			s.Context = m.Context
		}
	}
	if !slices.Contains(names, c.Server.Model) {
		return nil, fmt.Errorf("the server has no model %q: name one of %s", c.Server.Model, web.Words([]byte(strings.Join(names, ", ")), 500))
	}
	reply, err := Ask[wire.Reply](ctx, c, "create_session", wire.Session{Tags: []string{}, Metadata: map[string]any{}, SDK: sdkVersion, Type: "create_session"})
	if err == nil && reply.Session == "" {
		err = errors.New("the reply names none")
	}
	if err != nil {
		return nil, fmt.Errorf("begin a session: %w", err)
	}
	s.ID = reply.Session
	var alive context.Context
	alive, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.wait.Go(func() { s.beats(alive) })
	return s, nil
}

// Missing reports that a server does not have a path.
func Missing(err error) bool {
	var status *web.StatusError
	return errors.As(err, &status) && (status.Code == http.StatusNotFound || status.Code == http.StatusMethodNotAllowed)
}

// beats keeps the session alive. A lost heartbeat does not matter. If the server says that the session is gone, the
// session has ended.
func (s *Session) beats(ctx context.Context) {
	for Sleep(ctx, s.c.Beat) == nil {
		r, err := Post("session_heartbeat", wire.InSession{Session: s.ID, Type: "session_heartbeat"})
		if err != nil {
			continue
		}
		_, _, err = s.c.Once(ctx, r, max(s.c.Beat, time.Second))
		var status *web.StatusError
		if errors.As(err, &status) && (status.Code == http.StatusGone || status.Code == http.StatusNotFound) {
			s.Ended.Store(true)
			return
		}
	}
}

// Check refuses what a session that is over would be asked.
func (s *Session) Check() error {
	if s.Ended.Load() {
		return fmt.Errorf("session %s: %w", s.ID, ErrGone)
	}
	return nil
}

// Close tells the server that nobody will ask again. Whether it hears does not matter.
func (s *Session) Close() {
	s.stop()
	s.wait.Wait()
	ctx, stop := s.Parting()
	defer stop()
	type reason struct {
		Type string `json:"type"`
	}
	r, err := Post("sessions/"+s.ID+"/finish", struct {
		Reason reason  `json:"reason"`
		Detail *string `json:"detail"`
	}{reason{"success"}, nil})
	if err == nil {
		_, _, _ = s.c.Once(ctx, r, Farewell)
	}
	s.c.http.CloseIdleConnections()
}
