package hub

import (
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
)

// A part is the beginning of a file on disk, under the name that says it is incomplete.
type part struct {
	file *File
	disk *os.File
	hash hash.Hash // of the bytes on disk
	n    int64     // how many they are
}

// openPart opens what an earlier download left, or a new part.
func openPart(path string, f *File) (*part, error) {
	disk, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	p := &part{file: f, disk: disk, hash: f.newHash()}
	p.n, err = io.Copy(p.hash, io.LimitReader(disk, f.Bytes+1))
	if err == nil && p.n > f.Bytes {
		err = p.reset()
	}
	if err != nil {
		disk.Close()
		return nil, err
	}
	return p, nil
}

// reset begins again from nothing.
func (p *part) reset() error {
	p.n, p.hash = 0, p.file.newHash()
	if err := p.disk.Truncate(0); err != nil {
		return err
	}
	_, err := p.disk.Seek(0, io.SeekStart)
	return err
}

// Write appends bytes that arrived.
func (p *part) Write(b []byte) (int, error) {
	if p.n+int64(len(b)) > p.file.Bytes {
		return 0, fmt.Errorf("the server sends more than the %d bytes that it named", p.file.Bytes)
	}
	n, err := p.disk.Write(b)
	p.hash.Write(b[:n])
	p.n += int64(n)
	return n, err
}

// finish verifies a part that has all its bytes, and gives it its name. A part with wrong bytes is removed.
func (p *part) finish(name string) error {
	if got := hex.EncodeToString(p.hash.Sum(nil)); got != p.file.Checksum {
		os.Remove(p.disk.Name())
		return fmt.Errorf("its checksum is %s instead of %s: the bytes that arrived were damaged and are thrown away; pull again", got, p.file.Checksum)
	}
	if err := p.disk.Sync(); err != nil {
		return err
	}
	if err := p.disk.Close(); err != nil {
		return err
	}
	return os.Rename(p.disk.Name(), name)
}
