package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"
)

// Read decodes the body of a request into v. Fields that nobody knows are left alone, as clients of other servers send them.
func Read(r *http.Request, v any) *Failure {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return Fail(http.StatusUnsupportedMediaType, "the content type is %q, expected application/json", r.Header.Get("Content-Type"))
	}
	return Body(r, v)
}

// Body is [Read] whatever type the request says it has, for protocols whose clients say nothing of it.
func Body(r *http.Request, v any) *Failure {
	var data bytes.Buffer
	if fault := receive(&data, r.Body); fault != nil {
		return fault
	}
	return Parse(data.Bytes(), v)
}

// receive reads a body.
func receive(into io.Writer, body io.Reader) *Failure {
	_, err := io.Copy(into, body)
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return tooLarge(long.Limit)
	case err != nil:
		return Fail(http.StatusBadRequest, "the body did not arrive: %v", err)
	}
	return nil
}

func tooLarge(limit int64) *Failure {
	return Fail(http.StatusRequestEntityTooLarge, "the body has more than %d bytes", limit)
}

// Parse is [Read] of a body that has arrived.
func Parse(data []byte, v any) *Failure {
	if !utf8.Valid(data) {
		return Fail(http.StatusBadRequest, "the body is no UTF-8")
	}
	if !bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte("{")) {
		return Fail(http.StatusBadRequest, "the body is no JSON object")
	}
	err := json.Unmarshal(data, v)
	var wrong *json.UnmarshalTypeError
	var f *Failure
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return f
	case errors.As(err, &wrong):
		field := strings.TrimPrefix(strings.TrimPrefix(wrong.Field, "sampling."), "Logits.") // which clients know nothing of
		return Bad(field, "%s is a JSON %s, expected %s", field, wrong.Value, expected(wrong.Type.Kind().String()))
	}
	return Fail(http.StatusBadRequest, "the body is no JSON: %v", err)
}

// expected is how people call a kind of Go's values.
func expected(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int") || strings.HasPrefix(kind, "uint"):
		return "an integer"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "bool":
		return "true or false"
	case kind == "slice":
		return "an array"
	case kind == "struct" || kind == "map":
		return "an object"
	}
	return "a " + kind
}
