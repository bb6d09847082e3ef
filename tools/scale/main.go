// Command scale says how busy rollouts keep a cluster: it plays them on replicas that exist on paper, by a virtual clock,
// and prints the tables of docs/scale.md.
//
//	go run ./tools/scale [-svg FILE] [-turns 3] [-asks 3] …
//
// The same flags print the same text.
//
//	cluster.go    replicas and batches; how long one answer takes
//	schedule.go   a rollout on a cluster by a virtual clock, event by event
//
// Everything is drawn from seeds: lengths of answers, and what is lost. A replica draws Batch answers at once, each a token a step. With B answers a
// step takes Step + B·Each seconds, as if the batch were full; an answer of n tokens takes
//
//	Latency + n·(Step + B·Each)
//
// A try is lost with probability Failures, somewhere in its time, and begins again. Answers wait in one line for the first free slot of any replica,
// as behind a balancer that knows them all.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	s, svg := flags(flag.CommandLine)
	flag.Parse()
	if err := s.print(os.Stdout); err != nil {
		log.Fatal(err)
	}
	if *svg == "" {
		return
	}
	picture, err := s.picture()
	if err == nil {
		err = os.WriteFile(*svg, picture, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// A setup is what is simulated.
type setup struct {
	cluster Cluster // without replicas and batch
	work    Work    // without problems
	batch   int
}

func flags(f *flag.FlagSet) (*setup, *string) {
	s := new(setup)
	f.IntVar(&s.work.Turns, "turns", 3, "turns of a problem")
	f.IntVar(&s.work.Asks, "asks", 3, "answers of a turn: agents times completions")
	f.Float64Var(&s.work.Score, "score", 0.5, "seconds to score a turn")
	f.IntVar(&s.batch, "batch", 32, "answers that a replica draws at once")
	f.Float64Var(&s.cluster.Latency, "latency", 0.2, "seconds of a call beside its tokens")
	f.Float64Var(&s.cluster.Step, "step", 0.02, "seconds of a step whatever the batch")
	f.Float64Var(&s.cluster.Each, "each", 0.0002, "seconds of a step more for each answer of the batch")
	f.Float64Var(&s.cluster.Mean, "tokens", 256, "tokens of an answer, on average")
	f.Float64Var(&s.cluster.Spread, "spread", 0.6, "standard deviation of the logarithm of that")
	f.IntVar(&s.cluster.Most, "most", 1024, "most tokens of an answer")
	f.Float64Var(&s.cluster.Failures, "failures", 0.01, "share of tries that are lost")
	return s, f.String("svg", "", "a picture of the first table goes to this file")
}

// What is tried.
func replicas() []int { return []int{1, 2, 4, 8, 16, 32, 64, 128, 256} }
func problems() []int { return []int{64, 512, 4096} }
func batches() []int  { return []int{1, 8, 32, 64, 128, 256} }

// play is a rollout of some problems.
func (s *setup) play(problems, replicas, batch int, schedule Schedule) Usage {
	c, w := s.cluster, s.work
	c.Replicas, c.Batch, w.Problems = replicas, batch, problems
	return c.Play(w, schedule)
}

// print writes the tables: how busy replicas are by their number, and by the batch of each.
func (s *setup) print(out io.Writer) error {
	p := &printer{out: out}
	p.print("Share of all slots that is busy with answers, of replicas that draw %d at once:\n\n| replicas |", s.batch)
	for _, n := range problems() {
		p.print(" %d problems, turn by turn | %d, one by one |", n, n)
	}
	p.rule(1 + 2*len(problems()))
	for _, r := range replicas() {
		p.print("| %d |", r)
		for _, n := range problems() {
			p.print(" %.2f | %.2f |", s.play(n, r, s.batch, Together).Share, s.play(n, r, s.batch, Apart).Share)
		}
		p.print("\n")
	}
	const r, n = 16, 512
	p.print("\n%d replicas, %d problems:\n\n| batch | slots | busy, turn by turn | busy, one by one | tokens a second, turn by turn | one by one | seconds, one by one |", r, n)
	p.rule(7)
	for _, b := range batches() {
		together, apart := s.play(n, r, b, Together), s.play(n, r, b, Apart)
		rate := func(u Usage) float64 { return float64(u.Tokens) / u.Seconds }
		p.print("| %d | %d | %.2f | %.2f | %.0f | %.0f | %.0f |\n", b, r*b, together.Share, apart.Share, rate(together), rate(apart), apart.Seconds)
	}
	return p.err
}

// A printer writes until it fails.
type printer struct {
	out io.Writer
	err error
}

func (p *printer) print(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format, args...)
	}
}

// rule is the line below the head of a table.
func (p *printer) rule(columns int) {
	p.print("\n|")
	for range columns {
		p.print(" ---: |")
	}
	p.print("\n")
}
