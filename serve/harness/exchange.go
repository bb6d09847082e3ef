package harness

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"parley/rl/rollout/harness"
	"parley/serve"
)

// An exchange is a request and its answer, which is kept as it is written: it implements [http.ResponseWriter]. Who asked for it reads it, and so does who asks for it again.
// A whole answer is drawn to its end whoever leaves; a stream ends when nobody reads it any more. Its fields are the session's lock's.
type exchange struct {
	session *session
	key     [sha256.Size]byte
	idem    string // Idempotency-Key of the request that began it
	cancel  context.CancelFunc

	begin sync.Once
	calls []*harness.Call
	err   error // of begin
	open  int   // choices that are not whole

	header    http.Header
	status    int
	streams   bool
	data      []byte
	tail      int           // where what follows the last choice begins, while the answer goes on
	news      chan struct{} // closed when there is more, and made anew
	ended     bool
	failure   *serve.Failure // in place of an answer
	broken    bool           // it has no end
	readers   int
	delivered bool
}

type exchangeKey struct{}

// exchangeOf is the one that an answer is for.
func exchangeOf(ctx context.Context) *exchange { return ctx.Value(exchangeKey{}).(*exchange) }

// exchange answers a request, as one that came before or by itself.
func (s *session) exchange(w http.ResponseWriter, r *http.Request, answer func(http.ResponseWriter, *http.Request) *serve.Failure, agent string) *serve.Failure {
	var body json.RawMessage
	if fault := serve.Read(r, &body); fault != nil {
		return fault
	}
	var more struct {
		Tops int `json:"top_logprobs"`
	}
	if json.Unmarshal(body, &more) == nil && more.Tops > 0 {
		return serve.Bad("top_logprobs", "top_logprobs is %d, and an episode keeps the tokens that were drawn alone: leave it out", more.Tops).Coded("unsupported_parameter")
	}
	key := sha256.Sum256(slices.Concat([]byte(agent+" "+r.URL.Path+"\n"), body))
	idem := r.Header.Get("Idempotency-Key")
	tries, _ := strconv.Atoi(r.Header.Get("x-stainless-retry-count")) // what is no number is no retry
	s.mu.Lock()
	x := s.again(key, idem, tries > 0)
	if x == nil {
		x = &exchange{session: s, key: key, idem: idem, header: http.Header{}, news: make(chan struct{})}
		ctx, cancel := context.WithCancel(context.WithValue(s.live.Context(), exchangeKey{}, x))
		x.cancel = cancel
		s.kept[key] = append(s.kept[key], x)
		inner := r.Clone(ctx)
		inner.Body = io.NopCloser(bytes.NewReader(body))
		go x.work(answer, inner)
	} else {
		s.live.Count(harness.Replayed, "")
	}
	x.readers++
	s.mu.Unlock()
	return x.read(w, r)
}

// again is the exchange that a request asks for once more; nil: it is a new one. Equal bodies alone are no proof, but where an answer waits for a client that has left.
func (s *session) again(key [sha256.Size]byte, idem string, marked bool) *exchange {
	var last, left *exchange
	for _, x := range s.kept[key] {
		if idem != "" && x.idem == idem {
			return x
		}
		if last = x; x.readers == 0 && !x.delivered {
			left = x
		}
	}
	if left == nil && marked {
		return last
	}
	return left
}

// work has the request answered.
func (x *exchange) work(answer func(http.ResponseWriter, *http.Request) *serve.Failure, r *http.Request) {
	var fault *serve.Failure
	defer func() {
		v := recover()
		x.session.mu.Lock()
		defer x.session.mu.Unlock()
		x.broken, x.ended = v != nil, true
		if fault != nil {
			x.failure = fault
		}
		if fault != nil || x.broken {
			x.forget()
			x.left()
		}
		x.abandon()
		if x.broken && v != http.ErrAbortHandler {
			x.session.live.Fail(fmt.Sprintf("the server failed: %v", v))
		}
		x.tell()
		x.cancel()
	}()
	fault = answer(x, r)
}

// forget lets nobody ask for the answer again.
func (x *exchange) forget() {
	kept := x.session.kept
	kept[x.key] = slices.DeleteFunc(kept[x.key], func(o *exchange) bool { return o == x })
}

func (x *exchange) tell() {
	close(x.news)
	x.news = make(chan struct{})
}

// call is the call of one choice. All are begun with the first.
func (x *exchange) call(choice int, begin func() ([]*harness.Call, error)) (*harness.Call, error) {
	x.begin.Do(func() {
		calls, err := begin()
		x.session.mu.Lock()
		defer x.session.mu.Unlock()
		x.calls, x.err, x.open = calls, err, len(calls)
	})
	if x.err != nil {
		return nil, x.err
	}
	return x.calls[choice], nil
}

// fail is what is told in place of an answer, though the episode is over with it.
func (x *exchange) fail(f *serve.Failure) error {
	x.session.mu.Lock()
	defer x.session.mu.Unlock()
	x.failure = f
	return f
}

// drawn says that a choice is whole. What is written behind the last one is read when all of it is there.
func (x *exchange) drawn() {
	x.session.mu.Lock()
	defer x.session.mu.Unlock()
	if x.open--; x.open == 0 {
		x.tail = len(x.data)
	}
}

// Header implements [http.ResponseWriter].
func (x *exchange) Header() http.Header { return x.header }

// WriteHeader implements [http.ResponseWriter].
func (x *exchange) WriteHeader(status int) {
	x.session.mu.Lock()
	defer x.session.mu.Unlock()
	x.status, x.streams = status, strings.HasPrefix(x.header.Get("Content-Type"), "text/event-stream")
	x.abandon()
}

// Write implements [http.ResponseWriter].
func (x *exchange) Write(data []byte) (int, error) {
	x.session.mu.Lock()
	defer x.session.mu.Unlock()
	x.data = append(x.data, data...)
	x.tell()
	return len(data), nil
}

// Flush implements [http.Flusher].
func (x *exchange) Flush() {}

// abandon says that nobody reads an answer that was not delivered. A stream ends with that, and nobody may ask for it again.
func (x *exchange) abandon() {
	if x.readers > 0 || x.delivered {
		return
	}
	x.left()
	if x.streams {
		x.forget()
		x.cancel()
	}
}

// left says that the calls of the answer have no client, for now.
func (x *exchange) left() {
	for _, c := range x.calls {
		c.Left()
	}
}

// leave says that a client is gone, or has all.
func (x *exchange) leave() {
	x.session.mu.Lock()
	defer x.session.mu.Unlock()
	x.readers--
	x.abandon()
}

// read sends the answer to a client as it comes.
func (x *exchange) read(w http.ResponseWriter, r *http.Request) *serve.Failure {
	defer x.leave()
	control := http.NewResponseController(w)
	for sent := 0; ; {
		data, news, ended := x.from(sent)
		switch {
		case ended && len(data) == 0:
			return x.end(sent) // a client that has all of it may close its connection at once
		case r.Context().Err() != nil:
			panic(http.ErrAbortHandler) // there is nobody to tell
		case len(data) > 0:
			if sent == 0 {
				maps.Copy(w.Header(), x.header)
				w.WriteHeader(x.status)
			}
			if _, err := w.Write(data); err != nil || control.Flush() != nil {
				panic(http.ErrAbortHandler)
			}
			sent += len(data)
		default:
			select {
			case <-news:
			case <-r.Context().Done():
			}
		}
	}
}

// from is what may be sent behind so many bytes, and what is closed when there is more.
func (x *exchange) from(sent int) (data []byte, news <-chan struct{}, ended bool) {
	x.session.mu.Lock()
	defer x.session.mu.Unlock()
	limit := len(x.data)
	if x.calls != nil && x.open == 0 && !x.ended {
		limit = x.tail
	}
	return x.data[sent:limit:limit], x.news, x.ended
}

// end says how the answer ended to who has read all of it. A whole answer, or a stream to its end, has been delivered.
func (x *exchange) end(sent int) *serve.Failure {
	x.session.mu.Lock()
	defer x.session.mu.Unlock()
	switch {
	case x.failure != nil && sent == 0:
		return x.failure
	case x.broken && sent == 0 && x.session.live.Context().Err() != nil:
		return failure(harness.ErrOver)
	case x.broken:
		panic(http.ErrAbortHandler)
	}
	if !x.delivered {
		x.delivered = true
		for _, c := range x.calls {
			c.Delivered()
		}
	}
	return nil
}
