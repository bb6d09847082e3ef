package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// fetch brings the contents of f into the cache, unless they are there.
func (p *pull) fetch(ctx context.Context, f File) error {
	p.progress.File = f.Path
	before := p.progress.Done
	defer func() { p.progress.Done = before + f.Bytes }()
	blob := p.blob(f)
	if err := os.MkdirAll(filepath.Dir(blob), 0o755); err != nil {
		return err
	}
	unlock, err := p.lock(ctx, f)
	if err != nil {
		return err
	}
	defer unlock()
	if info, err := os.Stat(blob); err == nil && info.Size() == f.Bytes {
		return nil
	}
	part, err := openPart(blob+".incomplete", &f)
	if err != nil {
		return err
	}
	defer part.disk.Close()
	if err := p.complete(ctx, part, before); err != nil {
		return err
	}
	return part.finish(blob)
}

// leastBytes is what a server that is not given up sends within the longest silence.
const leastBytes = 4 << 10

// complete downloads what a part lacks. Each try goes on where the last one ended; tries that brought bytes, and not just drops, do not count.
func (p *pull) complete(ctx context.Context, part *part, before int64) error {
	for part.n < part.file.Bytes {
		start := part.n
		err := p.patiently(ctx, func() error {
			err := p.more(ctx, part, before)
			if part.n >= start+leastBytes && errors.As(err, new(temporary)) {
				p.again(Retry{Err: err, Try: 1, Tries: p.tries})
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

var errSilent = errors.New("the server stopped sending, or sends next to nothing")

// more asks for the bytes from part.n on and appends what arrives.
func (p *pull) more(ctx context.Context, part *part, before int64) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	alarm := time.AfterFunc(p.stall, func() { cancel(errSilent) })
	defer alarm.Stop()
	var header []string
	if part.n > 0 {
		header = []string{"Range", fmt.Sprintf("bytes=%d-", part.n)}
	}
	answer, err := p.request(ctx, http.MethodGet, p.address(part.file.Path), header...)
	if err != nil {
		return silence(ctx, err)
	}
	defer answer.Body.Close()
	if err := p.place(part, answer); err != nil {
		return err
	}
	buf := make([]byte, 256<<10)
	alarm.Reset(p.stall)
	for sent := 0; ; {
		n, err := answer.Body.Read(buf)
		if sent += n; sent >= leastBytes {
			alarm.Reset(p.stall)
			sent = 0
		}
		if _, e := part.Write(buf[:n]); e != nil {
			return e
		}
		p.progress.Done = before + part.n
		p.observe(p.progress)
		switch {
		case err == io.EOF && part.n < part.file.Bytes:
			return temporary{error: fmt.Errorf("the connection ended after %d of %d bytes", part.n, part.file.Bytes)}
		case err == io.EOF:
			return nil
		case err != nil:
			return silence(ctx, err)
		}
	}
}

// silence is the error of a read that failed: worth another try unless the caller has given up.
func silence(ctx context.Context, err error) error {
	switch {
	case ctx.Err() == nil:
		return temporary{error: err}
	case context.Cause(ctx) == errSilent:
		return temporary{error: errSilent}
	}
	return ctx.Err()
}

// place makes sure that the bytes of an answer go where they belong: behind the part, or in its place where the server
// sends the whole file.
func (p *pull) place(part *part, answer *http.Response) error {
	switch answer.StatusCode {
	case http.StatusPartialContent:
		if got, want := answer.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", part.n); !strings.HasPrefix(got, want) {
			return fmt.Errorf("the server sends range %q instead of one from byte %d", got, part.n)
		}
		return nil
	case http.StatusOK:
		return part.reset()
	case http.StatusRequestedRangeNotSatisfiable:
		if err := part.reset(); err != nil {
			return err
		}
		return temporary{error: errors.New("the server does not have the bytes that are missing")}
	}
	return p.refusal(answer)
}

// checkRoom refuses a pull that the disk has no room for, before anything is downloaded. What is there already, whole or in part,
// does not count. Where the free space is not known nothing is refused: a full disk stops the pull cleanly too.
func (p *pull) checkRoom(free func(dir string) (int64, error)) error {
	if free == nil {
		return nil
	}
	if err := os.MkdirAll(p.Cache, 0o755); err != nil {
		return err
	}
	room, err := free(p.Cache)
	if err != nil {
		return nil
	}
	missing := p.progress.Total
	for _, f := range p.files {
		for _, name := range []string{p.blob(f), p.blob(f) + ".incomplete"} {
			if info, err := os.Stat(name); err == nil {
				missing -= min(info.Size(), f.Bytes)
				break
			}
		}
	}
	if missing > room {
		return fmt.Errorf("%.1f MiB are to be downloaded, but the disk of %s has only %.1f MiB free: free some space, or set HF_HOME to a folder on another disk",
			float64(missing)/(1<<20), p.Cache, float64(room)/(1<<20))
	}
	return nil
}
