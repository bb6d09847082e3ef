// Command newtask trains a team on a task that parley does not bring.
package main

import (
	"context"
	"fmt"
	"os"

	"newtask/parity"
	"parley/engine/native"
	"parley/recipe"
	"parley/recipe/language"
	"parley/team/protocols"
	"parley/train"
)

func main() {
	language := recipe.NewLanguage(append(language.Tasks(),
		parity.Type(), // the line that registers the task
	), protocols.All(), language.Algorithms())
	r, err := language.Load("parity.yaml", os.Args[1:])
	if err != nil {
		fail(err)
	}
	result, err := train.Run(context.Background(), train.Options{Backend: native.Backend{}, Recipe: r, Dir: "run", MaxUpdates: -1})
	if err != nil {
		fail(err)
	}
	fmt.Println(result.Report.Task, result.Report.Updates)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
