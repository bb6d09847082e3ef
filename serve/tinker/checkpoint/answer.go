package checkpoint

// This file reads what clients send and says what they are told at once: bodies of bounded size, JSON, and faults in the form that clients of the
// Tinker protocol understand. A [Table] finds what a request asks for where its path has names in it.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// A Fault is what a client is told at once, in place of a promise. Clients try some statuses again: 409 and what is above 499 above all, which is
// why nothing here has those that a repetition does not mend.
type Fault struct {
	Status int
	Words  string
	Later  int // seconds after which the client may try again; 0: it is not told
}

func (f *Fault) Error() string { return f.Words }

// Lost is a fault about what is not there.
func Lost(format string, args ...any) *Fault {
	return &Fault{Status: http.StatusNotFound, Words: fmt.Sprintf(format, args...)}
}

// Bad is a fault about what a request says.
func Bad(format string, args ...any) *Fault {
	return &Fault{Status: http.StatusUnprocessableEntity, Words: fmt.Sprintf(format, args...)}
}

// Write sends an answer: a fault, nothing, or JSON. A write that fails because the client has gone is not reported.
func Write(w http.ResponseWriter, body any) {
	status := http.StatusOK
	switch v := body.(type) {
	case nil:
		w.WriteHeader(http.StatusNoContent)
		return
	case *Fault:
		status, body = v.Status, map[string]string{"detail": v.Words}
		if v.Later > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(v.Later))
		}
	}
	data, err := json.Marshal(body)
	if err != nil { // numbers are finite and texts are text: nothing of this fails
		status, data = http.StatusInternalServerError, []byte(`{"detail":"the answer cannot be written"}`)
	}
	Send(w, status, "application/json", data)
}

// Send sends bytes of a kind.
func Send(w http.ResponseWriter, status int, kind string, data []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

// Body reads one whole, and unpacks it, to so many bytes at most.
func Body(r *http.Request, most int64) ([]byte, *Fault) {
	from := io.Reader(r.Body)
	switch packed := strings.ToLower(r.Header.Get("Content-Encoding")); packed {
	case "", "identity":
	case "zstd":
		z, err := zstd.NewReader(r.Body, zstd.WithDecoderMaxMemory(uint64(most)), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, Bad("the body: %v", err)
		}
		defer z.Close()
		from = z
	default:
		return nil, &Fault{Status: http.StatusUnsupportedMediaType, Words: fmt.Sprintf("the body is packed as %.40q; send it plain, or as zstd", packed)}
	}
	data, err := io.ReadAll(io.LimitReader(from, most+1))
	if int64(len(data)) > most || errors.As(err, new(*http.MaxBytesError)) || errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return nil, &Fault{Status: http.StatusRequestEntityTooLarge, Words: fmt.Sprintf("the body is longer than %d bytes", most)}
	}
	if err != nil {
		return nil, Bad("the body cannot be read: %v", err)
	}
	return data, nil
}

// Longest bounds requests that are no pass, whose fields the server keeps for a while.
const Longest = 4 << 20

// Read reads a body in JSON, of so many bytes at most, and no more than [Longest]. Fields that nobody here knows are left out, since every release of the client adds some.
func Read[T any](r *http.Request, most int64) (v T, f *Fault) {
	data, f := Body(r, most)
	if f != nil {
		return v, f
	}
	if len(data) > Longest {
		return v, &Fault{Status: http.StatusRequestEntityTooLarge, Words: fmt.Sprintf("the body is longer than %d bytes", Longest)}
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return v, Bad("the body: %v", err)
	}
	return v, nil
}
