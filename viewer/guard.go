package viewer

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"

	"parley/internal/service/web"
)

// policy is what a browser may load for the page: its own files, and nothing from anywhere else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard is what every request passes. A page of another origin that made a name point to this machine has another host.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !web.KnowsHost(r.Host, s.options.Hosts...):
			fail(http.StatusMisdirectedRequest, "host", "the page is not asked for by the name %s; use the address that was printed", short(r.Host)).write(w)
		case !s.sameOrigin(r):
			fail(http.StatusForbidden, "host", "the request comes from a page of another origin").write(w)
		default:
			r.Body = http.MaxBytesReader(w, r.Body, mostBody)
			next.ServeHTTP(w, r)
		}
	})
}

// mostBody is the largest body of a request, in bytes.
const mostBody = 1 << 20

// sameOrigin refuses what other pages make a browser ask. Programs say no origin.
func (s *Server) sameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" && strings.HasPrefix(r.URL.Path, "/api/") {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}

// cookie names the cookie of a server: browsers give the cookies of one port to all others of the machine. It says nothing of the token.
func (s *Server) cookie() string {
	sum := sha256.Sum256([]byte("parley cookie " + s.options.Token))
	return "parley_" + hex.EncodeToString(sum[:6])
}

// admitted says whether a request carries the token.
func (s *Server) admitted(r *http.Request) bool {
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return s.right(given)
	}
	c, err := r.Cookie(s.cookie())
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(s.pass())) == 1
}

// pass is what the cookie holds in the place of the token.
func (s *Server) pass() string {
	sum := hmac.New(sha256.New, []byte(s.options.Token))
	sum.Write([]byte("parley ui"))
	return hex.EncodeToString(sum.Sum(nil))
}

func (s *Server) right(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.options.Token)) == 1
}

// enter changes the token in an address for a cookie, so that it does not stay in the history of the browser.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) bool {
	token := r.URL.Query().Get("token")
	if token == "" {
		return false
	}
	if !s.right(token) {
		fail(http.StatusUnauthorized, "token", "this is not the token of this server; it was printed when the server started").write(w)
		return true
	}
	http.SetCookie(w, &http.Cookie{Name: s.cookie(), Value: s.pass(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return true
}
