package cli

import (
	"os"

	"parley/engine/native/kernel"
)

// NoteSlow says where plain Go computes.
func (a *App) NoteSlow() {
	if why := kernel.Slow(os.Getenv("PARLEY_CPU")); why != "" {
		a.Say("note:", why)
	}
}
