package jsonl

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"

	"github.com/klauspost/compress/zstd"
)

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// decompressed returns the plain text of r, whatever it is compressed with.
func decompressed(r io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(r)
	magic, err := buffered.Peek(len(zstdMagic))
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, gzipMagic):
		return gzip.NewReader(buffered)
	case bytes.Equal(magic, zstdMagic):
		// One block at a time, in this goroutine: there is nothing to close.
		return zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(MaxWindow))
	}
	return buffered, nil
}
