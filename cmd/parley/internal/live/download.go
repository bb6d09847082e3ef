package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/internal/sysmem"
	"parley/internal/terminal"
	"parley/model"
	"parley/model/hub"
)

// Pull downloads into the Hugging Face cache and shows how far it is.
func Pull(a *cli.App, name string, opt hub.Options) (*hub.Result, error) {
	client, err := hub.NewClient(model.CacheRoot())
	if err != nil {
		return nil, cli.Usagef("%v", err)
	}
	out, _ := a.Stderr.(*os.File)
	show := &pulling{w: a.Stderr, now: time.Now, draw: out != nil && Drawable(out)}
	opt.Free, opt.Observe = sysmem.FreeDisk, show.observe
	r, err := client.Pull(a.Ctx, name, opt)
	show.close()
	switch {
	case errors.As(err, new(*hub.InputError)):
		return nil, cli.Usagef("%v", err)
	case errors.Is(err, context.Canceled):
		return nil, fmt.Errorf("interrupted; the same command goes on where it stopped: %w", err)
	}
	return r, err
}

// pulling shows the progress of a pull: one line that is drawn again and again on a terminal, else a plain one now and then.
type pulling struct {
	w     io.Writer
	now   func() time.Time
	draw  bool
	last  time.Time
	again time.Time // of the last line about another try
	drawn bool
}

func (p *pulling) observe(at hub.Progress) {
	every := 10 * time.Second
	if p.draw {
		every = 100 * time.Millisecond
	}
	now := p.now()
	if at.Retry != nil {
		p.retry(at, now)
		return
	}
	if at.Done < at.Total && !p.last.IsZero() && now.Sub(p.last) < every {
		return
	}
	p.last = now
	line := fmt.Sprintf("%s of %s  %s", cli.Mebibytes(at.Done), cli.Mebibytes(at.Total), at.File)
	if at.Waiting {
		line = "waiting for another process that downloads " + at.File
	}
	if p.draw {
		line = "\r\x1b[K" + line
		p.drawn = true
	} else {
		line += "\n"
	}
	fmt.Fprint(p.w, line)
}

// retry prints a line that stays. A server that cuts every answer short does not fill the screen with them.
func (p *pulling) retry(at hub.Progress, now time.Time) {
	if !p.again.IsZero() && now.Sub(p.again) < 100*time.Millisecond {
		return
	}
	p.again = now
	p.close()
	fmt.Fprintln(p.w, retryLine(at))
}

// retryLine says what failed, and when it is tried again.
func retryLine(at hub.Progress) string {
	r := at.Retry
	what, when := "the request", "now"
	if at.File != "" {
		what = at.File
	}
	if r.Pause > 0 {
		when = "in " + r.Pause.String()
	}
	if r.Try > 1 {
		when += fmt.Sprintf(", try %d of %d", r.Try, r.Tries)
	}
	return terminal.Printable(fmt.Sprintf("%s failed: %v; trying again %s", what, r.Err, when))
}

// close ends the line that was drawn.
func (p *pulling) close() {
	if p.drawn {
		fmt.Fprintln(p.w)
		p.drawn = false
	}
}
