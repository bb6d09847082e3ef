// Package harness plays episodes by a program of the user's: its control flow, its tools, its framework. It is the [rollout.Player] of teams whose
// protocol is harness.
//
//	h, err := harness.New(settings, door)
//	runner.Player = h
//
// For every episode the program is started, or asked. It asks the team's agents at an address of the episode, of which a [Door] makes calls of
// [Live]; each answer is drawn from its agent's policy and kept with its tokens. At the end the program says what was earned, or what the team's
// answer is, which the runner's scorer scores. An episode is stored as every other: each call whose answer was delivered is a node.
//
//	harness.go   settings, the listener, who of the episodes goes on
//	live.go      an episode that goes on: who may ask, how it ends
//	call.go      an answer that is drawn: its stream of chance, its tokens
//	result.go    what a program says of an episode
//	cause.go     why an episode has failed
//	play.go      episodes side by side, each with its program
//	store.go     calls as nodes, in their order, and what they earn
//	settled.go   their order for whom it is nothing
//	program.go   what a program gets: its environment, one JSON object; a server that is asked
//	command.go   a process an episode; worker.go: processes that stay
//	metrics.go   what is counted of an update
package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	"parley/internal/service/web"
)

// Settings say which program plays, and within which bounds.
type Settings struct {
	Python      string   // a file with def episode(e), relative to Folder
	Interpreter string   // of Python; a path is relative to Folder
	Command     []string // a program and its arguments: templates, unless it stays
	Keep        bool     // the command stays, and gets a line an episode
	URL         string   // of a server that gets each episode by POST
	Key         string   // of URL: sent as a bearer token; empty: none

	Run      string            // what the run is called, for fingerprints
	Folder   string            // the recipe's, in which programs run
	Secrets  []string          // environment variables that programs do not get, beside the usual ones
	Parallel int               // episodes at a time; 0: twice the processors
	Time     time.Duration     // the longest time of an episode
	Calls    int               // most calls of an episode, of all agents together
	Models   map[string]string // further names by which the program asks agents
	Stops    [][]string        // texts that end answers, by agent; shorter: none end those of the others
	Listen   string            // where calls are taken, such as 127.0.0.1:0
	Address  string            // URL by which the program reaches that; empty: that of Listen

	// Pays says that the program says what an episode earned, each number from Least to Most; else the runner's scorer scores its answer.
	Pays        bool
	Least, Most float64
	TeamAlone   []bool // by agent: it learns nothing from what itself is paid, which therefore is an error; shorter: others do

	Log io.Writer // gets the output of failed episodes, 1 MiB of it; nil: nobody does, see [Harness.LogTo]
}

// A Door lets programs ask the agents of episodes, in a protocol that they speak.
type Door interface {
	// Handler answers requests below /e/EPISODE/. find returns the episode of that name, which may be over; nil: there is none, as for clients that
	// were made before an episode began.
	Handler(find func(episode string) *Live) http.Handler
}

// A Harness plays episodes. It implements [rollout.Player]. Its methods are safe for concurrent use.
type Harness struct {
	settings Settings
	door     Door
	program  program
	places   chan struct{} // full while as many episodes go on as may
	counts   counts
	log      limitedLog

	mu      sync.Mutex
	server  *http.Server
	stop    context.CancelFunc // of the server
	address string             // without a slash at its end
	lives   map[string]*Live   // by name: those that go on, and the last that are over
	order   []*Live            // in which they began, with those whose names others have by now
	last    int                // number of an episode
}

// New returns a harness; nothing is started before the first episode. The caller closes it.
func New(s Settings, door Door) (*Harness, error) {
	if s.Parallel == 0 {
		s.Parallel = 2 * runtime.GOMAXPROCS(0)
	}
	h := &Harness{settings: s, door: door, places: make(chan struct{}, s.Parallel), lives: map[string]*Live{}, counts: counts{of: map[int]*count{}}, log: limitedLog{to: s.Log}}
	var err error
	h.program, err = h.newProgram()
	return h, err
}

// early is the name of no episode: clients that are made before an episode begins have its address.
const early = "early"

// open listens, from the first episode on.
func (h *Harness) open(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server != nil {
		return nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", h.settings.Listen)
	if err != nil {
		return fmt.Errorf("team.harness.listen: %w", err)
	}
	if h.address = strings.TrimSuffix(h.settings.Address, "/"); h.address == "" {
		h.address = "http://" + reached(l.Addr().(*net.TCPAddr))
	}
	life, stop := context.WithCancel(context.WithoutCancel(ctx)) // calls end with their episodes
	h.server, h.stop = web.Listen(life, life, h.door.Handler(h.find), web.UsualLimits), stop
	h.server.ErrorLog = log.New(io.Discard, "", 0)
	go func() { _ = h.server.Serve(l) }()
	return nil
}

// reached is the address by which this machine reaches a listener, which may listen at all of its addresses.
func reached(a *net.TCPAddr) string {
	if a.IP.IsUnspecified() {
		return fmt.Sprintf("127.0.0.1:%d", a.Port)
	}
	return a.String()
}

// LogTo has the output of failed episodes written elsewhere than the settings say.
func (h *Harness) LogTo(w io.Writer) {
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	h.log.to = w
}

// find returns an episode by its name; nil: there never was one.
func (h *Harness) find(name string) *Live {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lives[name]
}

// add gives an episode a name of its own among those that go on.
func (h *Harness) add(e *Live) {
	h.mu.Lock()
	defer h.mu.Unlock()
	name := e.ids.name()
	e.name = name
	for n := 2; h.lives[e.name] != nil && h.lives[e.name].ctx.Err() == nil; n++ {
		e.name = fmt.Sprintf("%s-%d", name, n)
	}
	h.lives[e.name] = e
	if h.order = append(h.order, e); len(h.order) > remembered && h.order[0].ctx.Err() != nil {
		if first := h.order[0]; h.lives[first.name] == first {
			delete(h.lives, first.name)
		}
		h.order = h.order[1:]
	}
}

// remembered is how many episodes are known at a time: a program that asks in one that is long over is told that nobody knows its key.
const remembered = 4096

// number is that of the next episode.
func (h *Harness) number() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	return h.last
}

// Close ends programs and the listener.
func (h *Harness) Close() error {
	h.program.close()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server == nil {
		return nil
	}
	h.stop()
	if err := h.server.Close(); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
