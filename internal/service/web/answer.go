package web

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode"
)

// A TooLongError is a body above its bound.
type TooLongError struct{ Most int }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("a reply of more than %d bytes", e.Most)
}

// Read reads the body of an answer: at most so many bytes, on the wire and when it is unpacked.
func Read(answer *http.Response, most int) ([]byte, error) {
	data, err := unpack(answer, most)
	if err != nil {
		err = Cause(err)
	}
	return data, err
}

func unpack(answer *http.Response, most int) ([]byte, error) {
	body := io.Reader(&bounded{from: answer.Body, left: most, most: most})
	switch packing := strings.ToLower(answer.Header.Get("Content-Encoding")); packing {
	case "", "identity":
		return io.ReadAll(body)
	case "gzip":
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			return nil, fmt.Errorf("unpack the reply: %w", err)
		}
		return io.ReadAll(&bounded{from: unpacked, left: most, most: most})
	default:
		return nil, fmt.Errorf("the reply is packed as %.20q, which it was not asked to be", packing)
	}
}

// bounded reads from a reader until more bytes come than there may be, which is an error.
type bounded struct {
	from       io.Reader
	left, most int
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if len(p) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.from.Read(p)
	if n > b.left {
		return b.left, &TooLongError{b.most}
	}
	b.left -= n
	return n, err
}

// A StatusError is an answer that is no success.
type StatusError struct {
	Code     int
	Location string // where a redirect that is not followed leads; empty: it is none
	Words    string // the beginning of what the server says, printable
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("%d %s", e.Code, http.StatusText(e.Code))
	switch {
	case e.Location != "":
		return fmt.Sprintf("%s: it redirects to %q, which is not followed: write that address if you mean it", text, e.Location)
	case e.Words != "":
		return text + ": " + e.Words
	}
	return text
}

// Passing reports whether the same request may do better later.
func (e *StatusError) Passing() bool {
	return e.Code == http.StatusTooManyRequests || e.Code == http.StatusRequestTimeout || e.Code >= 500
}

// Failure is the error of an answer that is no success, with the first words of its body.
func Failure(answer *http.Response) *StatusError {
	e := &StatusError{Code: answer.StatusCode}
	if e.Code/100 == 3 {
		e.Location = Words([]byte(answer.Header.Get("Location")), longestLocation)
		return e
	}
	var long *TooLongError
	if body, err := Read(answer, longestWords); err == nil || errors.As(err, &long) {
		if said := message(body); said != "" {
			body = []byte(said)
		}
		e.Words = Words(body, longestWords)
	}
	return e
}

const (
	longestWords    = 2000
	longestLocation = 300
	longestCause    = 500
)

// A shortError says the beginning of an error that may quote a server at any length.
type shortError struct{ error }

func (e *shortError) Error() string { return Words([]byte(e.error.Error()), longestCause) }

func (e *shortError) Unwrap() error { return e.error }

// Cause is an error of a request: short, printable, and without the address, which may hold a secret or be one that the server made up.
func Cause(err error) error {
	if of, ok := errors.AsType[*url.Error](err); ok {
		err = of.Err
	}
	return &shortError{err}
}

// Words is the beginning of a text of a server's for an error message: nothing in it drives a terminal.
func Words(text []byte, most int) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, string(text[:min(len(text), most)])))
}
