// Command newtask trains a team on a task that parley does not bring.
package main

import (
	"context"
	"fmt"
	"os"

	"newtask/parity"
	"parley/engine/native"
	"parley/learn/algorithms"
	"parley/recipe"
	"parley/task/register"
	"parley/team/protocols"
	"parley/train"
)

func main() {
	language := recipe.NewLanguage(append(register.Tasks(),
		parity.Type(), // the line that registers the task
	), protocols.All(), algorithms.All())
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
