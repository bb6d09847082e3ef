// Package cli is what the verbs of the program parley share. It knows the streams, the exit codes and the forms of answers; it knows no verb.
//
//	app.go        the world as a verb sees it, and a note where no kernel set fits the processor
//	exit.go       exit codes, and which error has which
//	errors.go     mistakes on the command line
//	output.go     JSON objects, tables, and text that may not control the terminal
//	jsonlines.go  JSON lines in, JSON lines out, in the same order
//	findrun.go    runs and recipes by the names that users type; loadrecipe.go reads recipes
//	build.go      which build this is
package cli

import (
	"context"
	"io"
	"os"

	"parley/engine/native/kernel"
	"parley/recipe"
)

// An App is what a verb may use of the world.
type App struct {
	Ctx            context.Context
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Language       *recipe.Language // of recipes
}

// NoteSlow says where plain Go computes.
func (a *App) NoteSlow() {
	if why := kernel.Slow(os.Getenv("PARLEY_CPU")); why != "" {
		a.Say("note:", why)
	}
}
