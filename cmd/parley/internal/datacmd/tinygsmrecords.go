package datacmd

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/internal/service/web"
	"parley/task/dataset"
)

// The answers of TinyGSM are found here. Its solutions are Python programs: each is run once, offline, in the sandbox, and only what it returns is
// kept (MAPoRL §4.1, maporl.md §7). Training reads the answers and never runs a program.

// A Record is one of the data set: a question, and code, a function simple_math_problem() without parameters. A [Prepared] one has question and answer.
type Record struct {
	Question string `json:"question"`
	Code     string `json:"code"`
}

// readRecord reads a record.
func readRecord(data []byte) (Record, error) {
	r, err := dataset.ParseRecord(data)
	if err != nil {
		return Record{}, err
	}
	question, err := r.Required("question")
	if err != nil {
		return Record{}, err
	}
	code, err := r.Required("code")
	return Record{question, code}, err
}

// batch is how many programs are handed to the runner at once.
const batch = 256

// prepareAll runs the programs of all records, many at a time, and calls keep with those that have an answer, in their order.
// records calls its argument with every record, and returns its error.
func prepareAll(ctx context.Context, r Runner, records func(func(Record) error) error, keep func(Prepared) error) (Counts, error) {
	p := &preparation{ctx: ctx, runner: r, keep: keep, counts: Counts{Failures: map[Failure]int{}}}
	err := records(func(record Record) error {
		if p.waiting = append(p.waiting, record); len(p.waiting) < batch {
			return nil
		}
		return p.flush()
	})
	if err == nil {
		err = p.flush()
	}
	return p.counts, err
}

type preparation struct {
	ctx     context.Context
	runner  Runner
	keep    func(Prepared) error
	waiting []Record
	counts  Counts
}

// flush runs what waits.
func (p *preparation) flush() error {
	answers, failures, errs := make([]json.Number, len(p.waiting)), make([]Failure, len(p.waiting)), make([]error, len(p.waiting))
	web.Each(len(p.waiting), len(p.waiting), func(i int) { answers[i], failures[i], errs[i] = answerOf(p.ctx, p.runner, p.waiting[i].Code) })
	for i, record := range p.waiting {
		if errs[i] != nil {
			return fmt.Errorf("run a program of TinyGSM: %w", errs[i])
		}
		p.counts.Records++
		if failures[i] != "" {
			p.counts.Failures[failures[i]]++
			continue
		}
		p.counts.Prepared++
		if err := p.keep(Prepared{record.Question, answers[i]}); err != nil {
			return err
		}
	}
	p.waiting = p.waiting[:0]
	return nil
}
