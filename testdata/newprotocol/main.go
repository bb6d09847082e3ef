// Command newprotocol trains a team by a protocol that parley does not bring.
package main

import (
	"context"
	"fmt"
	"os"

	"newprotocol/relay"
	"parley/engine/native"
	"parley/recipe"
	"parley/recipe/language"
	"parley/team/protocols"
	"parley/train"
)

func main() {
	language := recipe.NewLanguage(language.Tasks(), append(protocols.All(),
		relay.Kind(), // the line that registers the protocol
	), language.Algorithms())
	r, err := language.Load("magrpo-tiny", append([]string{"team.protocol=relay", "team.turns=3", "training.updates=1", "training.problems=2", "group.size=2",
		"sampling.max_tokens=8", "eval.problems=2", "eval.baselines=[]"}, os.Args[1:]...))
	if err != nil {
		fail(err)
	}
	result, err := train.Run(context.Background(), train.Options{Backend: native.Backend{}, Recipe: r, Dir: "run", MaxUpdates: -1})
	if err != nil {
		fail(err)
	}
	fmt.Println(r.Team.Protocol, result.Report.Updates)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
