package checkpoint

import (
	"archive/tar"
	"compress/gzip"
	"crypto/rand"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/model/weights/peft"
)

// A ticket lets whoever has it fetch one thing, for a while: archives are fetched by programs that do not have the key.
type ticket struct {
	dir  string
	file string // one of its files; empty: all of the adapter, packed
	ends time.Time
}

// tickets are those that are good.
type tickets struct {
	mu  sync.Mutex
	all map[string]ticket
}

// Tickets is the part of a path before a ticket.
const Tickets = "archives"

const (
	ticketTime  = 15 * time.Minute
	mostTickets = 1 << 12
)

// give makes a ticket and says where it is good.
func (t *tickets) give(r *http.Request, k ticket) string {
	id := rand.Text() + rand.Text()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil || len(t.all) > mostTickets {
		t.all = map[string]ticket{}
	}
	t.all[id] = k
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	base, _, _ := strings.Cut(r.URL.Path, "training_runs/")
	return scheme + "://" + r.Host + base + Tickets + "/" + id
}

func (t *tickets) take(id string) (ticket, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k, ok := t.all[id]
	return k, ok && time.Now().Before(k.ends)
}

// Expire forgets tickets that are not good any more.
func (c *Catalog) Expire(now time.Time) {
	t := &c.tickets
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, k := range t.all {
		if now.After(k.ends) {
			delete(t.all, id)
		}
	}
}

// Archive says where the adapter of a checkpoint can be fetched.
func (c *Catalog) Archive(w http.ResponseWriter, r *http.Request, run, kind, name string) {
	_, dir, err := c.store.Find(run, kind, name)
	if err != nil {
		Write(w, Lost("%v", err))
		return
	}
	ends := time.Now().Add(ticketTime).UTC()
	w.Header().Set("Location", c.tickets.give(r, ticket{dir: dir, ends: ends}))
	w.Header().Set("Expires", ends.Format(http.TimeFormat))
	w.WriteHeader(http.StatusFound)
}

// URLs says where each file of an adapter can be fetched.
func (c *Catalog) URLs(r *http.Request, run, kind, name string) any {
	_, dir, err := c.store.Find(run, kind, name)
	if err != nil {
		return Lost("%v", err)
	}
	ends, urls := time.Now().Add(ticketTime).UTC(), map[string]string{}
	for _, file := range adapterFiles() {
		urls[file] = c.tickets.give(r, ticket{dir: dir, file: file, ends: ends})
	}
	return map[string]any{"urls": urls, "expires": ends.Format(time.RFC3339)}
}

func adapterFiles() []string { return []string{peft.ConfigFile, peft.WeightsFile} }

// Hand gives what a ticket is for.
func (c *Catalog) Hand(w http.ResponseWriter, r *http.Request, id string) {
	k, ok := c.tickets.take(strings.TrimSpace(id))
	switch {
	case r.Method != http.MethodGet:
		Write(w, &Fault{Status: http.StatusMethodNotAllowed, Words: "the method is " + r.Method + ", expected GET"})
	case !ok:
		Write(w, Lost("there is nothing here, or no more"))
	case k.file != "":
		http.ServeFile(w, r, filepath.Join(k.dir, k.file))
	default:
		pack(w, k.dir)
	}
}

// pack writes an adapter as tar.gz. A reader sees by its end whether it is whole.
func pack(w http.ResponseWriter, dir string) {
	var files []*os.File
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	for _, name := range adapterFiles() {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			Write(w, Lost("there is nothing here, or no more"))
			return
		}
		files = append(files, f)
	}
	w.Header().Set("Content-Type", "application/gzip")
	z := gzip.NewWriter(w)
	archive := tar.NewWriter(z)
	for i, name := range adapterFiles() {
		info, err := files[i].Stat()
		if err == nil {
			err = archive.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: info.Size(), ModTime: info.ModTime()})
		}
		if err == nil {
			_, err = io.Copy(archive, files[i])
		}
		if err != nil {
			panic(http.ErrAbortHandler) // half an archive must not look whole
		}
	}
	if archive.Close() != nil || z.Close() != nil {
		panic(http.ErrAbortHandler)
	}
}
