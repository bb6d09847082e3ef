// Package servecmd is the verb serve: trained teams, their agents and models behind OpenAI's protocol, and the engine behind the Tinker protocol.
//
//	serve.go        flags, and the life of the server
//	open.go         what is served: runs, recipes and models by the names that users type; what an answer depends on, in a word
//	program.go      the names by which programs ask agents that were trained in them
//	tinker.go       the engine, for clients that train
//	page.go         a page to talk to what is served
package servecmd

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/internal/service/web"
	"parley/serve"
	"parley/serve/ollama"
	"parley/serve/openai"
)

// Serve is the verb serve.
type Serve struct {
	Targets []string      `arg:"" optional:"" name:"team-or-model" help:"Folders or names of runs, names or files of recipes, with /agent-NAME behind it one agent alone, or models: a name, a folder in Hugging Face layout, or a .gguf file."`
	Addr    string        `default:"127.0.0.1:8000" placeholder:"HOST:PORT" help:"Where to listen. Port 0 takes a free one."`
	DType   string        `name:"dtype" enum:"f32,bf16,int8,nf4" default:"f32" help:"Data type of the weights of models in memory: f32, bf16, int8 or nf4. Runs and recipes say their own."`
	Working int           `placeholder:"N" help:"Requests that are answered at a time; 32, with --tinker 64."`
	Waiting int           `default:"-1" placeholder:"N" help:"Requests that may wait; more are told to come back (429). -1: 256, with --tinker 4096."`
	MaxBody int64         `placeholder:"BYTES" help:"Largest body of a request; 4 MiB, with --tinker 64 MiB."`
	Longest time.Duration `default:"10m" placeholder:"TIME" help:"How long an answer may take; 0: as long as it does."`
	Origins []string      `name:"origin" placeholder:"URL" help:"A page of another server, such as https://chat.example, that may ask from a browser (repeatable); * is all."`
	Drain   time.Duration `default:"30s" placeholder:"TIME" help:"How long ^C waits for answers that have begun."`
	Trust   bool          `name:"trust" help:"Open runs though they were made elsewhere and their recipes run programs, ask servers or write files. They are listed without the flag."`
	JSON    bool          `name:"json" help:"When the server answers, print one line of JSON {\"url\",\"token\"} on stdout."`
	cli.Moved
	Tinker

	backend *Backend // of all targets
	program program  // of teams that work in one

	cli.Overlays
}

func (Serve) Help() string {
	return `Every run is a model of that name, which answers as its team: what the agents say in their turns is the reasoning, what the team answers is the content. RUN/agent-NAME is one of its agents alone. A team that works in a program of yours (team.harness) has no model: its agents answer to their own names as well, so that the program runs unchanged. Clients use http://HOST:PORT/v1 as base URL and the token as API key. The token is read from PARLEY_TOKEN, or made and printed.

Routes: /v1/chat/completions, /v1/completions, /v1/responses, /v1/models; of Ollama's protocol /api/chat, /api/generate, /api/tags; /health, /ready, /metrics; / is a page to talk to the team.

With --tinker, clients of the Tinker protocol train adapters over one base: TINKER_BASE_URL is http://HOST:PORT, TINKER_API_KEY the token. docs/protocol-server.md says more.

^C and SIGTERM refuse new requests, let answers end, and stop.

Examples:

    parley serve debate-sums-s1
    parley serve parley-base --addr 127.0.0.1:0
    parley serve --tinker --model parley-base

Exit codes: 0 stopped; 1 the server failed; 2 there is no such run, recipe or model, or a flag is wrong.`
}

func (c *Serve) Run(a *cli.App) error {
	a, stop := a.Hosted()
	defer stop()
	if c.Working < 0 || c.Waiting < -1 || c.MaxBody < 0 || c.Drain < 0 || c.Longest < 0 {
		return cli.Usagef("--working, --max-body, --longest and --drain are at least 0, --waiting at least -1")
	}
	if c.Tinker.Tinker {
		return c.serveTinker(a)
	}
	if len(c.Targets) == 0 || c.Model != "" {
		return cli.Usagef("name a run, a recipe or a model to serve; --model goes with --tinker")
	}
	models, closeAll, err := c.open(a)
	if err != nil {
		return err
	}
	defer closeAll()
	listener, err := c.listen(a)
	if err != nil {
		return err
	}
	token, made := token()
	if err := c.announce(a, listener, token, made); err != nil {
		return err
	}
	waiting := c.Waiting
	if waiting < 0 {
		waiting = 256
	}
	g := serve.NewGate(models, serve.GateOptions{
		Token: token, MaxBody: cmp.Or(c.MaxBody, 4<<20), Working: cmp.Or(c.Working, 32), Waiting: waiting, Longest: c.Longest,
		Loopback: loopback(listener.Addr()), Hosts: []string{c.host()}, Origins: c.Origins, Named: c.program.named,
	})
	routes := slices.Concat(openai.New(g, 15*time.Second).Routes(), ollama.New(g, cli.ThisBuild().Version).Routes(), pageRoutes())
	return c.live(a, listener, g.Handler(routes...), g.Drain)
}

func (c *Serve) listen(a *cli.App) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(a.Ctx, "tcp", c.Addr)
	if err != nil {
		return nil, cli.Usagef("--addr %s: %v", c.Addr, err)
	}
	return listener, nil
}

// announce says where the server listens, and a token that nobody knows yet.
func (c *Serve) announce(a *cli.App, listener net.Listener, token string, made bool) error {
	if made {
		a.Sayf("token %s\n", token)
	}
	a.Sayf("listening on http://%s\n", listener.Addr())
	if key := token; c.program.names != nil {
		if !made {
			key = "$PARLEY_TOKEN"
		}
		a.Sayf("a program runs unchanged with\nOPENAI_BASE_URL=http://%s/v1\nOPENAI_API_KEY=%s\n", listener.Addr(), key)
	}
	if c.JSON {
		return a.Ready(listener, token)
	}
	return nil
}

// token is the one of the environment, or a new one.
func token() (token string, made bool) {
	if token := os.Getenv("PARLEY_TOKEN"); token != "" {
		return token, false
	}
	var b [24]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:]), true
}

// host is the name that the user gave the server.
func (c *Serve) host() string {
	host, _, _ := net.SplitHostPort(c.Addr) // it was listened on
	return host
}

// loopback reports whether only this machine reaches an address.
func loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// live serves until the command is interrupted, and then lets what has begun end.
func (c *Serve) live(a *cli.App, listener net.Listener, handler http.Handler, drain func()) error {
	ctx := a.Ctx
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var handlers sync.WaitGroup
	defer handlers.Wait() // engines are closed after it
	var answering atomic.Int64
	h := web.Listen(ctx, work, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handlers.Add(1)
		defer handlers.Done()
		answering.Add(1)
		defer answering.Add(-1)
		handler.ServeHTTP(w, r)
	}), web.UsualLimits)
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	if n := answering.Load(); n > 0 && c.Drain > 0 {
		a.Sayf("waiting up to %s for answers that have begun: %d; the same signal again ends at once\n", c.Drain, n)
	}
	drain()
	limit, cancel := context.WithTimeout(work, c.Drain)
	defer cancel()
	if err := h.Shutdown(limit); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("serve: %w", err)
	}
	stop()
	if err := h.Close(); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
