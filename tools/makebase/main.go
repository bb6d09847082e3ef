// Command makebase makes the base model that ships with parley (package shipped) from nothing: it generates a corpus of word
// problems and debates about them, learns a tokenizer from it, trains a small llama on it with the embedded engine, and writes the
// model's folder. docs/base-model.md is its guide.
//
//	go run ./tools/makebase                    write model/shipped/model
//	go run ./tools/makebase -measure           accuracy of model/shipped/model on held-out problems
//	go run ./tools/makebase -corpus 20         print documents of the corpus
//	go run ./tools/makebase -tiny -out DIR     the whole command in a second, with a useless model
//
// Read on in this order:
//
//	corpus.go, mix.go                 which documents there are, and how often
//	solve.go, debate.go, reply.go     the ways of answering: at turn 1, and once the others' answers are known
//	document.go, tokens.go            the chat format; documents in tokens
//	train.go, model.go                the plan, the training loop, the files
//	measure.go, report.go             what the model can do
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "makebase:", err)
		os.Exit(1)
	}
}

// run is the command with its arguments.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("makebase", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", "model/shipped/model", "folder of the model, replaced when the new one is complete")
	root := flags.Uint64("seed", 1, "seed of the corpus and of the first weights")
	updates := flags.Int("updates", 0, "train for this many updates instead of the plan's")
	small := flags.Bool("tiny", false, "make a useless model within seconds, to try the command")
	corpus := flags.Int("corpus", 0, "make no model: print this many documents of the corpus as JSON lines")
	measured := flags.Bool("measure", false, "make no model: measure the one in -out on held-out problems")
	problems := flags.Int("problems", 400, "problems of -measure")
	if err := flags.Parse(args); err != nil {
		return err
	}
	p := shippedPlan
	if *small {
		p = tiny
	}
	if *updates > 0 {
		p.updates = *updates
	}
	switch {
	case *corpus > 0:
		return dump(stdout, *root, *corpus)
	case *measured:
		return measure(ctx, *out, *problems, stdout)
	}
	return makeModel(ctx, p, *root, *out, stderr)
}

// dump writes the first n documents of the corpus as JSON lines: the spans of each with their text and whether it is learned.
func dump(w io.Writer, root uint64, n int) error {
	buffered := bufio.NewWriter(w)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	for i := range n {
		if err := encoder.Encode(corpusDocument(root, i, kinds)); err != nil {
			return fmt.Errorf("write the corpus: %w", err)
		}
	}
	return buffered.Flush()
}
