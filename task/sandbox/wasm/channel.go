package wasm

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/tetratelabs/wazero"
	wasi "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/tetratelabs/wazero/sys"
)

// A channelEnd is one end of a channel between two programs of this process: what one writes the other reads, through pipes of the
// system, so that each may write some way ahead, as with sockets. WebAssembly has no sockets: to the program it is a file.
type channelEnd struct {
	wasi.UnimplementedFile
	from, to *os.File
}

// channel returns the two ends of a new channel.
func channel() (a, b *channelEnd, err error) {
	a, b = &channelEnd{}, &channelEnd{}
	if a.from, b.to, err = os.Pipe(); err == nil {
		b.from, a.to, err = os.Pipe()
	}
	if err != nil {
		a.close()
		b.close()
		return nil, nil, fmt.Errorf("make a channel between two programs: %w", err)
	}
	return a, b, nil
}

// close ends both directions, as the other side notices. It may be called again, and where there is no channel.
func (e *channelEnd) close() {
	if e != nil {
		_ = e.from.Close() // closed already, or never opened
		_ = e.to.Close()
	}
}

// Read implements [wasi.File].
func (e *channelEnd) Read(p []byte) (int, wasi.Errno) {
	n, err := e.from.Read(p)
	if err != nil && err != io.EOF {
		return n, wasi.EIO
	}
	return n, 0
}

// Write implements [wasi.File]. It fails where the other side has ended.
func (e *channelEnd) Write(p []byte) (int, wasi.Errno) {
	n, err := e.to.Write(p)
	if err != nil {
		return n, wasi.EIO
	}
	return n, 0
}

// IsDir implements [wasi.File].
func (e *channelEnd) IsDir() (bool, wasi.Errno) { return false, 0 }

// Close implements [wasi.File].
func (e *channelEnd) Close() wasi.Errno {
	e.close()
	return 0
}

const (
	channelFolder = "/parley" // python/driver.py knows both
	channelName   = "channel"
)

// A folder is all that a program with a channel has of a file system: it holds the channel. The folder and the channel can be opened
// once each, so that no program fills the table of open files.
type folder struct {
	wasi.UnimplementedFS
	entries map[string]wasi.File // what has not been opened yet
}

// withFolder gives a program its end of a channel.
func withFolder(c wazero.ModuleConfig, e *channelEnd) wazero.ModuleConfig {
	f := folder{entries: map[string]wasi.File{".": root{}, channelName: e}}
	return c.WithFSConfig(wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(f, channelFolder))
}

// OpenFile implements [wasi.FS].
func (f folder) OpenFile(path string, _ wasi.Oflag, _ fs.FileMode) (wasi.File, wasi.Errno) {
	file, there := f.entries[path]
	if !there {
		return nil, wasi.ENOENT
	}
	delete(f.entries, path)
	return file, 0
}

// A root is the folder itself as an open file.
type root struct{ wasi.UnimplementedFile }

// IsDir implements [wasi.File].
func (root) IsDir() (bool, wasi.Errno) { return true, 0 }

// Stat implements [wasi.File].
func (root) Stat() (sys.Stat_t, wasi.Errno) { return sys.Stat_t{Mode: fs.ModeDir}, 0 }
