package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"parley/engine"
	"parley/model/form"
)

// A Failure is what a client is told in place of an answer.
type Failure struct {
	Status  int     `json:"-"`
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
	again   int     // seconds after which the client may try again; 0: it is not told, never: it may not
}

func (f *Failure) Error() string { return f.Message }

// Fail is a failure without a parameter or a code.
func Fail(status int, format string, args ...any) *Failure {
	kind := "invalid_request_error"
	switch {
	case status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case status >= 500:
		kind = "server_error"
	}
	return &Failure{Status: status, Type: kind, Message: fmt.Sprintf(format, args...)}
}

// Of says which parameter is wrong.
func (f *Failure) Of(param string) *Failure { f.Param = &param; return f }

// Coded says what is wrong in the protocol's word.
func (f *Failure) Coded(code string) *Failure { f.Code = &code; return f }

// after says when to try again.
func (f *Failure) after(seconds int) *Failure { f.again = seconds; return f }

// Final says not to try again, whatever the status.
func (f *Failure) Final() *Failure { f.again = never; return f }

// never is when a request of a final failure may be sent again.
const never = -1

// Bad is a parameter that a client has to change.
func Bad(param, format string, args ...any) *Failure {
	return Fail(http.StatusBadRequest, format, args...).Of(param)
}

// FailureOf is what a client is told of an error: of its own mistakes what to change, of others no more than that there was one.
func FailureOf(err error) *Failure {
	var f *Failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, engine.ErrTooLong):
		return Fail(http.StatusBadRequest, "%v", err).Of("messages").Coded("context_length_exceeded")
	case errors.As(err, new(*form.Error)), errors.Is(err, form.ErrAmbiguous):
		return Fail(http.StatusBadRequest, "%v", err).Coded("invalid_schema")
	case errors.Is(err, engine.ErrNoToken):
		return Fail(http.StatusBadRequest, "%v", err).Of("prompt")
	case errors.As(err, new(*QuestionError)):
		return Fail(http.StatusBadRequest, "%v", err).Of("messages")
	case errors.Is(err, ErrFull):
		return Fail(http.StatusTooManyRequests, "%v; try again later", err).Coded("rate_limit_exceeded").after(1)
	case errors.Is(err, context.DeadlineExceeded):
		return Fail(http.StatusServiceUnavailable, "the answer was not ready in the time that the server gives it; ask for fewer tokens").Final()
	case errors.Is(err, context.Canceled):
		return Fail(http.StatusServiceUnavailable, "the server stopped working on the request").after(5)
	}
	return Fail(http.StatusInternalServerError, "the server failed: %v", err)
}

// head sets what clients go by before they read the body.
func (f *Failure) head(h http.Header) {
	switch {
	case f.again > 0:
		h.Set("Retry-After", strconv.Itoa(f.again))
	case f.again == never:
		h.Set("x-should-retry", "false")
	}
}

// write sends a failure as the whole answer, as OpenAI's protocol has it.
func write(w http.ResponseWriter, f *Failure) { WriteJSON(w, f.Status, map[string]any{"error": f}) }

// WriteJSON sends an answer. A write that fails because the client has gone is not reported.
func WriteJSON(w http.ResponseWriter, status int, body any) {
	data, err := json.Marshal(body)
	if err != nil { // numbers are finite and texts are text: nothing of this fails
		status, data = http.StatusInternalServerError, []byte(`{"error":{"message":"the answer cannot be written","type":"server_error","param":null,"code":null}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)+1))
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n'))
}
