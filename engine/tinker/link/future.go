package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"parley/engine/tinker/wire"
	"parley/internal/service/web"
)

// ErrGone is wrapped by errors that say that a server no longer has what it was asked about: it was started again, or it ended the session.
// A run goes on from its last checkpoint.
var ErrGone = errors.New("the server no longer has it: it was started again, or it ended the session; resume the run from its last checkpoint")

// A Failure is an operation that a server took, and that failed there.
type Failure struct {
	Category string // user, server or unknown
	Words    string // the server's
}

func (e *Failure) Error() string { return "the server failed: " + e.Words }

// Passes says that the same operation may succeed if it is tried again: the server does not blame the request.
func (e *Failure) Passes() bool { return e.Category != "user" }

const (
	mostFailures = 8           // questions about a result in a row that a server does not answer
	shortHold    = time.Second // a server that says "not yet" sooner than that is asked more and more slowly
)

// Await asks for the result of a request until it is there, the time is up, or the server can be seen to have lost it. proto says that the
// result is one of those that may come in protobuf.
func (c *Client) Await(ctx context.Context, id string, proto bool, canary func(context.Context) error) (Answer, error) {
	if id == "" {
		return Answer{}, errors.New("the reply names no request_id")
	}
	r, err := Post("retrieve_future", wire.Retrieve{Request: id})
	if err != nil {
		return Answer{}, err
	}
	r.Most = c.Longest
	if proto {
		r.Accept = Proto
	}
	limited, stop := context.WithTimeoutCause(ctx, c.Server.Wait, ErrWait)
	defer stop()
	a, err := c.poll(limited, r, canary)
	if err != nil && context.Cause(limited) == ErrWait { //nolint:errorlint // the cause itself
		err = fmt.Errorf("%w: none within %v", ErrWait, c.Server.Wait)
	}
	return a, err
}

// ErrWait is wrapped by errors that say that a result does not come.
var ErrWait = errors.New("the server took the request and gives no result")

// poll is Await without its deadline.
func (c *Client) poll(ctx context.Context, r Request, canary func(context.Context) error) (Answer, error) {
	w := watch{canary: canary, next: time.Now().Add(c.Canary), every: c.Canary}
	for failures, quick := 0, 0; ; {
		asked := time.Now()
		a, later, err := c.Once(ctx, r, c.Hold)
		verdict, err := judge(a, err)
		switch {
		case ctx.Err() != nil:
			return a, ctx.Err()
		case verdict == done:
			return a, err
		case verdict == broken:
			if failures++; failures > mostFailures {
				return a, c.named(r, fmt.Errorf("%d times in a row: %w", failures, err))
			}
			err = Sleep(ctx, max(web.Pause(c.Pause, failures), later))
		case time.Since(asked) < shortHold:
			failures, quick = 0, quick+1
			err = Sleep(ctx, min(time.Duration(quick)*10*time.Millisecond, time.Second))
		default:
			failures = 0
		}
		if err == nil {
			err = w.look(ctx)
		}
		if err != nil {
			return a, err
		}
	}
}

// A watch looks after a wait: where it lasts, something else is asked of the server. If that is answered twice while the older request still is
// not, the server does not work on it: servers that were started again take requests for models that they no longer have, and say "not yet"
// forever.
type watch struct {
	canary   func(context.Context) error
	next     time.Time
	every    time.Duration
	answered int
}

func (w *watch) look(ctx context.Context) error {
	if w.canary == nil || time.Now().Before(w.next) {
		return nil
	}
	if w.answered == 2 {
		return fmt.Errorf("a request that came later was answered, this one was not: %w", ErrGone)
	}
	if err := w.canary(ctx); err != nil {
		w.answered = 0 // it is the server that is busy, or does not answer at all: the deadline decides
	} else {
		w.answered++
	}
	w.next = time.Now().Add(w.every)
	return ctx.Err()
}

// A verdict is what an answer about a result means.
type verdict int

const (
	done   verdict = iota // it is the result, or says that there is none
	notYet                // the question is asked again
	broken                // it is asked again, but not forever
)

// judge says what an answer to a question about a result means.
func judge(a Answer, err error) (verdict, error) {
	var status *web.StatusError
	var silent *silentError
	switch {
	case err == nil:
		return judgeResult(a)
	case errors.As(err, &silent):
		return notYet, nil
	case !errors.As(err, &status):
		if _, ok := errors.AsType[*web.TooLongError](err); ok {
			return done, err
		}
		return broken, err
	case status.Code == http.StatusRequestTimeout:
		return notYet, nil
	case status.Code == http.StatusGone, status.Code == http.StatusNotFound:
		return done, fmt.Errorf("%w: %w", ErrGone, err)
	case Passing(err):
		return broken, err
	case status.Code == http.StatusBadRequest:
		return done, &Failure{"unknown", detail(status.Words)}
	}
	return done, &Failure{"user", fmt.Sprintf("%d: %s", status.Code, detail(status.Words))}
}

// detail takes the words out of the JSON that servers wrap them in.
func detail(words string) string {
	var j struct{ Detail, Error any }
	if json.Unmarshal([]byte(words), &j) != nil {
		return words
	}
	for _, part := range []any{j.Detail, j.Error} {
		if text, ok := part.(string); ok {
			return text
		}
	}
	return words
}

// judgeResult looks at an answer that is a success by its status.
func judgeResult(a Answer) (verdict, error) {
	if strings.Contains(a.Kind, Proto) {
		return done, nil
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(a.Body, &top); err != nil {
		return broken, fmt.Errorf("the result %q: %w", web.Words(a.Body, 80), err)
	}
	var reply wire.Reply
	_ = json.Unmarshal(a.Body, &reply) // fields of another kind than expected are found where they are used
	if failed, has := top["error"]; has {
		category := strings.ToLower(reply.Category)
		if category != "user" && category != "server" {
			category = "unknown"
		}
		var words string
		if json.Unmarshal(failed, &words) != nil {
			words = web.Words(failed, 500)
		}
		return done, &Failure{category, web.Words([]byte(words), 2000)}
	}
	switch {
	case reply.Type == "try_again":
		return notYet, nil
	case reply.Status == "complete_metadata":
		return broken, errors.New("the server sent the size of a result, which was not asked for")
	}
	return done, nil
}

// Result reads a result that is JSON.
func Result(a Answer) (reply wire.Reply, err error) {
	if err := json.Unmarshal(a.Body, &reply); err != nil {
		return reply, fmt.Errorf("the result %q: %w", web.Words(a.Body, 80), err)
	}
	return reply, nil
}
