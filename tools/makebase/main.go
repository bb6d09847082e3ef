// Command makebase makes the base models that ship with parley (package shipped), and one that does not, from nothing: it generates a corpus, of word problems and
// debates about them, of moves in games, of small programs, or of texts and commands for blocks, learns a tokenizer from it, trains a small llama on it
// with the embedded engine, and writes the
// model's folder. docs/base-model.md is its guide.
//
//	go run ./tools/makebase                    write parley-base to model/shipped/model
//	go run ./tools/makebase -base parley-weak  write parley-weak to model/shipped/weak
//	go run ./tools/makebase -base parley-games write parley-games to model/shipped/games
//	go run ./tools/makebase -base parley-cards write parley-cards to model/shipped/cards
//	go run ./tools/makebase -base parley-coder write parley-coder to model/shipped/coder
//	go run ./tools/makebase -base parley-writer write parley-writer to model/shipped/writer
//	go run ./tools/makebase -base parley-trios write parley-trios to parley-trios
//	go run ./tools/makebase -measure           accuracy of model/shipped/model on held-out problems
//	go run ./tools/makebase -corpus 20         print documents of the corpus
//	go run ./tools/makebase -tiny -out DIR     the whole command in a second, with a useless model
//
// Read on in this order:
//
//	base.go                           which models there are
//	corpus.go, mix.go                 which documents there are, and how often
//	games.go, cards.go                those of games
//	coder.go, coderfamily.go          those of programs, and what these programs do
//	coderproblems.go, coderclasses.go their problems, as data sets write them
//	writer.go                         those of four recipes; writerblocks.go, writertexts.go and what follows: what is answered
//	solve.go, debate.go, reply.go     the ways of answering: at turn 1, and once the others' answers are known
//	document.go, tokens.go            the chat format; documents in tokens
//	train.go, model.go                the plan, the training loop, the files
//	measure.go, report.go, play.go    what the models can do; codermeasure.go
package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"parley/model/shipped"
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
	name := flags.String("base", shipped.Sums, "which model")
	out := flags.String("out", "", "folder of the model, replaced when the new one is complete (default: the one that it ships from, or its name)")
	root := flags.Uint64("seed", 0, "seed of the corpus and of the first weights (default: 1, or the plan's)")
	updates := flags.Int("updates", 0, "train for this many updates instead of the plan's")
	small := flags.Bool("tiny", false, "make a useless model within seconds, to try the command")
	corpus := flags.Int("corpus", 0, "make no model: print this many documents of the corpus as JSON lines")
	measured := flags.Bool("measure", false, "make no model: measure the one in -out on held-out problems")
	problems := flags.Int("problems", 400, "problems, or games, of -measure")
	if err := flags.Parse(args); err != nil {
		return err
	}
	b, err := baseOf(*name)
	if err != nil {
		return err
	}
	p := b.plan
	if *small {
		p = tiny
		p.seed, p.corpus = b.plan.seed, b.plan.corpus
	}
	p.seed = cmp.Or(*root, p.seed, 1)
	if *updates > 0 {
		p.updates = *updates
	}
	switch {
	case *corpus > 0:
		return dump(stdout, p.corpus.kinds, p.seed, *corpus)
	case *measured:
		return b.measure(ctx, cmp.Or(*out, b.out), *problems, stdout)
	}
	return makeModel(ctx, p, b.card, cmp.Or(*out, b.out), stderr)
}

// dump writes the first n documents of a mixture as JSON lines: the spans of each with their text and whether it is learned.
func dump(w io.Writer, mixture []share[kind], root uint64, n int) error {
	buffered := bufio.NewWriter(w)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	for i := range n {
		if err := encoder.Encode(corpusDocument(root, i, mixture)); err != nil {
			return fmt.Errorf("write the corpus: %w", err)
		}
	}
	return buffered.Flush()
}
