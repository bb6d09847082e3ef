// Package hub downloads models and data sets from the Hugging Face Hub, or from a server that speaks like it, into the usual cache.
//
// [Client.Pull] asks the server which files a model has (api.go), chooses those that parley reads (choose.go), asks for the
// size and checksum of each (metadata.go), downloads what is missing (download.go, part.go), and only then gives the files
// their names (cache.go). The cache has the layout that huggingface_hub made usual, so both use each other's files:
//
//	models--org--name/blobs/CHECKSUM          contents
//	models--org--name/snapshots/COMMIT/FILE   links to them
//	models--org--name/refs/REVISION           the commit that a branch or tag stood for
//
// Data sets lie beside them in datasets--org--name.
//
// A download that was cut goes on where it stopped, in this call and in a later one: what is there lies in
// blobs/CHECKSUM.incomplete. A blob gets its final name after its checksum was verified; a snapshot is filled after all its
// blobs are there. Processes that want the same blob take turns (lock.go).
//
// The server is not trusted: names of files must stay inside their folder, replies and files are no longer than they may be, and a
// server that falls silent or only drips is given up. The token goes to the server itself only, never to where it redirects (package web).
package hub

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"parley/internal/service/web"
)

// DefaultEndpoint is the Hugging Face Hub.
const DefaultEndpoint = "https://huggingface.co"

// A Client downloads from one server into one cache.
type Client struct {
	Endpoint string // such as DefaultEndpoint
	Token    string // sent to Endpoint; empty: none
	Cache    string // the folder that holds models--org--name folders

	http  *http.Client
	stall time.Duration               // the longest silence of a server
	tries int                         // failures in a row without a new byte after which a request is given up
	pause func(try int) time.Duration // before try 2, 3, ...
}

// NewClient returns a client for the server and token of the environment: HF_ENDPOINT (else [DefaultEndpoint]) and HF_TOKEN.
func NewClient(cache string) (*Client, error) {
	c := &Client{
		Endpoint: DefaultEndpoint, Token: strings.TrimSpace(os.Getenv("HF_TOKEN")), Cache: cache,
		stall: 30 * time.Second, tries: 5, pause: func(try int) time.Duration { return web.Pause(time.Second, try-1) },
	}
	if e := os.Getenv("HF_ENDPOINT"); e != "" {
		c.Endpoint = strings.TrimRight(e, "/")
	}
	if u, err := url.Parse(c.Endpoint); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		return nil, inputErrorf("HF_ENDPOINT is %q; write a URL such as %s", c.Endpoint, DefaultEndpoint)
	}
	if cache == "" {
		return nil, inputErrorf("there is no folder for the cache: set HF_HOME")
	}
	c.http = newHTTP(c.stall)
	return c, nil
}

// Options say what of a model or data set to pull.
type Options struct {
	Revision string   // branch, tag or commit; empty: main
	Files    []string // patterns as of path.Match, for a file's path or its last part; none: what parley reads
	Dataset  bool     // the name is that of a data set
	// Weightless leaves out the weights: configuration and tokenizer are enough for a model that is computed elsewhere.
	Weightless bool
	// Free, if set, says how many bytes may be written to the disk of a folder; a pull that needs more is refused beforehand.
	Free func(dir string) (int64, error)
	// Observe, if set, is called while bytes arrive, by the goroutine that called Pull.
	Observe func(Progress)
}

// Progress says how far a pull is.
type Progress struct {
	File        string // the one that is arriving
	Done, Total int64  // bytes of all files
	Waiting     bool   // another process is downloading File
	Retry       *Retry // a request failed and is made again; nil: none did
}

// A Retry says why a request is made again.
type Retry struct {
	Err        error         // of the last time
	Try, Tries int           // this is that try, of at most so many in a row without a new byte
	Pause      time.Duration // before it
}

// A Result says what a pull left in the cache.
type Result struct {
	Name     string `json:"name"`
	Revision string `json:"revision"`
	Commit   string `json:"commit"`
	Path     string `json:"path"` // of the snapshot
	Files    []File `json:"files"`
}

// A File is one file of a snapshot.
type File struct {
	Path     string `json:"path"` // in the snapshot, with slashes
	Bytes    int64  `json:"bytes"`
	Checksum string `json:"checksum"` // sha256 of large files, git's object id of small ones
}

// An InputError is a mistake in a name, a revision or the environment: nothing was asked of the server.
type InputError struct{ message string }

func (e *InputError) Error() string { return e.message }

func inputErrorf(format string, args ...any) error { return &InputError{fmt.Sprintf(format, args...)} }

// Pull brings the chosen files of a model or data set into the cache. What is there already is not downloaded again.
func (c *Client) Pull(ctx context.Context, name string, opt Options) (*Result, error) {
	if opt.Revision == "" {
		opt.Revision = "main"
	}
	p := &pull{Client: c, kind: models, name: name, revision: opt.Revision, observe: opt.Observe}
	if opt.Dataset {
		p.kind = datasets
	}
	if err := checkName(p.kind, name, opt.Revision); err != nil {
		return nil, err
	}
	if p.observe == nil {
		p.observe = func(Progress) {}
	}
	if err := p.run(ctx, opt); err != nil {
		return nil, fmt.Errorf("pull %s: %w", name, err)
	}
	return &Result{Name: name, Revision: opt.Revision, Commit: p.commit, Path: p.snapshot(), Files: p.files}, nil
}

// A pull is one call of [Client.Pull].
type pull struct {
	*Client
	kind                   kind
	name, revision, commit string
	files                  []File
	observe                func(Progress)
	progress               Progress
}

// mostFiles is how many files a pull brings: each is asked about beforehand.
const mostFiles = 10_000

func (p *pull) run(ctx context.Context, opt Options) error {
	paths, err := p.list(ctx)
	if err != nil {
		return err
	}
	if paths, err = choose(p.kind, paths, opt.Files, opt.Weightless); err != nil {
		return err
	}
	if len(paths) > mostFiles {
		return fmt.Errorf("the %s has %d such files, more than %d: choose with --file", p.kind.noun, len(paths), mostFiles)
	}
	for _, path := range paths {
		p.progress.File = path
		f, err := p.metadata(ctx, path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		p.files = append(p.files, f)
		p.progress.Total += f.Bytes
	}
	if err := p.checkRoom(opt.Free); err != nil {
		return err
	}
	for _, f := range p.files {
		if err := p.fetch(ctx, f); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return p.publish()
}

// A kind is what a repository on the hub holds.
type kind struct {
	noun    string
	api     string // between /api/ and the name
	address string // before the name in the address of a file
	folder  string // what the repository's folder in the cache begins with
	example string
}

var (
	models   = kind{"model", "models/", "", "models--", "HuggingFaceTB/SmolLM2-135M-Instruct"}
	datasets = kind{"data set", "datasets/", "datasets/", "datasets--", "openai/gsm8k"}
)

var (
	namePattern     = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?$`)
	revisionPattern = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)*$`)
	commitPattern   = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// checkName checks what becomes part of addresses and of paths in the cache.
func checkName(k kind, name, revision string) error {
	if !namePattern.MatchString(name) || strings.Contains(name, "--") || strings.Contains(name, "..") {
		return inputErrorf("%q is no name of a %s on the hub; write one such as %s", name, k.noun, k.example)
	}
	if !revisionPattern.MatchString(revision) || strings.Contains(revision, "..") {
		return inputErrorf("%q is no revision; write a branch, a tag or a commit", revision)
	}
	return nil
}

// safe says whether a path that a server names stays inside a folder, on every system.
func safe(path string) bool {
	if strings.ContainsAny(path, "\\:\x00") || !filepath.IsLocal(filepath.FromSlash(path)) {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}
