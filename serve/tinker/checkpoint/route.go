package checkpoint

import (
	"net/http"
	"strings"
)

// A Handler answers a request, given the names in its path, in their order.
type Handler func(r *http.Request, name []string) any

// A Table has the handler of each route: a method and a path, in which * stands for one name.
type Table map[string]Handler

// Find is the handler of a method and the parts of a path, with the names among them; nil: there is none.
func (t Table) Find(method string, part []string) (Handler, []string) {
	for route, h := range t {
		verb, path, _ := strings.Cut(route, " ")
		if names, ok := match(strings.Split(path, "/"), part); ok && verb == method {
			return h, names
		}
	}
	return nil, nil
}

// match reports whether parts are those of a pattern, and which of them are names.
func match(pattern, part []string) (names []string, ok bool) {
	if len(pattern) != len(part) {
		return nil, false
	}
	for i, p := range pattern {
		switch p {
		case "*":
			names = append(names, part[i])
		case part[i]:
		default:
			return nil, false
		}
	}
	return names, true
}
