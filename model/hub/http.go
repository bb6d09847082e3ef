package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/internal/service/web"
)

// newHTTP returns a client that gives up servers that do not answer, and keeps the policy of package web.
func newHTTP(patience time.Duration) *http.Client {
	client := web.NewClient(patience)
	client.CheckRedirect = redirect
	return client
}

// redirect follows redirects as all clients do, but a HEAD ends at the redirect to the store of large files: the checksum stands in
// that answer, not in the store's.
func redirect(r *http.Request, via []*http.Request) error {
	if err := web.Redirect(r, via); err != nil {
		return err
	}
	first := via[0]
	if first.Method == http.MethodHead && (r.URL.Host != first.URL.Host || r.Response.Header.Get("X-Linked-Etag") != "") {
		return http.ErrUseLastResponse
	}
	return nil
}

// A temporary error is one after which it is worth trying again, and not before the time that the server asks for.
type temporary struct {
	error
	after time.Duration
}

func (t temporary) Unwrap() error { return t.error }

// patiently calls f until it succeeds, fails for good, or fails too often.
func (p *pull) patiently(ctx context.Context, f func() error) error {
	for try := 2; ; try++ {
		err := f()
		var t temporary
		if !errors.As(err, &t) || try > p.tries {
			return err
		}
		pause := max(p.pause(try), t.after)
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
	switch {
	case err == nil:
		return answer, nil
	case ctx.Err() == nil && !errors.As(err, new(*web.RedirectError)):
		return nil, temporary{error: web.Cause(err)}
	}
	return nil, web.Cause(err)
}

// refusal is the error for an answer that is not a success.
func (p *pull) refusal(answer *http.Response) error {
	where := "at " + p.Endpoint
	status := fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode)) // not the server's words
	switch code := answer.StatusCode; {
	case answer.Header.Get("X-Error-Code") == "RevisionNotFound":
		return fmt.Errorf("the %s has no revision %q %s", p.kind.noun, p.revision, where)
	case code == http.StatusUnauthorized && p.Token == "", code == http.StatusForbidden && p.Token == "":
		return fmt.Errorf("%s: the %s is private, gated or does not exist %s: set HF_TOKEN to a token that may read it", status, p.kind.noun, where)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return fmt.Errorf("%s: the token in HF_TOKEN may not read the %s; if it is gated, accept its conditions at %s/%s%s", status, p.kind.noun, p.Endpoint, p.kind.address, p.name)
	case code == http.StatusNotFound:
		return fmt.Errorf("%s: there is no such %s or file %s, revision %s; check the name", status, p.kind.noun, where, p.revision)
	}
	failure := web.Failure(answer)
	err := fmt.Errorf("the server answered %w", failure)
	if failure.Passing() {
		return temporary{err, web.Asked(answer)}
	}
	return err
}

// address is the address of a file of the repository.
func (p *pull) address(path string) string {
	parts := strings.Split(path, "/")
	for i, s := range parts {
		parts[i] = url.PathEscape(s)
	}
	return p.Endpoint + "/" + p.kind.address + p.name + "/resolve/" + p.commit + "/" + strings.Join(parts, "/")
}
