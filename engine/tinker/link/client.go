// Package link carries requests to a server of the Tinker protocol and brings results back: once, however often something is lost on the way, and
// within a deadline.
//
//	client.go   requests: retries that are safe, bounds, the key
//	future.go   results, which are asked for until they are there, or it can be seen that they never will be
//	session.go  a session of the server, kept alive
//	archive.go  adapters that come home
package link

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/internal/service"
	"parley/internal/service/web"
)

// A Server is where a training engine listens.
type Server struct {
	URL   string // such as http://127.0.0.1:8000; the paths of the protocol are behind it
	Key   string // sent as X-API-Key; empty: none
	Model string // the base, by the server's name for it; empty: the only one that it has
	// Wait is the longest that an operation of training or sampling may take, in the server's queue and in its engine.
	Wait  time.Duration
	Slots int  // completions that it draws at once; 0: 128
	Alone bool // nobody else uses it: what would harm others is measured too
}

// Kinds of bodies, and how long they may be.
const (
	JSON  = "application/json"
	Proto = "application/x-protobuf"

	retries      = 6       // of one request
	LongestReply = 8 << 20 // bytes of what is no result
)

// A Client speaks the protocol with one server.
type Client struct {
	Server Server
	base   *url.URL // of the paths
	http   *http.Client

	// What tests have less of:
	Patience time.Duration // for the answer to a request
	Pause    time.Duration // before the first retry
	Hold     time.Duration // for one question about a result, which a server may hold
	Canary   time.Duration // without a result, after which the server is asked for something else
	Beat     time.Duration // between heartbeats
	Longest  int           // bytes of a result: log-probabilities of many long sequences
}

// New returns the client of a server, which it does not ask yet.
func New(s Server) (*Client, error) {
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("address %q is no URL of a server: write one such as http://127.0.0.1:8000", web.Words([]byte(s.URL), 200))
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the address of a server has a password, a query or a fragment: write scheme, host, port and path alone; the key has an environment variable of its own")
	}
	const patience = time.Minute
	return &Client{
		Server: s, base: u.JoinPath("api", "v1"), http: web.NewClient(patience), Patience: patience, Pause: time.Second / 2,
		Hold: 45 * time.Second, Canary: 2 * time.Minute, Beat: 10 * time.Second, Longest: 1 << 30,
	}, nil
}

// A Request is one that may be sent again as it is: the server knows it by its key.
type Request struct {
	Method, Path string // the path without api/v1
	Body         []byte
	Kind         string // of the body; empty: there is none
	Accept       string
	Most         int // bytes of the answer
	key          string
	// Once says that the server would do it twice: it is sent again only where the server says that it was not taken.
	Once bool
}

// Post is a request with a body in JSON.
func Post(path string, body any) (Request, error) {
	data, err := json.Marshal(body)
	return Request{Method: http.MethodPost, Path: path, Body: data, Kind: JSON, Accept: JSON, Most: LongestReply}, err
}

// An Answer is one that was read whole.
type Answer struct {
	Kind string // of the body
	Body []byte
	code int
}

// Call sends a request until it is answered or there is nothing more to try. Failures that may pass are tried again as they are, with the
// same idempotency key. Other statuses than success are a [*web.StatusError].
func (c *Client) Call(ctx context.Context, r Request) (Answer, error) {
	if !r.Once { // a key also tells net/http that it may send again
		r.key = "parley-" + rand.Text()
	}
	for failures := 1; ; failures++ {
		a, later, err := c.Once(ctx, r, c.Patience)
		if err == nil {
			return a, nil
		}
		if left := service.Left(ctx, c.base.JoinPath(r.Path).String()); left != nil {
			return a, left
		}
		if failures > retries || !Passing(err) || r.Once && !untaken(err) {
			return a, c.named(r, err)
		}
		if err := Sleep(ctx, max(web.Pause(c.Pause, failures), later)); err != nil {
			return a, cmp.Or(service.Left(ctx, c.base.JoinPath(r.Path).String()), err)
		}
	}
}

// Passing reports whether the same request may do better later: there was no answer, or one that says so.
func Passing(err error) bool {
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

// untaken reports that a server says of a request that it did not begin with it.
func untaken(err error) bool {
	var status *web.StatusError
	return errors.As(err, &status) && (status.Code == http.StatusTooManyRequests || status.Code == http.StatusServiceUnavailable)
}

// Conflict reports that a server has what it was to make, or knows the number of a request already.
func Conflict(err error) bool {
	var status *web.StatusError
	return errors.As(err, &status) && status.Code == http.StatusConflict
}

// named says what was asked of whom.
func (c *Client) named(r Request, err error) error {
	return fmt.Errorf("%s: %s: %w", c.base.JoinPath(r.Path), strings.ToLower(r.Method), err)
}

// Once sends a request once.
func (c *Client) Once(ctx context.Context, r Request, patience time.Duration) (a Answer, later time.Duration, err error) {
	limited, stop := context.WithTimeout(ctx, patience)
	defer stop()
	response, err := c.Send(limited, r)
	if err == nil {
		defer response.Body.Close()
		a.Kind, a.code = response.Header.Get("Content-Type"), response.StatusCode
		if a.code/100 == 2 {
			a.Body, err = web.Read(response, r.Most)
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

// Send starts a request. Its answer is the caller's to close.
func (c *Client) Send(ctx context.Context, r Request) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, c.base.JoinPath(r.Path).String(), bytes.NewReader(r.Body))
	if err != nil {
		return nil, web.Cause(err)
	}
	req.Header.Set("Accept", r.Accept)
	if r.Kind != "" {
		req.Header.Set("Content-Type", r.Kind)
	}
	if r.key != "" {
		req.Header.Set("X-Idempotency-Key", r.key)
	}
	if c.Server.Key != "" {
		req.Header.Set(web.KeyHeader, c.Server.Key)
	}
	response, err := c.http.Do(req)
	if err != nil {
		return nil, web.Cause(err)
	}
	return response, nil
}

// Ask posts a body in JSON and reads the reply.
func Ask[T any](ctx context.Context, c *Client, path string, body any) (reply T, err error) {
	r, err := Post(path, body)
	if err != nil {
		return reply, err
	}
	err = c.into(ctx, r, &reply)
	return reply, err
}

// Get reads what lies under a path.
func Get[T any](ctx context.Context, c *Client, path string) (reply T, err error) {
	err = c.into(ctx, Request{Method: http.MethodGet, Path: path, Accept: JSON, Most: LongestReply}, &reply)
	return reply, err
}

// into reads the reply to a request.
func (c *Client) into(ctx context.Context, r Request, reply any) error {
	a, err := c.Call(ctx, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(a.Body, reply); err != nil {
		return c.named(r, fmt.Errorf("the reply %q: %w", web.Words(a.Body, 80), err))
	}
	return nil
}

// Sleep waits, or until the context is done.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Metric is what a server calls by a name, whatever it writes before and behind it; 0: it does not say.
func Metric(all map[string]float64, name string) float64 {
	for key, x := range all {
		key, _, _ = strings.Cut(key, ":")
		if strings.HasSuffix(key, name) {
			return x
		}
	}
	return 0
}
