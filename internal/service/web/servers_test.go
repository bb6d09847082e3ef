package web_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/serve"
	"parley/viewer"
)

// TestServers: servers refuse who has no token and sends a byte of a body, and close; and who calls it by a name of their own. That of training has the same test beside it.
func TestServers(t *testing.T) {
	for name, h := range map[string]http.Handler{
		"serve": serve.NewGate([]serve.Model{{ID: "m"}}, serve.GateOptions{Token: "secret", MaxBody: 1000, Working: 1, Loopback: true}).Handler(),
		"ui":    viewer.New(viewer.Options{Root: t.TempDir(), Token: "secret"}).Handler(),
	} {
		t.Run(name, func(t *testing.T) {
			path := map[string]string{"serve": "/v1/models", "ui": "/api/runs"}[name]
			for host, want := range map[string]string{"127.0.0.1:1": "401", "evil.example": "421"} {
				got, err := io.ReadAll(dial(t, h.ServeHTTP, "POST "+path+" HTTP/1.1\r\nHost: "+host+"\r\nContent-Length: 100\r\n\r\n{"))
				if err != nil && !strings.Contains(err.Error(), "reset") || !strings.HasPrefix(string(got), "HTTP/1.1 "+want) {
					t.Errorf("host %s: %.200q, %v, want %s", host, got, err, want)
				}
			}
		})
	}
}
