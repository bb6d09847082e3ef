package load

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// A fake answers whole requests with their own body, or, where it is faulty, now and then with another's, or half.
type fake struct {
	*httptest.Server
	faulty bool
	n      atomic.Int64
}

func (f *fake) Address() string               { return f.URL }
func (f *fake) Key() string                   { return "k" }
func (f *fake) Restart(context.Context) error { return nil }

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	text := string(body)
	if !json.Valid(body) || !strings.Contains(text, " + ") {
		w.WriteHeader(400)
		return
	}
	n := f.n.Add(1)
	if f.faulty && n > 200 && n%7 == 0 {
		text = "another's"
	}
	done := fmt.Sprintf(`{"choices":[{"text":%q,"delta":{"content":%q},"finish_reason":"stop"}],"id":%d}`, text, text, n)
	if strings.Contains(text, `"stream":true`) {
		done = "data: " + done + "\n\n"
	}
	if f.faulty && n > 200 && n%5 == 0 {
		done = done[:len(done)/2]
	}
	fmt.Fprint(w, done)
}

// TestFindsFaults: a server that mixes and loses answers is found out, and one that does not is not.
func TestFindsFaults(t *testing.T) {
	for _, faulty := range []bool{false, true} {
		f := &fake{faulty: faulty}
		f.Server = httptest.NewServer(f)
		l := New(f, 4, 1)
		if err := l.Alone(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.n.Store(200)
		l.More = func(n int) bool { return n <= 200 }
		l.Work(t.Context())
		f.Close()
		all := strings.Join(l.Mistakes(), "\n")
		if faulty != strings.Contains(all, "mixed: ") || faulty != strings.Contains(all, "lost: ") || !faulty && all != "" {
			t.Errorf("faulty: %v: %s", faulty, all)
		}
		if c := l.Counts; c.Compared == 0 || c.Left == 0 || c.Hostile == 0 || c.Compared+c.Left+c.Hostile != 200 {
			t.Errorf("requests %+v", c)
		}
	}
}
