package viewer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"parley/internal/folder"
	"parley/runs"
	"parley/viewer/episodes"
	"parley/viewer/jobs"
	"parley/viewer/show"
)

// A failure is an error as the page is told it.
type failure struct {
	status  int
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (f *failure) Error() string { return f.Message }

func fail(status int, code, format string, args ...any) *failure {
	return &failure{status, code, fmt.Sprintf(format, args...)}
}

func bad(err error) *failure { return fail(http.StatusBadRequest, "bad_request", "%v", err) }

func (f *failure) write(w http.ResponseWriter) {
	writeJSON(w, f.status, map[string]any{"error": f})
}

// writeJSON answers with a value. A client that is gone is told nothing.
func writeJSON(w http.ResponseWriter, status int, v any) {
	data, err := encode(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":{"code":"internal","message":"the answer cannot be written as JSON"}}`)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n'))
}

// answer serves a route whose answer is JSON.
func (s *Server) answer(f func(*http.Request) (any, error)) http.HandlerFunc {
	return s.raw(func(w http.ResponseWriter, r *http.Request) error {
		v, err := f(r)
		if err == nil {
			writeJSON(w, http.StatusOK, v)
		}
		return err
	})
}

// raw serves a route that needs the token and answers for itself.
func (s *Server) raw(f func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.admitted(r) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			fail(http.StatusUnauthorized, "token", "the request carries no valid token: open the address with ?token=TOKEN, or send Authorization: Bearer TOKEN").write(w)
			return
		}
		if err := f(w, r); err != nil {
			failureOf(err).write(w)
		}
	}
}

// write is a route that changes something.
func (s *Server) write(f func(*http.Request) (any, error)) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		switch {
		case s.options.ReadOnly:
			return nil, fail(http.StatusForbidden, "read_only", "this server only reads: it was started with --read-only")
		case r.Header.Get("X-Parley") == "":
			return nil, fail(http.StatusForbidden, "host", "what changes something needs the header X-Parley")
		}
		return f(r)
	}
}

// failureOf says what an error of reading a run means.
func failureOf(err error) *failure {
	var (
		known    *failure
		none     *runs.NotRunError
		nothing  *episodes.NoneError
		damaged  *runs.DamagedError
		unread   *episodes.DamagedError
		strange  *folder.StrangeError
		question *show.QuestionError
		note     *show.NoteError
		long     *http.MaxBytesError
		busy     *jobs.BusyError
		noJob    *jobs.NoneError
	)
	switch {
	case errors.As(err, &busy), errors.As(err, &noJob):
		return fail(http.StatusConflict, "refused", "%v", err)
	case errors.As(err, &known):
		return known
	case errors.As(err, &damaged), errors.As(err, &unread), errors.As(err, &strange), errors.Is(err, folder.ErrFolder), errors.Is(err, folder.ErrDamaged):
		return fail(http.StatusConflict, "damaged", "%v", err)
	case errors.As(err, &none):
		return fail(http.StatusNotFound, "not_found", "run %s is gone, or there is none of that name", short(none.Dir))
	case errors.As(err, &nothing), errors.Is(err, fs.ErrNotExist):
		return fail(http.StatusNotFound, "not_found", "%v", err)
	case errors.As(err, &question), errors.As(err, &note):
		return bad(err)
	case errors.As(err, &long):
		return fail(http.StatusRequestEntityTooLarge, "bad_request", "the body has more than %d bytes", long.Limit)
	}
	return fail(http.StatusInternalServerError, "internal", "%v", err)
}

// readJSON reads the body of a request.
func readJSON(r *http.Request, v any) error {
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		var long *http.MaxBytesError
		if errors.As(err, &long) {
			return err
		}
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return bad(fmt.Errorf("the body is not what is expected: %s cannot be %s", cmp.Or(kind.Field, "it"), kind.Value))
		}
		return bad(fmt.Errorf("the body is not what is expected: %w", err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return bad(errors.New("the body is not what is expected: there is more behind the object"))
	}
	return nil
}

// short is a text of a request as a message quotes it.
func short(text string) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + "…"
	}
	return text
}
