package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"parley/internal/usererror"
)

// Who started parley says in the environment where it answers, and what it expects as a bearer token.
const (
	hostVariable  = "PARLEY_HOST"
	tokenVariable = "PARLEY_HOST_TOKEN"
)

// hostAddress is an address at the program that started parley. Its port and token change from process to process, so they stand in no recipe.
var hostAddress = regexp.MustCompile(`^host:([A-Za-z0-9_/.-]{1,200})$`)

// OfHost says that an address is one at the program that started parley, such as host:reward.
func OfHost(address string) bool { return hostAddress.MatchString(address) }

// Hosted says that a program started parley that answers such addresses.
func Hosted() bool { return os.Getenv(hostVariable) != "" }

// A Place is where a server is.
type Place struct {
	URL  string
	Key  string // sent as a bearer token; empty: none
	Name string // in messages; empty: that of the URL
}

// Locate is the place of an address that stands under a key of a recipe. Where it is one of the program that started parley, the address and the token
// are that program's. An error is the user's.
func Locate(key, address, token string) (Place, error) {
	m := hostAddress.FindStringSubmatch(address)
	if m == nil {
		return Place{URL: address, Key: token}, nil
	}
	base, secret := os.Getenv(hostVariable), os.Getenv(tokenVariable)
	if base == "" || secret == "" {
		argument, _, _ := strings.Cut(m[1], "/")
		return Place{}, usererror.Errorf("%s is %s, which is answered by the program that starts parley: %s", key, address, usererror.Word("resume this run from Python", "give "+argument+"= again"))
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" || u.User != nil || u.Port() == "" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || !loopback(u.Hostname()) {
		return Place{}, usererror.Errorf("%s is %.80q, expected a loopback address with a port, such as http://127.0.0.1:8000", hostVariable, base)
	}
	return Place{URL: base + "/" + m[1], Key: secret, Name: address}, nil
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// About is what the program that started parley says of what answers at one of its addresses.
type About struct {
	Name     string          `json:"name"`     // what answers and where it stands, for people
	Identity string          `json:"identity"` // another one answers in another way; empty: it has none
	Batch    int             `json:"batch"`    // calls that it takes in one request; 0: one
	Tools    json.RawMessage `json:"tools"`    // that it has
}

const (
	longestIdentity = 200 // bytes
	mostBatch       = 4096
	aboutPatience   = time.Minute
)

// About asks what answers at a place. What does not know the question has nothing to say.
func (p Place) About(ctx context.Context) (a About, err error) {
	s := p.Server(aboutPatience, 0)
	err = s.Post(ctx, json.RawMessage(`{"call":"about"}`), func(reply []byte) error {
		if json.Unmarshal(reply, &a) != nil {
			a = About{}
		}
		return nil
	})
	var status *StatusError
	switch {
	case errors.As(err, &status) && status.Code == http.StatusNotFound:
		return About{}, nil
	case err != nil:
		return About{}, err
	case len(a.Identity) > longestIdentity:
		return About{}, fmt.Errorf("%s: its identity has %d bytes, expected at most %d", s.Name(), len(a.Identity), longestIdentity)
	case a.Batch < 0 || a.Batch > mostBatch:
		return About{}, fmt.Errorf("%s: its batch is %d, expected 0 to %d", s.Name(), a.Batch, mostBatch)
	}
	return a, nil
}

// Server is the one at a place.
func (p Place) Server(deadline time.Duration, retries int) *Server {
	s := New(p.URL, p.Key, deadline, retries)
	s.Shown = p.Name
	return s
}
