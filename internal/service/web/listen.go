package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// ListenLimits say how long a client may take.
type ListenLimits struct {
	Head   time.Duration // to send the head of a request
	Body   time.Duration // to send its body
	Rest   time.Duration // to send what is left of a body once it is answered, before the connection is closed
	Answer time.Duration // to take each piece of an answer
	Idle   time.Duration // to send its next request
}

// UsualLimits are the limits of servers.
var UsualLimits = ListenLimits{Head: 10 * time.Second, Body: 30 * time.Second, Rest: time.Second, Answer: 30 * time.Second, Idle: 2 * time.Minute}

// longestRequestHead is the most bytes of a head.
const longestRequestHead = 64 << 10

// Listen serves a handler under limits. It takes requests until ctx ends; Shutdown then waits for answers alone. The contexts of requests come from work.
func Listen(ctx, work context.Context, h http.Handler, l ListenLimits) *http.Server {
	return &http.Server{
		Handler: l.keep(ctx, h), BaseContext: func(net.Listener) context.Context { return work },
		ReadHeaderTimeout: l.Head, IdleTimeout: l.Idle, MaxHeaderBytes: longestRequestHead, ConnState: newcomers(ctx),
	}
}

// newcomers closes connections whose first request has no whole head yet when ctx ends.
func newcomers(ctx context.Context) func(net.Conn, http.ConnState) {
	var waiting sync.Map // of connections to what takes them off
	return func(c net.Conn, s http.ConnState) {
		if s == http.StateNew {
			waiting.Store(c, context.AfterFunc(ctx, func() { _ = c.Close() }))
		} else if stop, ok := waiting.LoadAndDelete(c); ok {
			stop.(func() bool)()
		}
	}
}

// keep holds clients to the limits of bodies and answers.
func (l ListenLimits) keep(ctx context.Context, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &listenedClient{ResponseWriter: w, control: http.NewResponseController(w), limits: l, ends: ctx}
		if r.ContentLength != 0 {
			c.sends.Store(true)
			_ = c.control.SetReadDeadline(time.Now().Add(l.Body))
			r.Body = &listenedBody{r.Body, c}
			defer context.AfterFunc(ctx, c.hurry)()
		}
		next.ServeHTTP(c, r)
		c.answered() // what is left to write is written behind the handler
	})
}

// A listenedClient is one that is answered. It implements [http.ResponseWriter].
type listenedClient struct {
	http.ResponseWriter
	control *http.ResponseController
	limits  ListenLimits
	ends    context.Context // of the server
	sends   atomic.Bool     // its body is not there yet
}

// hurry ends the time for a body that is not there yet.
func (c *listenedClient) hurry() {
	if c.sends.Load() {
		_ = c.control.SetReadDeadline(time.Now())
	}
}

// answered begins the time for a piece of the answer. Before the first is written the server reads what is left of the body.
func (c *listenedClient) answered() {
	if c.sends.CompareAndSwap(true, false) {
		rest := c.limits.Rest
		if c.ends.Err() != nil {
			rest = 0
		}
		_ = c.control.SetReadDeadline(time.Now().Add(rest))
	}
	_ = c.control.SetWriteDeadline(time.Now().Add(c.limits.Answer))
}

// WriteHeader implements [http.ResponseWriter].
func (c *listenedClient) WriteHeader(status int) {
	c.answered()
	c.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (c *listenedClient) Write(data []byte) (int, error) {
	c.answered()
	return c.ResponseWriter.Write(data)
}

// Unwrap is for [http.ResponseController].
func (c *listenedClient) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// A listenedBody is one that has to come in time.
type listenedBody struct {
	io.ReadCloser
	client *listenedClient
}

// Read implements [io.Reader]. A deadline that stayed behind the end would end the work on the request.
func (b *listenedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF && b.client.sends.CompareAndSwap(true, false) {
		_ = b.client.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// KnowsHost says whether a request may name its server so: by an address, as this machine, or by one of some names, but by no name that others can
// choose. A page of another origin that makes a name of its own point to this machine has another host.
func KnowsHost(host string, names ...string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return strings.EqualFold(name, "localhost") || slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}
