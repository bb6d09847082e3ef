package plainfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// MaxWindow is the largest window that a zstd frame may ask for, in bytes.
const MaxWindow = 128 << 20

// head is how many bytes are looked at to know a format: a tape archive says what it is at byte 257.
const head = 512

// bom begins text files that some editors and spreadsheets write.
const bom = "\xef\xbb\xbf"

// OpenText returns the plain text of r.
func OpenText(r io.Reader) (*bufio.Reader, error) {
	buffered := bufio.NewReader(r)
	for range 2 { // a file that is packed twice is not expected
		unpacked, packed, err := unpack(buffered)
		if err != nil {
			return nil, err
		}
		if !packed {
			break
		}
		buffered = bufio.NewReader(unpacked)
	}
	first, err := buffered.Peek(head)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if err := known(first); err != nil {
		return nil, err
	}
	if len(first) >= len(bom) && string(first[:len(bom)]) == bom {
		if _, err := buffered.Discard(len(bom)); err != nil {
			return nil, err
		}
	}
	return buffered, nil
}

// unpack begins to unpack what gzip or zstd packed.
func unpack(r *bufio.Reader) (unpacked io.Reader, packed bool, err error) {
	magic, err := r.Peek(4)
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte("\x1f\x8b")):
		unpacked, err = gzip.NewReader(r)
		return unpacked, true, err
	case bytes.HasPrefix(magic, []byte("\x28\xb5\x2f\xfd")):
		// One block at a time, in this goroutine: there is nothing to close.
		unpacked, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(MaxWindow))
		return unpacked, true, err
	}
	return nil, false, nil
}

// A FormatError says that a file is in a format that is not read.
type FormatError struct {
	Format string // with its article
	Remedy string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("it is %s, which is not read: %s", e.Format, e.Remedy)
}
