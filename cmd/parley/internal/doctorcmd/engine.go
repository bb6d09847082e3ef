package doctorcmd

import (
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/engine/tinker"
	"parley/engine/tinker/link"
)

// probing is the longest that a server may take for one operation while it is measured.
const probing = 5 * time.Minute

// examine measures a training cluster, and prints what was found.
func (c *Cmd) examine(a *cli.App) error {
	s := link.Server{URL: c.Engine, Model: c.EngineModel, Wait: probing}
	if c.KeyEnv != "" {
		s.Key = os.Getenv(c.KeyEnv)
	}
	// Nothing is known of the base: probes use the first tokens of any vocabulary, in short sequences.
	e, err := tinker.Open(a.Ctx, s, tinker.Shape{Vocab: math.MaxInt32, Context: 64}, nil)
	if err != nil {
		return fmt.Errorf("examine the server: %w", err)
	}
	defer e.Close()
	p := e.Profile()
	if c.JSON {
		return a.PrintJSON(p)
	}
	return a.Table(func(w io.Writer) {
		for _, f := range p.Findings {
			cli.Row(w, f.Probe, f.What, f.Found)
		}
	})
}
