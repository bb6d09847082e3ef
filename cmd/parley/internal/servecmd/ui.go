package servecmd

// The verb ui: a page on this machine that shows runs, or a file with one of them.
//
//	ui.go      flags, and the life of the server
//	export.go  one run as one file
//	get.go     what the page shows, as JSON

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/internal/service/web"
	"parley/internal/terminal"
	"parley/internal/usererror"
	"parley/runs"
	"parley/viewer"
	"parley/viewer/jobs"
	page "parley/viewer/web"
)

// UI is the verb ui.
type UI struct {
	Serve  serveCmd  `cmd:"" default:"withargs" hidden:"" help:"Show runs in a browser."`
	Export exportCmd `cmd:"" help:"Write one file that shows a run in any browser."`
	Get    getCmd    `cmd:"" help:"Print what the page shows, as JSON."`
}

func (UI) Help() string { return serveCmd{}.Help() }

type serveCmd struct {
	Runs     string `arg:"" optional:"" name:"runs" help:"Folder of runs, or one run. Default: the runs folder."`
	Addr     string `default:"127.0.0.1:8008" placeholder:"HOST:PORT" help:"Where to listen. Port 0 takes a free one."`
	ReadOnly bool   `name:"read-only" help:"Refuse everything that changes something: tags, notes, starting and stopping runs, swaps, questions."`
	JSON     bool   `name:"json" help:"When the page can be opened, print one line of JSON {\"url\",\"token\"} on stdout."`
}

func (serveCmd) Help() string {
	return `Opens a page on this machine that shows runs: their curves, their diagnostics, and every episode with answers, credit and tokens. The page reads run folders and never disturbs training. It needs no network.

    parley ui [RUNS]

RUNS is a folder of runs, or one run. Without it the runs folder is shown: PARLEY_RUNS, or else runs. The address and the token are printed on stderr: open http://HOST:PORT/?token=TOKEN, which a terminal shows as a link. The token is read from PARLEY_TOKEN, or made.

Examples:

    parley ui
    parley ui runs --addr 127.0.0.1:0
    parley ui export magrpo-tiny-s1 --out run.html

Exit codes: 0 stopped; 1 the server failed; 2 there is no such folder, or a flag is wrong.`
}

func (c *serveCmd) Run(a *cli.App) error {
	a, stop := a.Hosted()
	defer stop()
	root, run, err := rootOf(c.Runs)
	if err != nil {
		return err
	}
	files, err := fs.Sub(page.Dist, "dist")
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(a.Ctx, "tcp", c.Addr)
	if err != nil {
		return cli.Usagef("--addr %s: %v", c.Addr, err)
	}
	_ = os.Unsetenv(usererror.CallerVariable) // what the page says to run is for a shell, whoever has started it
	host, _, _ := net.SplitHostPort(c.Addr)   // it was listened on
	token, made := token()
	if made {
		a.Sayf("token %s\n", token)
	}
	a.Sayf("listening on http://%s\n", listener.Addr())
	if out, ok := a.Stderr.(*os.File); ok && made && terminal.Is(out) { // a link for somebody who sits there
		fmt.Fprintf(a.Stderr, "open http://%s/?token=%s%s\n", listener.Addr(), token, run)
	}
	if c.JSON {
		if err := a.Ready(listener, token); err != nil {
			return err
		}
	}
	o := viewer.Options{Root: root, Token: token, Version: cli.VersionString(), ReadOnly: c.ReadOnly, Language: a.Language, Backend: cli.Backend(), Files: files, Hosts: []string{host}}
	if program, err := os.Executable(); err == nil && !c.ReadOnly {
		o.Jobs = &jobs.Queue{Program: program, Now: time.Now}
	}
	server := viewer.New(o)
	return serveUntil(a.Ctx, listener, server.Handler())
}

// rootOf is the folder of runs that a user means. Of one run it is the folder that it lies in, and place is where the page shows it.
func rootOf(name string) (root, place string, err error) {
	if name == "" {
		return runs.Root(), "", nil
	}
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		dir, err := cli.FindRun(name)
		if err != nil {
			return "", "", cli.Usagef("%s is neither a folder nor a run", name)
		}
		name = dir
	}
	var none *runs.NotRunError
	if _, err := runs.Read(name); errors.As(err, &none) {
		return name, "", nil
	}
	whole, err := filepath.Abs(name)
	if err != nil {
		return "", "", err
	}
	return filepath.Dir(whole), "#/runs/" + url.PathEscape(filepath.Base(whole)), nil
}

// serveUntil serves until ctx ends. Nothing is lost when answers are cut off: runs that were started go on by themselves.
func serveUntil(ctx context.Context, listener net.Listener, handler http.Handler) error {
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	h := web.Listen(ctx, work, handler, web.UsualLimits)
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve the page: %w", err)
	case <-ctx.Done():
	}
	stop() // streams of events end
	within, enough := context.WithTimeout(context.WithoutCancel(ctx), time.Second/2)
	defer enough()
	if err := h.Shutdown(within); err != nil {
		return h.Close()
	}
	return nil
}
