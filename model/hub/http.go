package hub

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// newHTTP returns a client that gives up servers that do not answer.
func newHTTP(patience time.Duration) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: patience}).DialContext
	t.ResponseHeaderTimeout = patience
	return &http.Client{Transport: t, CheckRedirect: redirect}
}

// redirect keeps the token from other hosts, to which files are redirected, and encrypted requests encrypted. A HEAD ends
// at the redirect to the store of large files: the checksum stands in that answer, not in the store's.
func redirect(r *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case len(via) > 10:
		return errors.New("more than 10 redirects")
	case first.URL.Scheme == "https" && r.URL.Scheme != "https":
		return fmt.Errorf("redirected from https to %s", r.URL.Scheme)
	case first.Method == http.MethodHead && (r.URL.Host != first.URL.Host || r.Response.Header.Get("X-Linked-Etag") != ""):
		return http.ErrUseLastResponse
	case r.URL.Host == first.URL.Host:
		return nil
	}
	r.Header.Del("Authorization")
	return nil
}

// A temporary error is one after which it is worth trying again.
type temporary struct{ error }

func (t temporary) Unwrap() error { return t.error }

// patiently calls f until it succeeds, fails for good, or fails too often.
func (p *pull) patiently(ctx context.Context, f func() error) error {
	for try := 2; ; try++ {
		err := f()
		if !errors.As(err, new(temporary)) || try > p.tries {
			return err
		}
		pause := p.pause(try)
		p.again(Retry{err, try, p.tries, pause})
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// again tells the observer that a request failed and is made again.
func (p *pull) again(r Retry) {
	at := p.progress
	at.Retry = &r
	p.observe(at)
}

// request sends a request and returns the answer, whatever its status.
func (c *Client) request(ctx context.Context, method, address string, header ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "parley")
	r.Header.Set("Accept-Encoding", "identity") // else lengths and ranges would be those of compressed bytes
	if c.Token != "" {
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := c.http.Do(r)
	if err != nil && ctx.Err() == nil {
		return nil, temporary{err}
	}
	return answer, err
}

// refusal is the error for an answer that is not a success.
func (p *pull) refusal(answer *http.Response) error {
	where := "at " + p.Endpoint
	switch code := answer.StatusCode; {
	case answer.Header.Get("X-Error-Code") == "RevisionNotFound":
		return fmt.Errorf("the %s has no revision %q %s", p.kind.noun, p.revision, where)
	case code == http.StatusUnauthorized && p.Token == "", code == http.StatusForbidden && p.Token == "":
		return fmt.Errorf("%s: the %s is private, gated or does not exist %s: set HF_TOKEN to a token that may read it", answer.Status, p.kind.noun, where)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return fmt.Errorf("%s: the token in HF_TOKEN may not read the %s; if it is gated, accept its conditions at %s/%s%s", answer.Status, p.kind.noun, p.Endpoint, p.kind.address, p.name)
	case code == http.StatusNotFound:
		return fmt.Errorf("%s: there is no such %s or file %s, revision %s; check the name", answer.Status, p.kind.noun, where, p.revision)
	case code == http.StatusTooManyRequests, code >= 500:
		return temporary{fmt.Errorf("the server answered %s", answer.Status)}
	}
	return fmt.Errorf("the server answered %s", answer.Status)
}

// address is the address of a file of the repository.
func (p *pull) address(path string) string {
	parts := strings.Split(path, "/")
	for i, s := range parts {
		parts[i] = url.PathEscape(s)
	}
	return p.Endpoint + "/" + p.kind.address + p.name + "/resolve/" + p.commit + "/" + strings.Join(parts, "/")
}
