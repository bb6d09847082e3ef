//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/json"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// memoryFile returns an open file of its own that holds data and has no name.
func memoryFile(name string, data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make a file in memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err = f.Write(data); err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("fill a file in memory: %w", err)
	}
	return f, nil
}

// jsonFile returns a memory file with v in JSON.
func jsonFile(name string, v any) (*os.File, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return memoryFile(name, data)
}

// SocketPair returns two connected sockets: each may be the [Program.Channel] of a program, so that two programs talk with
// each other and with nobody else.
func SocketPair() (a, b *os.File, err error) {
	return socketPair(unix.SOCK_STREAM)
}

// SendFile sends a text over a socket of such a pair, and with it an open file.
func SendFile(over net.Conn, text []byte, f *os.File) error {
	_, _, err := over.(*net.UnixConn).WriteMsgUnix(text, unix.UnixRights(int(f.Fd())), nil)
	return err
}

func socketPair(kind int) (a, b *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make a pair of sockets: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "socket"), os.NewFile(uintptr(fds[1]), "socket"), nil
}

// packetPair returns two connected sockets that keep the bounds of messages: ours as a connection, the other as a file.
func packetPair() (*net.UnixConn, *os.File, error) {
	ours, theirs, err := socketPair(unix.SOCK_SEQPACKET)
	if err != nil {
		return nil, nil, err
	}
	conn, err := net.FileConn(ours)
	ours.Close()
	if err != nil {
		theirs.Close()
		return nil, nil, fmt.Errorf("connect with a worker: %w", err)
	}
	return conn.(*net.UnixConn), theirs, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
