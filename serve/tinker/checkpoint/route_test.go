package checkpoint

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	table := Table{}
	for _, route := range []string{"GET runs", "GET runs/*", "DELETE runs/*/saved/*", "POST runs/*/saved/*/publish"} {
		table[route] = func(*http.Request, []string) any { return route }
	}
	for _, c := range []struct {
		method, path, route string
		names               []string
	}{
		{"GET", "runs", "GET runs", nil},
		{"GET", "runs/a", "GET runs/*", []string{"a"}},
		{"GET", "runs/", "GET runs/*", []string{""}},
		{"GET", "runs/*", "GET runs/*", []string{"*"}},
		{"DELETE", "runs/a/saved/b", "DELETE runs/*/saved/*", []string{"a", "b"}},
		{"POST", "runs/a/saved/b/publish", "POST runs/*/saved/*/publish", []string{"a", "b"}},
		{"PUT", "runs/a", "", nil},
		{"GET", "runs/a/saved/b", "", nil},
		{"POST", "runs/a/saved/b/publish/c", "", nil},
		{"GET", "", "", nil},
		{"", "runs", "", nil},
	} {
		h, names := table.Find(c.method, strings.Split(c.path, "/"))
		got := ""
		if h != nil {
			got = h(nil, names).(string)
		}
		if got != c.route || !slices.Equal(names, c.names) {
			t.Errorf("%s %s: %q with %q, want %q with %q", c.method, c.path, got, names, c.route, c.names)
		}
	}
}
