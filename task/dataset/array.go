package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// array reads the elements of a JSON array, one at a time; line is that of its bracket.
func array(name string, r io.Reader, line int, record func(line int, data []byte) error) error {
	from := &counted{r: r, line: line}
	dec := json.NewDecoder(from)
	broken := func(err error) error {
		if errors.Is(err, errTooLong) {
			return fmt.Errorf("%s:%d: %w", name, from.lineAt(from.done), err)
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return fmt.Errorf("%s:%d: the array is cut short: there is no closing ]", name, from.lineAt(from.read))
		}
		return fmt.Errorf("%s:%d: %w", name, from.lineAt(faultOffset(dec, err)), err)
	}
	if _, err := dec.Token(); err != nil {
		return broken(err)
	}
	for dec.More() {
		from.done = dec.InputOffset()
		var element json.RawMessage
		if err := dec.Decode(&element); err != nil {
			return broken(err)
		}
		if len(element) > MaxLine {
			return broken(errTooLong)
		}
		if err := record(from.lineAt(dec.InputOffset()-int64(len(element))), element); err != nil {
			return err
		}
	}
	from.done = dec.InputOffset()
	if _, err := dec.Token(); err != nil {
		return broken(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("%s:%d: something stands behind the array", name, from.lineAt(dec.InputOffset()))
	}
	return nil
}

// faultOffset is where in the text an error is.
func faultOffset(dec *json.Decoder, err error) int64 {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return max(syntax.Offset-1, 0)
	}
	return dec.InputOffset()
}

var errTooLong = fmt.Errorf("the element is longer than %d bytes", MaxLine)

// A counted reader knows in which line each of the bytes is that it has lately read.
type counted struct {
	r      io.Reader
	read   int64   // bytes so far
	done   int64   // bytes that are no part of the element that is being read
	line   int     // of the first byte behind the breaks that were forgotten
	breaks []int64 // offsets of the line breaks since
}

// Read implements [io.Reader]. An element beyond the bound ends it.
func (c *counted) Read(p []byte) (int, error) {
	if c.read-c.done > MaxLine {
		return 0, errTooLong
	}
	n, err := c.r.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			c.breaks = append(c.breaks, c.read+int64(i))
		}
	}
	c.read += int64(n)
	return n, err
}

// lineAt is the line of the byte at an offset, which is not before those that were asked for.
func (c *counted) lineAt(offset int64) int {
	n, _ := slices.BinarySearch(c.breaks, offset)
	c.line += n
	c.breaks = c.breaks[n:]
	return c.line
}
