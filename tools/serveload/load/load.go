// Package load is many clients of a server of parley, some of whom leave, and some of whom are hostile. Every answer is compared with the one
// that the same request got alone.
//
//	load.go     what clients do, and what must not be
//	cases.go    what they ask, and what of an answer the request determines
//	hostile.go  what no client should send
package load

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/service/web"
)

// A Server can be asked, and can be stopped and started again.
type Server interface {
	Address() string // such as http://127.0.0.1:8000
	Key() string
	Restart(ctx context.Context) error
}

// Counts are what became of requests.
type Counts struct {
	Compared int64 `json:"compared"` // with what they got alone
	Left     int64 `json:"left"`     // in mid-stream
	Hostile  int64 `json:"hostile"`
	Busy     int64 `json:"asked_again_busy"`    // 429 or 503
	Away     int64 `json:"asked_again_restart"` // while the server was away
}

// A Load is many clients of a server.
type Load struct {
	server  Server
	clients int
	seed    uint64
	cases   []request
	want    []string
	// More says whether request n, from 1, is still to be sent. It is called by all clients.
	More   func(n int) bool
	client *http.Client

	next     atomic.Int64
	away     atomic.Int64 // how often the server has begun or ended to be away: odd while it is
	Counts   Counts
	mu       sync.Mutex
	mistakes []string
}

// New returns clients of a server. The seed is of what is asked when.
func New(s Server, clients int, seed uint64) *Load {
	return &Load{server: s, clients: clients, seed: seed, cases: cases(), client: web.NewClient(time.Minute)}
}

// Wrong notes what must not be.
func (l *Load) Wrong(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.mistakes) < 20 { // more say nothing new
		l.mistakes = append(l.mistakes, what)
	}
}

// Mistakes are what must not have been.
func (l *Load) Mistakes() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mistakes
}

// Alone asks everything once, one after the other.
func (l *Load) Alone(ctx context.Context) error {
	for _, c := range l.cases {
		status, data, err := l.send(ctx, c)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("status %d: %s", status, data)
		}
		text := ""
		if err == nil {
			text, err = c.answer(data)
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", c.path, c.body, err)
		}
		l.want = append(l.want, text)
	}
	return nil
}

// Restart stops the server and starts it again, while clients ask.
func (l *Load) Restart(ctx context.Context) error {
	l.away.Add(1)
	defer l.away.Add(1)
	return l.server.Restart(ctx)
}

// Work lets all clients ask as long as there is more.
func (l *Load) Work(ctx context.Context) {
	var all sync.WaitGroup
	for range l.clients {
		all.Go(func() {
			for {
				n := int(l.next.Add(1))
				if !l.More(n) {
					return
				}
				l.one(ctx, n)
			}
		})
	}
	all.Wait()
	l.client.CloseIdleConnections()
}

// one sends request n: what it is follows from n and the seed.
func (l *Load) one(ctx context.Context, n int) {
	random := rand.New(rand.NewPCG(l.seed, uint64(n)))
	i := random.IntN(len(l.cases))
	switch share := random.Float64(); {
	case share < 0.05:
		atomic.AddInt64(&l.Counts.Hostile, 1)
		l.hostile(ctx, random)
	case share < 0.25:
		for !l.cases[i].stream {
			i = random.IntN(len(l.cases))
		}
		atomic.AddInt64(&l.Counts.Left, 1)
		l.leave(ctx, l.cases[i], random.IntN(2000))
	default:
		atomic.AddInt64(&l.Counts.Compared, 1)
		l.compare(ctx, i)
	}
}

// compare asks until there is an answer, which has to be the one that the request got alone.
func (l *Load) compare(ctx context.Context, i int) {
	c := l.cases[i]
	for ctx.Err() == nil {
		before := l.away.Load()
		status, data, err := l.send(ctx, c)
		text := ""
		if err == nil && status == http.StatusOK {
			text, err = c.answer(data)
		}
		switch {
		case err != nil && (before%2 == 1 || l.away.Load() != before): // it was sent, or cut, while the server was away
			atomic.AddInt64(&l.Counts.Away, 1)
		case err != nil:
			l.Wrong(fmt.Sprintf("lost: %s %s: %v", c.path, c.body, err))
			return
		case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
			atomic.AddInt64(&l.Counts.Busy, 1)
		case status != http.StatusOK:
			l.Wrong(fmt.Sprintf("status %d: %s %s: %.300s", status, c.path, c.body, data))
			return
		case text != l.want[i]:
			l.Wrong(fmt.Sprintf("mixed: %s %s: %.300s, alone %.300s", c.path, c.body, text, l.want[i]))
			return
		default:
			return
		}
		_ = Sleep(ctx, 100*time.Millisecond) // the loop ends with ctx
	}
}

// leave reads some bytes of an answer, and goes.
func (l *Load) leave(ctx context.Context, c request, after int) {
	answer, err := l.open(ctx, c)
	if err != nil {
		return // whoever leaves does not care
	}
	_, _ = io.CopyN(io.Discard, answer.Body, int64(after))
	answer.Body.Close()
}

// open sends a request and waits for the head of its answer.
func (l *Load) open(ctx context.Context, c request) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.server.Address()+c.path, strings.NewReader(c.body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+l.server.Key())
	r.Header.Set("Content-Type", "application/json")
	return l.client.Do(r)
}

// send sends a request and reads its answer.
func (l *Load) send(ctx context.Context, c request) (int, []byte, error) {
	answer, err := l.open(ctx, c)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	var body bytes.Buffer
	_, err = io.Copy(&body, answer.Body)
	return answer.StatusCode, body.Bytes(), err
}

// Sleep waits, or until ctx ends.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
