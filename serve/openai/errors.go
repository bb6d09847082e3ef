package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"parley/engine"
	"parley/serve"
	"parley/serve/queue"
)

// A failure is what a client is told in place of an answer.
type failure struct {
	status  int
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
	again   int     // seconds after which the client may try again; 0: it is not told
}

func (f *failure) Error() string { return f.Message }

// fail is a failure without a parameter or a code.
func fail(status int, format string, args ...any) *failure {
	kind := "invalid_request_error"
	switch {
	case status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case status >= 500:
		kind = "server_error"
	}
	return &failure{status: status, Type: kind, Message: fmt.Sprintf(format, args...)}
}

func (f *failure) of(param string) *failure   { f.Param = &param; return f }
func (f *failure) coded(code string) *failure { f.Code = &code; return f }
func (f *failure) after(seconds int) *failure { f.again = seconds; return f }

// bad is a parameter that a client has to change.
func bad(param, format string, args ...any) *failure {
	return fail(http.StatusBadRequest, format, args...).of(param)
}

// failureOf is what a client is told of an error: of its own mistakes what to change, of others no more than that there was one.
func failureOf(err error) *failure {
	var f *failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, engine.ErrTooLong):
		return fail(http.StatusBadRequest, "%v", err).of("messages").coded("context_length_exceeded")
	case errors.Is(err, engine.ErrNoToken):
		return fail(http.StatusBadRequest, "%v", err).of("prompt")
	case errors.As(err, new(*serve.QuestionError)):
		return fail(http.StatusBadRequest, "%v", err).of("messages")
	case errors.Is(err, queue.ErrFull):
		return fail(http.StatusTooManyRequests, "%v; try again later", err).coded("rate_limit_exceeded").after(1)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fail(http.StatusServiceUnavailable, "the server stopped working on the request").after(5)
	}
	return fail(http.StatusInternalServerError, "the server failed: %v", err)
}

// write sends a failure as the whole answer.
func (f *failure) write(w http.ResponseWriter) {
	if f.again > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(f.again))
	}
	writeJSON(w, f.status, map[string]any{"error": f})
}

// writeJSON sends an answer. What a client does not take any more is nobody's fault.
func writeJSON(w http.ResponseWriter, status int, body any) {
	data, err := json.Marshal(body)
	if err != nil { // numbers are finite and texts are text: nothing of this fails
		status, data = http.StatusInternalServerError, []byte(`{"error":{"message":"the answer cannot be written","type":"server_error","param":null,"code":null}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n'))
}
