package tinker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"parley/engine"
	"parley/serve/tinker/promise"
)

// A fault is what a client is told at once, in place of a promise. Clients try some statuses again: 409 and what is above 499 above all, which is
// why nothing here has those that a repetition does not mend.
type fault struct {
	status int
	words  string
	later  int // seconds after which the client may try again; 0: it is not told
}

func (f *fault) Error() string { return f.words }

// lost is a fault about what is not there.
func lost(format string, args ...any) *fault {
	return &fault{status: http.StatusNotFound, words: fmt.Sprintf(format, args...)}
}

// bad is a fault about what a request says.
func bad(format string, args ...any) *fault {
	return &fault{status: http.StatusUnprocessableEntity, words: fmt.Sprintf(format, args...)}
}

// A userError is one that the client can repair. Other errors of work are the server's.
type userError struct{ error }

func (e userError) Unwrap() error { return e.error }

// wrong is a [userError].
func wrong(format string, args ...any) error { return userError{fmt.Errorf(format, args...)} }

// failureOf is how work failed.
func failureOf(err error) promise.Failure {
	category := "server"
	var f *fault
	if errors.As(err, new(userError)) || errors.As(err, &f) || errors.Is(err, engine.ErrTooLong) || errors.Is(err, engine.ErrNoToken) || errors.Is(err, engine.ErrNotFinite) {
		category = "user"
	}
	return promise.Failure{Category: category, Words: err.Error()}
}

// write sends an answer: a fault, nothing, or JSON. What a client does not take any more is nobody's fault.
func write(w http.ResponseWriter, body any) {
	status := http.StatusOK
	switch v := body.(type) {
	case nil:
		w.WriteHeader(http.StatusNoContent)
		return
	case *fault:
		status, body = v.status, map[string]string{"detail": v.words}
		if v.later > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(v.later))
		}
	}
	data, err := json.Marshal(body)
	if err != nil { // numbers are finite and texts are text: nothing of this fails
		status, data = http.StatusInternalServerError, []byte(`{"detail":"the answer cannot be written"}`)
	}
	send(w, status, "application/json", data)
}

func send(w http.ResponseWriter, status int, kind string, data []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

// body reads one whole, and unpacks it no further than its bound.
func (s *Server) body(r *http.Request) ([]byte, *fault) {
	from := io.Reader(r.Body)
	switch packed := strings.ToLower(r.Header.Get("Content-Encoding")); packed {
	case "", "identity":
	case "zstd":
		z, err := zstd.NewReader(r.Body, zstd.WithDecoderMaxMemory(uint64(s.options.MaxBody)), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, bad("the body: %v", err)
		}
		defer z.Close()
		from = z
	default:
		return nil, &fault{status: http.StatusUnsupportedMediaType, words: fmt.Sprintf("the body is packed as %.40q; send it plain, or as zstd", packed)}
	}
	data, err := io.ReadAll(io.LimitReader(from, s.options.MaxBody+1))
	if int64(len(data)) > s.options.MaxBody || errors.As(err, new(*http.MaxBytesError)) || errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return nil, &fault{status: http.StatusRequestEntityTooLarge, words: fmt.Sprintf("the body is longer than %d bytes", s.options.MaxBody)}
	}
	if err != nil {
		return nil, bad("the body cannot be read: %v", err)
	}
	return data, nil
}

// longestRequest bounds requests that are no pass, whose fields the server keeps for a while.
const longestRequest = 4 << 20

// read reads a body in JSON. Fields that nobody here knows are left out, since every release of the client adds some.
func read[T any](s *Server, r *http.Request) (v T, f *fault) {
	data, f := s.body(r)
	if f != nil {
		return v, f
	}
	if len(data) > longestRequest {
		return v, &fault{status: http.StatusRequestEntityTooLarge, words: fmt.Sprintf("the body is longer than %d bytes", longestRequest)}
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return v, bad("the body: %v", err)
	}
	return v, nil
}
