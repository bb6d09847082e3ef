package openai

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"parley/internal/service/web"
)

// PoolOptions say what the servers of a pool share. Zeros are no bounds.
type PoolOptions struct {
	Recording string // file of what was answered; empty: none
	Replay    bool   // only the recording answers

	Tokens int              // that may be read and drawn
	Cost   float64          // that they may cost
	Prices map[string]Price // by model
	Fails  bool             // what is asked beyond the budget fails, each for itself; else [ErrSpent] ends the run

	Requests  int // a minute, to one address
	PerMinute int // tokens a minute, of one address
	Together  int // requests to one address at a time; 0: 8
}

// A Pool is what servers share. Its methods are safe for concurrent use.
type Pool struct {
	options   PoolOptions
	recording *Recording // nil: none
	ledger    ledger

	mu      sync.Mutex
	gates   map[string]*gate         // by address
	waiting map[string]chan struct{} // questions that somebody asks now
}

// OpenPool reads the recording, where there is one. Nothing is asked.
func OpenPool(o PoolOptions) (*Pool, error) {
	p := &Pool{options: o, gates: map[string]*gate{}, waiting: map[string]chan struct{}{}}
	p.ledger.prices = o.Prices
	if o.Recording == "" {
		return p, nil
	}
	var err error
	p.recording, err = OpenRecording(o.Recording)
	return p, err
}

// An Address is where a server is.
type Address struct {
	URL      string        // such as http://127.0.0.1:8000/v1
	Form     Form          // of chats; empty: OpenAI's
	Key      string        // sent as a bearer token; empty: none
	Name     string        // in messages; empty: the URL
	Deadline time.Duration // of one try
	Retries  int           // of one request
}

// A Server is asked under the terms of its pool. Its methods are safe for concurrent use.
type Server struct {
	pool *Pool
	gate *gate
	base string
	form Form
	web  *web.Server
	// newer are models that take max_completion_tokens for max_tokens.
	newer sync.Map
}

// longestReply bounds a reply: pieces of a stream and log-probabilities take many bytes a token.
const longestReply = 4 << 20

// Server is the one at an address. Nothing is asked.
func (p *Pool) Server(a Address) *Server {
	s := &Server{pool: p, base: strings.TrimRight(a.URL, "/"), form: a.Form, web: web.Place{URL: a.URL, Key: a.Key, Name: a.Name}.Server(a.Deadline, a.Retries)}
	p.mu.Lock()
	g := p.gates[s.base]
	if g == nil {
		g = newGate(p.options)
		p.gates[s.base] = g
	}
	p.mu.Unlock()
	s.gate = g
	s.web.Longest = longestReply
	if a.Form == Anthropic {
		s.web.Header, s.web.Key = anthropicHeader(a.Key), ""
	}
	s.web.Gate = func(ctx context.Context) (func(), error) {
		if err := p.within(); err != nil {
			return nil, err
		}
		return g.enter(ctx)
	}
	return s
}

// Quick makes pauses between tries short, for tests.
func (s *Server) Quick() *Server {
	s.web.Pause = time.Millisecond
	return s
}

// A question is a request to one route.
type question struct {
	route string
	model string
	body  any
	newer any                                // the same in the spelling of newer servers; nil: there is none
	seed  int64                              // tells questions apart that are equal; 0: they are one
	shape func(reply []byte) ([]byte, error) // makes a reply one JSON value; nil: it is one
	read  func(reply []byte) error           // says what the reply is worth; one that it refuses is asked for again
}

// key is what a question goes by in recordings: the same on any server.
func (q question) key() (string, error) {
	data, err := json.Marshal(q.body)
	if q.seed != 0 {
		data = fmt.Appendf(data, "\x00%d", q.seed)
	}
	sum := sha256.Sum256([]byte(q.route + "\x00" + string(data)))
	return hex.EncodeToString(sum[:]), err
}

// ask answers a question from the recording, or asks the server and records what it replies.
func (s *Server) ask(ctx context.Context, q question) error {
	r := s.pool.recording
	if r == nil {
		if s.pool.options.Replay {
			return errors.New("answers are to come from a recording, and none is named")
		}
		return s.post(ctx, q, &Line{})
	}
	key, err := q.key()
	if err != nil {
		return err
	}
	leave, err := s.pool.alone(ctx, key)
	if err != nil {
		return err
	}
	defer leave()
	line, known := r.Known(key)
	switch {
	case known && line.Reply != nil:
		return s.repeat(q, line)
	case known && s.pool.options.Replay && line.Error != "":
		s.pool.ledger.add(q.model, Spent{1, line.Prompt, line.Drawn})
		return errors.New(line.Error)
	case s.pool.options.Replay:
		return fmt.Errorf("the recording %s has no answer to this request", r.File())
	}
	line = Line{Question: key}
	err = s.post(ctx, q, &line)
	switch {
	case ctx.Err() != nil || errors.Is(err, errBudget):
		return err // which is nobody's answer
	case err != nil:
		line.Reply, line.Error = nil, err.Error()
	}
	return errors.Join(err, r.Add(line))
}

// repeat takes what is recorded for what the server replies. It counts as it did then.
func (s *Server) repeat(q question, line Line) error {
	if err := s.pool.within(); err != nil {
		return err
	}
	s.pool.ledger.add(q.model, Spent{1, line.Prompt, line.Drawn})
	if err := q.read(line.Reply); err != nil {
		return fmt.Errorf("the recording %s: %w", s.pool.recording.File(), err)
	}
	return nil
}

// alone lets one at a time ask a question: who asks it meanwhile gets the same answer.
func (p *Pool) alone(ctx context.Context, key string) (leave func(), err error) {
	for {
		p.mu.Lock()
		other := p.waiting[key]
		if other == nil {
			mine := make(chan struct{})
			p.waiting[key] = mine
			p.mu.Unlock()
			return func() {
				p.mu.Lock()
				delete(p.waiting, key)
				p.mu.Unlock()
				close(mine)
			}, nil
		}
		p.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// post asks the server. The line gets the reply and what all tries cost. A server that wants the newer spelling is asked in that one from then on.
func (s *Server) post(ctx context.Context, q question, line *Line) error {
	_, newer := s.newer.Load(q.model)
	var err error
	if !newer || q.newer == nil {
		err = s.send(ctx, q, q.body, line)
		newer = wantsNewer(err)
	}
	if newer && q.newer != nil {
		s.newer.Store(q.model, true)
		err = s.send(ctx, q, q.newer, line)
	}
	if !errors.Is(err, errBudget) {
		s.pool.ledger.answered(q.model)
	}
	return err
}

// send asks in one spelling.
func (s *Server) send(ctx context.Context, q question, body any, line *Line) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return s.web.At(s.base+q.route).Post(ctx, json.RawMessage(sent), func(reply []byte) (err error) {
		if q.shape != nil {
			if reply, err = q.shape(reply); err != nil {
				return err
			}
		}
		u := usageOf(reply, len(sent))
		line.Prompt, line.Drawn = line.Prompt+u.Prompt, line.Drawn+u.Drawn
		s.pool.ledger.add(q.model, Spent{Prompt: u.Prompt, Drawn: u.Drawn})
		s.gate.drew(u.Prompt + u.Drawn)
		line.Reply = json.RawMessage(reply)
		return q.read(reply)
	})
}
