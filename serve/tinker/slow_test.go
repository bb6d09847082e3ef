package tinker

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"parley/internal/service/web"
)

// TestSlowClient: who has no token and sends a byte of a body is refused, and the connection closed; so is who calls the server by a name of their own.
func TestSlowClient(t *testing.T) {
	o := quick()
	o.Token, o.Loopback = "tml-secret", true
	s, _ := startServer(t, t.TempDir(), o)
	limits := web.UsualLimits
	limits.Rest = 10 * time.Millisecond
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := web.Listen(t.Context(), t.Context(), s, limits)
	defer server.Close()
	go func() { _ = server.Serve(l) }()
	for host, want := range map[string]string{"127.0.0.1:1": "401", "evil.example": "421"} {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.WriteString(c, "POST /api/v1/create_session HTTP/1.1\r\nHost: "+host+"\r\nContent-Length: 100\r\n\r\n{"); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(c)
		if err != nil && !strings.Contains(err.Error(), "reset") || !strings.HasPrefix(string(got), "HTTP/1.1 "+want) {
			t.Errorf("host %s: %.200q, %v, want %s", host, got, err, want)
		}
	}
}
