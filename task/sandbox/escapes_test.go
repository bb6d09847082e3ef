//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"parley/task/sandbox/hostile"
)

// escapes runs programs that try to get out.
func escapes(t *testing.T, o Options) {
	p := open(t, o)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	listener, err := socketAt("\x00" + secret[max(0, len(secret)-100):]) // a name of this test alone
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(listener)
	t.Setenv("PARLEY_SECRET", "secret")
	for _, e := range hostile.Escapes {
		r := run(t, p, Program{Source: e.Source, Argument: secret, Limits: Limits{Wall: time.Minute, Processes: 4}})
		ended := r.OK()
		if e.Deadly {
			ended = r.Status == Signaled && r.Code == int(syscall.SIGSYS)
		}
		if !ended || string(r.Stdout) != e.Allowed {
			t.Errorf("%s: %s %d: %s%s", e.Name, r.Status, r.Code, r.Stdout, r.Stderr)
		}
	}
	if data, err := os.ReadFile(secret); string(data) != "secret" {
		t.Errorf("a host file was changed: %q, %v", data, err)
	}
	noOrphans(t, p)
}

func socketAt(name string) (int, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrUnix{Name: name})
	}
	if err == nil {
		err = syscall.Listen(fd, 1)
	}
	return fd, err
}
