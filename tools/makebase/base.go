package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"

	"parley/model/shipped"
)

// A base is a model that this command makes: what it learns from, how, and what it is measured by.
type base struct {
	name, out string // out: the folder that it ships from, or is made in where it does not ship
	plan      plan
	card      []byte // its README.md
	measure   func(ctx context.Context, dir string, n int, w io.Writer) error
}

//go:embed card.md
var sumsCard []byte

//go:embed games.md
var gamesCard []byte

//go:embed cards.md
var cardsCard []byte

//go:embed coder.md
var coderCard []byte

//go:embed weak.md
var weakCard []byte

//go:embed trios.md
var triosCard []byte

// trios is a base that does not ship: it has read debates of three agents over three turns.
const trios = "parley-trios"

// bases lists the models.
func bases() []base {
	return []base{
		{shipped.Sums, "model/shipped/model", sumsPlan, sumsCard, measureDebates(2, 2)},
		{shipped.Weak, "model/shipped/weak", weakPlan, weakCard, measureDebates(2, 2)},
		{shipped.Games, "model/shipped/games", gamesPlan, gamesCard, measureGames},
		{shipped.Cards, "model/shipped/cards", cardsPlan, cardsCard, measureCards},
		{shipped.Coder, "model/shipped/coder", coderPlan, coderCard, measureCoder},
		{shipped.Writer, "model/shipped/writer", writerPlan, writerCard, measureWriter},
		{trios, trios, triosPlan, triosCard, measureDebates(3, 3)},
	}
}

// baseOf returns the base of a name.
func baseOf(name string) (base, error) {
	var names []string
	for _, b := range bases() {
		if b.name == name {
			return b, nil
		}
		names = append(names, b.name)
	}
	return base{}, fmt.Errorf("there is no base %q: write one of %q", name, names)
}

// A corpus is the text that a base learns from.
type corpus struct {
	// opening is the mixture of documents at the start of training, kinds that of the rest, and words that which the tokenizer is learned from.
	opening, kinds, words []share[kind]
}
