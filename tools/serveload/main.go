// Command serveload loads a server as users do who are many, impatient and sometimes hostile, and checks that nobody is told what was meant for another.
//
//	go run ./tools/serveload --parley ./parley --seconds 180
//
// Every answer is compared with the one that the same request got alone, byte for byte: at temperature 0, or by its seed. A share of clients leaves in
// mid-stream, a share sends what no client should, and the server is stopped and started again in between. At the end nothing may be in flight, and
// memory, descriptors and goroutines have to be what they were.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"parley/tools/serveload/load"
)

func main() {
	parley := flag.String("parley", "", "the program `PATH`")
	seconds := flag.Int("seconds", 180, "how long")
	clients := flag.Int("clients", 32, "how many at a time")
	seed := flag.Uint64("seed", 1, "of what is asked when")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	report, err := measure(ctx, *parley, time.Duration(*seconds)*time.Second, *clients, *seed)
	if report != nil {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		err = errors.Join(err, enc.Encode(report))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "serveload:", err)
		os.Exit(1)
	}
}

// A Measured is what was found out.
type Measured struct {
	Seconds int         `json:"seconds"`
	Clients int         `json:"clients"`
	Counts  load.Counts `json:"requests"`
	Lives   []life      `json:"lives"` // of the server, which is started twice
	Wrong   []string    `json:"wrong"` // what must not have been
}

// measure loads a server for some time. Half of it is for each of its lives.
func measure(ctx context.Context, parley string, long time.Duration, clients int, seed uint64) (*Measured, error) {
	p := &process{program: parley}
	if err := p.start(ctx); err != nil {
		return nil, err
	}
	defer p.kill()
	l := load.New(p, clients, seed)
	if err := l.Alone(ctx); err != nil {
		return nil, err
	}
	out := &Measured{Seconds: int(long.Seconds()), Clients: clients}
	begun := time.Now()
	l.More = func(int) bool { return time.Since(begun) < long && ctx.Err() == nil }
	done := make(chan struct{})
	go func() { defer close(done); l.Work(ctx) }()
	for i := range 2 {
		if err := load.Sleep(ctx, time.Until(begun.Add(long*time.Duration(1+3*i)/6))); err != nil {
			return nil, err
		}
		early, err := p.resources()
		if err != nil {
			return nil, err
		}
		if i == 0 {
			if err := errors.Join(load.Sleep(ctx, time.Until(begun.Add(long/2))), l.Restart(ctx)); err != nil {
				return nil, err
			}
			out.Lives = append(out.Lives, life{Early: early, Late: p.last})
			continue
		}
		<-done
		if err := p.quiet(ctx); err != nil {
			l.Wrong(err.Error())
		}
		late, err := p.resources()
		if err != nil {
			return nil, err
		}
		out.Lives = append(out.Lives, life{Early: early, Late: late})
		if err := p.stop(ctx); err != nil {
			l.Wrong(err.Error())
		}
	}
	for _, life := range out.Lives {
		life.check(l.Wrong)
	}
	out.Counts, out.Wrong = l.Counts, l.Mistakes()
	if len(out.Wrong) > 0 {
		return out, fmt.Errorf("%d things were wrong", len(out.Wrong))
	}
	return out, nil
}
