package load

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// hostile sends what no client should, and expects to be refused, or left.
func (l *Load) hostile(ctx context.Context, random *rand.Rand) {
	before := l.away.Load()
	kind := random.IntN(len(insults) + 3)
	var status int
	var err error
	switch {
	case kind < len(insults):
		status, _, err = l.send(ctx, request{path: "/v1/chat/completions", body: insults[kind]})
	case kind == len(insults):
		status, _, err = l.send(ctx, request{path: "/v1/completions", body: `{"model":"` + strings.Repeat("x", 5<<20)})
		if err != nil { // the server need not read to the end to refuse
			return
		}
	case kind == len(insults)+1:
		l.slow(ctx, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer "+l.server.Key()+"\r\nContent-Length: 1000\r\n\r\n{\"model\":")
		return
	default:
		l.slow(ctx, "GET /v1/models HTTP/1.1\r\nHost: \x00\r\n x")
		return
	}
	refused := []int{http.StatusBadRequest, http.StatusNotFound, http.StatusTooManyRequests, http.StatusRequestEntityTooLarge, http.StatusServiceUnavailable}
	if away := before%2 == 1 || l.away.Load() != before; !away && (err != nil || !slices.Contains(refused, status)) {
		l.Wrong(fmt.Sprintf("hostile %d: status %d, %v", kind, status, err))
	}
}

// insults are bodies that have to be refused.
var insults = []string{
	`{"model":"parley-base","messages":[{"role":"assistant","content":""}]}`, `{"model":"parley-base","messages":[{"role":"assistant","content":null,"tool_calls":[{}]}]}`,
	``, `{`, `[]`, `null`, "\xff\xfe", `{"model":"nobody","messages":[]}`, `{"model":"parley-base","messages":{"role":"user"}}`,
	`{"model":"parley-base","messages":[{"role":"user","content":"x"}],"n":1000000}`,
	`{"model":"parley-base","messages":[{"role":"user","content":"x"}],"max_tokens":-1}`,
	`{"model":"parley-base","messages":[{"role":"user","content":"x"}],"temperature":1e400}`,
	`{"model":"parley-base","messages":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`,
	`{"model":"parley-base","messages":[{"role":"user","content":"` + strings.Repeat("x ", 100000) + `"}]}`,
}

// slow sends a request byte by byte, does not end it, and goes.
func (l *Load) slow(ctx context.Context, text string) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(l.server.Address(), "http://"))
	if err != nil {
		return // the server is away
	}
	defer conn.Close()
	for i := range len(text) {
		if _, err := io.WriteString(conn, text[i:i+1]); err != nil || Sleep(ctx, 5*time.Millisecond) != nil {
			return // the server does not listen any more, or the load has ended
		}
	}
}
