package web

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	longestHead   = 256 << 10 // bytes of an answer's status line and headers
	mostRedirects = 10
)

// NewClient returns a client that keeps the policy of the package. Patience is the longest that it waits for a connection, for its
// encryption, and for the head of an answer. The body is for the caller to bound: see [Read]. Proxies are those of the environment.
func NewClient(patience time.Duration) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: patience}).DialContext
	t.TLSHandshakeTimeout = patience
	t.ResponseHeaderTimeout = patience
	t.MaxResponseHeaderBytes = longestHead
	t.DisableCompression = true // what comes compressed all the same has two bounds: see Read
	return &http.Client{Transport: t, CheckRedirect: Redirect}
}

// KeyHeader is where servers take a key that is no bearer token. It stays at home as one does.
const KeyHeader = "X-Api-Key"

// A RedirectError is a redirect that is not followed. Another try would come to the same place.
type RedirectError struct{ message string }

func (e *RedirectError) Error() string { return e.message }

// Redirect decides about a redirect, as http.Client.CheckRedirect. Only questions are asked elsewhere: the answer to anything but GET
// and HEAD stays what it is, a redirect. Encryption is not given up. The token stays with the scheme, host and port that it was meant
// for, and once a request has left them it goes without, even if it is led back.
func Redirect(r *http.Request, via []*http.Request) error {
	if m := via[0].Method; m != http.MethodGet && m != http.MethodHead {
		return http.ErrUseLastResponse
	}
	if len(via) > mostRedirects {
		return &RedirectError{fmt.Sprintf("more than %d redirects", mostRedirects)}
	}
	if via[len(via)-1].URL.Scheme == "https" && r.URL.Scheme != "https" {
		return &RedirectError{fmt.Sprintf("redirected from https to %.20s", r.URL.Scheme)}
	}
	home := origin(via[0].URL)
	for _, step := range append(via[1:len(via):len(via)], r) {
		if origin(step.URL) != home {
			r.Header.Del("Authorization")
			r.Header.Del(KeyHeader)
		}
	}
	return nil
}

// origin is the scheme, host and port that a token is for.
func origin(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
