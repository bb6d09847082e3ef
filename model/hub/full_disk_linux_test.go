package hub

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

// TestFullDisk: a disk without room ends the pull at once with the disk's error.
func TestFullDisk(t *testing.T) {
	h := newHub(t)
	disk, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	f := &File{Path: "model.safetensors", Bytes: 300_000, Checksum: sha256Of(h.files["model.safetensors"])}
	p := &pull{Client: h.client(), name: "org/tiny", commit: commit, observe: func(Progress) {}}
	full := &part{file: f, disk: disk, hash: f.newHash(), n: 1000} // further bytes are appended: a device cannot be truncated
	if err := p.complete(t.Context(), full, 0); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want that of a full disk", err)
	}
	if n := h.asked("GET /model.safetensors"); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
