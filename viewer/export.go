package viewer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/viewer/episodes"
	"parley/viewer/show"
)

// Bounds on a file with a run: what is above them is left out, tokens first.
const (
	mostTokenBytes   = 24 << 20
	mostEpisodeBytes = 64 << 20
	mostAnswerBytes  = 16 << 20
)

// Export is the page with one run in it: what the routes would answer, by their paths, and the scripts and styles in the place of links to
// them. most is how many episodes it has beside those that are named.
func (s *Server) Export(ctx context.Context, id string, most int, also ...episodes.Place) ([]byte, error) {
	x := &export{s: s, ctx: ctx, id: id, base: "/api/runs/" + component(id), routes: map[string]json.RawMessage{}, private: s.private()}
	row, err := s.root.Row(id)
	if err != nil {
		return nil, err
	}
	x.put("/api/session", map[string]any{"version": s.options.Version, "root": "", "read_only": true, "can_run": false, "export": true})
	x.put("/api/runs", map[string]any{"runs": []any{row}})
	for _, part := range []string{"", "/metrics", "/recipe", "/diagnostics", "/timeline", "/costs", "/distributions", "/questions", "/contribution", "/answers"} {
		x.copy(x.base+part, x.base+part)
	}
	x.pictures()
	x.answers()
	if err := x.episodes(most, also); err != nil {
		return nil, err
	}
	return s.inline(x.routes)
}

// export collects answers.
type export struct {
	s      *Server
	ctx    context.Context
	id     string
	base   string
	routes map[string]json.RawMessage
	size   int
	failed error

	private *strings.Replacer
}

// component writes a part of a path as the page does, by encodeURIComponent: it looks its data up by that.
func component(part string) string {
	return strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").Replace(url.QueryEscape(part))
}

// private takes the paths of whoever writes a file out of what is in it: the folder of the runs goes, and the home folder is ~.
func (s *Server) private() *strings.Replacer {
	var pairs []string
	add := func(dir, instead string) {
		if abs, err := filepath.Abs(dir); err == nil && len(abs) > 1 {
			quoted, _ := json.Marshal(abs + string(filepath.Separator)) // a string always can be
			pairs = append(pairs, strings.Trim(string(quoted), `"`), instead)
		}
	}
	add(s.root.Dir, "")
	if home, err := os.UserHomeDir(); err == nil {
		add(home, "~/")
	}
	return strings.NewReplacer(pairs...)
}

func (x *export) put(path string, v any) {
	data, err := encode(v)
	data = []byte(x.private.Replace(string(data)))
	x.routes[path], x.failed = data, errors.Join(x.failed, err)
	x.size += len(data)
}

// copy asks a route and keeps its answer under a path. What a damaged run cannot answer is left out.
func (x *export) copy(path, ask string) bool {
	status, body := x.s.Ask(x.ctx, ask)
	if status != http.StatusOK {
		return false
	}
	x.routes[path] = []byte(x.private.Replace(string(bytes.TrimSpace(body))))
	x.size += len(body)
	return true
}

func (x *export) pictures() {
	detail, err := x.s.root.Detail(x.id)
	if err != nil {
		return
	}
	for _, name := range detail.Pictures {
		if data, err := x.s.root.Picture(x.id, name); err == nil {
			x.put(x.base+"/pictures/"+component(name), "data:image/svg+xml;base64,"+base64.StdEncoding.EncodeToString(data))
		}
	}
}

// answers adds the dialogues about held-out problems, those of the panel through training too.
func (x *export) answers() {
	var all show.HeldOut
	if err := json.Unmarshal(x.routes[x.base+"/answers"], &all); err != nil {
		return
	}
	for _, p := range all.Problems {
		path := fmt.Sprintf("%s/answers/%d", x.base, p.Number)
		if x.size > mostAnswerBytes || !x.copy(path, path) || p.Panel == nil {
			continue
		}
		x.copy(path+"?system=panel", path+"?system=panel")
	}
}

// episodes adds the newest episodes, those that diagnostics point to, and others.
func (x *export) episodes(most int, also []episodes.Place) error {
	store, err := x.s.store(x.id)
	if err != nil {
		return err
	}
	page := &episodes.Page{Episodes: []episodes.Row{}, Agents: x.s.root.Flat(x.id).Agents(), Flags: []string{}, Damaged: []string{}}
	add := func(rows []episodes.Row) {
		for _, r := range rows {
			page.Episodes = append(page.Episodes, r)
			for _, flag := range r.Flags {
				if !slices.Contains(page.Flags, flag) {
					page.Flags = append(page.Flags, flag)
				}
			}
		}
	}
	f := episodes.Filter{Agent: -1, Limit: max(most, 1)}
	first, err := store.List(x.ctx, f, patience*100)
	if err != nil {
		return err
	}
	page.Updates, page.Scanned, page.Damaged = first.Updates, first.Scanned, first.Damaged
	add(first.Episodes[:min(most, len(first.Episodes))])
	if most > 0 {
		also = append(also, x.evidence()...)
	}
	add(pick(store, page.Episodes, also))
	x.put(x.base+"/episodes", page)
	for _, r := range page.Episodes {
		path := fmt.Sprintf("%s/episodes/%d/%d", x.base, r.Update, r.Index)
		if x.size > mostEpisodeBytes || !x.copy(path, path) {
			continue
		}
		if err := x.tokens(path); err != nil {
			return err
		}
	}
	return x.failed
}

// evidence are the places that diagnostics point to.
func (x *export) evidence() (out []episodes.Place) {
	d, err := x.s.root.Diagnosis(x.id)
	if err != nil {
		return nil
	}
	for _, found := range d.Diagnostics {
		for _, p := range found.Evidence {
			if !p.HeldOut {
				out = append(out, episodes.Place{Update: p.Update, Index: p.Index})
			}
		}
	}
	return out
}

// pick are the rows of places that are not there yet.
func pick(store *episodes.Store, have []episodes.Row, places []episodes.Place) (out []episodes.Row) {
	for _, p := range places {
		at := func(r episodes.Row) bool { return r.Update == p.Update && r.Index == p.Index }
		if slices.ContainsFunc(have, at) || slices.ContainsFunc(out, at) {
			continue
		}
		rows, _ := store.Rows(p.Update) // what is damaged is not there
		if i := slices.IndexFunc(rows, at); i >= 0 {
			out = append(out, rows[i])
		}
	}
	return out
}

// tokens adds the tokens of all answers of an episode.
func (x *export) tokens(path string) error {
	var e struct {
		Nodes, Solo []struct {
			Node  int
			Cells []struct {
				Agent       int
				Completions []struct{ Completion int }
			}
		}
	}
	if err := json.Unmarshal(x.routes[path], &e); err != nil {
		return err
	}
	for _, n := range e.Nodes {
		for _, c := range n.Cells {
			for _, a := range c.Completions {
				if x.size > mostTokenBytes {
					return nil
				}
				ask := path + "/tokens?node=" + strconv.Itoa(n.Node) + "&agent=" + strconv.Itoa(c.Agent) + "&completion=" + strconv.Itoa(a.Completion)
				x.copy(ask, ask)
			}
		}
	}
	return nil
}

// Ask asks a route of this server, such as /api/runs, as somebody with its token would.
func (s *Server) Ask(ctx context.Context, path string) (status int, body []byte) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, http.NoBody)
	if err != nil {
		return http.StatusBadRequest, nil
	}
	r.Header.Set("Authorization", "Bearer "+s.options.Token)
	w := &kept{header: http.Header{}, status: http.StatusOK}
	s.Handler().ServeHTTP(w, r)
	return w.status, w.body.Bytes()
}

// kept is an answer that is not sent.
type kept struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *kept) Header() http.Header            { return k.header }
func (k *kept) WriteHeader(status int)         { k.status = status }
func (k *kept) Write(data []byte) (int, error) { return k.body.Write(data) }

// The tags of the built page whose files are put in their place.
var (
	scriptTag = regexp.MustCompile(`<script[^>]*\ssrc="\.?/(assets/[^"]+\.js)"[^>]*></script>`)
	styleTag  = regexp.MustCompile(`<link[^>]*\shref="\.?/(assets/[^"]+\.css)"[^>]*>`)
	iconTag   = regexp.MustCompile(`<link[^>]*\srel="icon"[^>]*\shref="\.?/([^"]+\.svg)"[^>]*>`)
	preload   = regexp.MustCompile(`<link[^>]*\srel="modulepreload"[^>]*>`)
)

// inline makes one file of the page.
func (s *Server) inline(routes map[string]json.RawMessage) ([]byte, error) {
	page, err := fs.ReadFile(s.options.Files, "index.html")
	if err != nil {
		return nil, fmt.Errorf("read the page: %w", err)
	}
	data, err := json.Marshal(map[string]any{"routes": routes}) // < > & are \u003c …: no text ends the script
	if err != nil {
		return nil, fmt.Errorf("write the run into the page: %w", err)
	}
	var failed error
	file := func(name string) string {
		text, err := fs.ReadFile(s.options.Files, name)
		failed = errors.Join(failed, err)
		return string(text)
	}
	var allowed [2]string // hashes of scripts and styles, as a policy names them
	hash := func(kind int, text string) string {
		sum := sha256.Sum256([]byte(text))
		allowed[kind] += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		return text
	}
	html := preload.ReplaceAllString(string(page), "")
	html = styleTag.ReplaceAllStringFunc(html, func(tag string) string {
		style := strings.ReplaceAll(file(styleTag.FindStringSubmatch(tag)[1]), "</style", `<\/style`)
		return "<style>" + hash(1, style) + "</style>"
	})
	html = iconTag.ReplaceAllStringFunc(html, func(tag string) string {
		icon := file(iconTag.FindStringSubmatch(tag)[1])
		return `<link rel="icon" href="data:image/svg+xml;base64,` + base64.StdEncoding.EncodeToString([]byte(icon)) + `">`
	})
	scripts := ""
	html = scriptTag.ReplaceAllStringFunc(html, func(tag string) string {
		code := file(scriptTag.FindStringSubmatch(tag)[1])
		code = strings.NewReplacer("</script", `<\/script`, "<!--", `<\!--`).Replace(code)
		scripts += `<script type="module">` + hash(0, code) + "</script>\n"
		return ""
	})
	end := strings.LastIndex(html, "</body>")
	if end < 0 {
		return nil, errors.New("the built page has no body")
	}
	begin := strings.Index(html, "<head>")
	if begin < 0 {
		return nil, errors.New("the built page has no head")
	}
	begin += len("<head>")
	alone := `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src` + allowed[0] + "; style-src" + allowed[1] + `; img-src data:; base-uri 'none'; form-action 'none'">`
	block := `<script type="application/json" id="parley-export">` + string(data) + "</script>\n"
	return []byte(html[:begin] + alone + html[begin:end] + block + scripts + html[end:]), failed
}
