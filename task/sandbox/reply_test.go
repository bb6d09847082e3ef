//go:build linux && (amd64 || arm64)

package sandbox

import (
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// FuzzReply: whatever a worker replies, it is an ending of a program or an error, at once.
func FuzzReply(f *testing.F) {
	for _, text := range []string{`{"How":"ended","Clean":true,"Code":3}`, `{"How":"timeout"}`, `{"How":"killed","Signal":9}`, `{"Signal":-1}`, `{}`, `{"How":"ended"}`, `{"Code":0}`, `{`, `null`, `[]`, `{"Code":1e99}`} {
		f.Add([]byte(text))
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { unix.Close(pair[1]) })
	end := os.NewFile(uintptr(pair[0]), "control")
	conn, err := net.FileConn(end)
	if err != nil {
		f.Fatal(err)
	}
	end.Close()
	f.Cleanup(func() { conn.Close() })
	w := &worker{control: conn.(*net.UnixConn)}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 || len(data) > 8192 {
			return
		}
		if _, err := unix.Write(pair[1], data); err != nil {
			t.Fatal(err)
		}
		var e ending
		if w.receive(time.Minute, &e) != nil {
			return
		}
		switch r := e.result(); r.Status {
		case Exited:
			if e.How == "" || e.Code == nil {
				t.Errorf("%q counts as an exit", data)
			}
		case Signaled, TimedOut, Lost:
		default:
			t.Errorf("%q is %q", data, r.Status)
		}
	})
}
