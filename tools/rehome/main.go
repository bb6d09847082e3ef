// Command rehome gives this module another path: in go.mod, in every import, and wherever a text names a package with the module's path before it.
//
//	go run ./tools/rehome github.com/you/parley
//
// It is run once, in the root of a working tree that has no changes of its own, by whoever gives the module a home. The package in the root keeps
// its name, so that code goes on saying parley.Open.
package main

import (
	"fmt"
	"os"
	"regexp"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rehome:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 || !modulePath(args[0]) {
		return fmt.Errorf("say where the module shall be, as in: make rehome MODULE=github.com/you/parley")
	}
	changed, err := rehome(".", args[0])
	if err != nil {
		return err
	}
	fmt.Printf("%d files say %s now\n", changed, args[0])
	return nil
}

// modulePath says whether others can fetch a module by this path: go get asks for a dot in the first element.
func modulePath(p string) bool {
	return regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$`).MatchString(p)
}
