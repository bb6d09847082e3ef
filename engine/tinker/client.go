package tinker

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/internal/service/web"
)

// A Server is where a training engine listens.
type Server struct {
	URL   string // such as http://127.0.0.1:8000; the paths of the protocol are behind it
	Key   string // sent as X-API-Key; empty: none
	Model string // the base, by the server's name for it; empty: the only one that it has
	// Wait is the longest that an operation of training or sampling may take, in the server's queue and in its engine.
	Wait time.Duration
}

const (
	jsonType  = "application/json"
	protoType = "application/x-protobuf"

	retries      = 6       // of one request
	longestReply = 8 << 20 // bytes of what is no result
)

// A client speaks the protocol with one server.
type client struct {
	server Server
	base   *url.URL // of the paths
	http   *http.Client
	// What tests have less of:
	patience time.Duration // for the answer to a request
	pause    time.Duration // before the first retry
	hold     time.Duration // for one question about a result, which a server may hold
	canary   time.Duration // without a result, after which the server is asked for something else
	beat     time.Duration // between heartbeats
	longest  int           // bytes of a result: log-probabilities of many long sequences
}

func newClient(s Server) (*client, error) {
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("address %q is no URL of a server: write one such as http://127.0.0.1:8000", web.Words([]byte(s.URL), 200))
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the address of a server has a password, a query or a fragment: write scheme, host, port and path alone; the key has an environment variable of its own")
	}
	const patience = time.Minute
	return &client{
		server: s, base: u.JoinPath("api", "v1"), http: web.NewClient(patience), patience: patience, pause: time.Second / 2,
		hold: 45 * time.Second, canary: 2 * time.Minute, beat: 10 * time.Second, longest: 1 << 30,
	}, nil
}

// A request is one that may be sent again as it is: the server knows it by its key.
type request struct {
	method, path string // the path without api/v1
	body         []byte
	kind         string // of the body; empty: there is none
	accept       string
	key          string // of idempotency
	most         int    // bytes of the answer
}

// post is a request with a body in JSON.
func post(path string, body any) (request, error) {
	data, err := json.Marshal(body)
	return request{method: http.MethodPost, path: path, body: data, kind: jsonType, accept: jsonType, most: longestReply}, err
}

// An answer is one that was read whole.
type answer struct {
	kind string // of the body
	body []byte
	code int
}

// call sends a request until it is answered or there is nothing more to try. Failures that may pass are tried again as they are, with the
// same idempotency key. Other statuses than success are a [*web.StatusError].
func (c *client) call(ctx context.Context, r request) (answer, error) {
	r.key = "parley-" + rand.Text()
	for failures := 1; ; failures++ {
		a, later, err := c.once(ctx, r, c.patience)
		if err == nil {
			return a, nil
		}
		if ctx.Err() != nil {
			return a, ctx.Err()
		}
		if failures > retries || !passing(err) {
			return a, c.named(r, err)
		}
		if err := sleep(ctx, max(web.Pause(c.pause, failures), later)); err != nil {
			return a, err
		}
	}
}

// passing reports whether the same request may do better later: there was no answer, or one that says so.
func passing(err error) bool {
	var status *web.StatusError
	var long *web.TooLongError
	switch {
	case errors.As(err, &long):
		return false
	case !errors.As(err, &status):
		return true
	case status.Code == http.StatusBadRequest: // a proxy's: the server itself says why
		return status.Words == ""
	}
	return status.Passing()
}

// named says what was asked of whom.
func (c *client) named(r request, err error) error {
	return fmt.Errorf("%s: %s: %w", c.base.JoinPath(r.path), strings.ToLower(r.method), err)
}

// once sends a request once.
func (c *client) once(ctx context.Context, r request, patience time.Duration) (a answer, later time.Duration, err error) {
	limited, stop := context.WithTimeout(ctx, patience)
	defer stop()
	response, err := c.send(limited, r)
	if err == nil {
		defer response.Body.Close()
		a.kind, a.code = response.Header.Get("Content-Type"), response.StatusCode
		if a.code/100 == 2 {
			a.body, err = web.Read(response, r.most)
		} else {
			later, err = web.Asked(response), web.Failure(response)
		}
	}
	if err != nil && limited.Err() != nil && ctx.Err() == nil { // else it is the caller's time that is up
		err = &silentError{patience}
	}
	return a, later, err
}

// A silentError says that there was no answer in time.
type silentError struct{ patience time.Duration }

func (e *silentError) Error() string { return fmt.Sprintf("no answer within %v", e.patience) }

// send starts a request. Its answer is the caller's to close.
func (c *client) send(ctx context.Context, r request) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, c.base.JoinPath(r.path).String(), bytes.NewReader(r.body))
	if err != nil {
		return nil, web.Cause(err)
	}
	req.Header.Set("Accept", r.accept)
	if r.kind != "" {
		req.Header.Set("Content-Type", r.kind)
	}
	if r.key != "" {
		req.Header.Set("X-Idempotency-Key", r.key)
	}
	if c.server.Key != "" {
		req.Header.Set(web.KeyHeader, c.server.Key)
	}
	response, err := c.http.Do(req)
	if err != nil {
		return nil, web.Cause(err)
	}
	return response, nil
}

// ask posts a body in JSON and reads the reply.
func ask[T any](ctx context.Context, c *client, path string, body any) (reply T, err error) {
	r, err := post(path, body)
	if err != nil {
		return reply, err
	}
	a, err := c.call(ctx, r)
	if err != nil {
		return reply, err
	}
	if err := json.Unmarshal(a.body, &reply); err != nil {
		return reply, c.named(r, fmt.Errorf("the reply %q: %w", web.Words(a.body, 80), err))
	}
	return reply, nil
}

// get reads what lies under a path.
func get[T any](ctx context.Context, c *client, path string) (reply T, err error) {
	r := request{method: http.MethodGet, path: path, accept: jsonType, most: longestReply}
	a, err := c.call(ctx, r)
	if err != nil {
		return reply, err
	}
	if err := json.Unmarshal(a.body, &reply); err != nil {
		return reply, c.named(r, fmt.Errorf("the reply %q: %w", web.Words(a.body, 80), err))
	}
	return reply, nil
}

// sleep waits, or until the context is done.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
