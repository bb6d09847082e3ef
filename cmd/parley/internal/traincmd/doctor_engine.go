package traincmd

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/engine/tinker"
	"parley/engine/tinker/link"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/train/cluster"
)

// probing is the longest that a server may take for one operation while it is measured.
const probing = 5 * time.Minute

// examine measures a training cluster, and prints what was found.
func (c *Doctor) examine(a *cli.App) error {
	s := link.Server{URL: c.Engine, Model: c.EngineModel, Alone: c.Alone, Wait: probing}
	if c.KeyEnv != "" {
		s.Key = os.Getenv(c.KeyEnv)
	}
	shape := tinker.Shape{Vocab: math.MaxInt32, Context: 64}
	var r *recipe.Recipe
	if c.Recipe != "" {
		var err error
		if r, err = a.LoadRecipe(c.Recipe, nil, nil); err != nil {
			return err
		}
		shape.Rank = r.Policies.Rank
	}
	// Nothing is known of the base: probes use the first tokens of any vocabulary, in short sequences.
	e, err := tinker.Open(a.Ctx, s, shape, nil)
	if err != nil {
		return fmt.Errorf("examine the server: %w", err)
	}
	defer e.Close()
	record := cluster.Record{Profile: e.Profile(), Mismatches: []string{}}
	if r != nil {
		record.Mismatches = append(record.Mismatches, cluster.Mismatches(r, record.Profile)...)
	}
	if c.JSON {
		err = a.PrintJSON(record)
	} else {
		err = a.Table(func(w io.Writer) {
			for _, f := range record.Profile.Findings {
				cli.Row(w, f.Probe, f.What, f.Found)
			}
		})
	}
	if err == nil && len(record.Mismatches) > 0 {
		err = usererror.Errorf("the recipe asks for what the server does not have:\n  %s", strings.Join(record.Mismatches, "\n  "))
	}
	return err
}
