package lineup

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley/engine"
	"parley/engine/openai"
	"parley/internal/folder"
)

// spentFile says what servers have cost, in the folder of a checkpoint.
const spentFile = "servers.json"

// Spending is what the servers of a run have cost so far.
type Spending struct {
	Requests int     `json:"requests"`
	Prompt   int     `json:"prompt_tokens"`
	Drawn    int     `json:"drawn_tokens"`
	Cost     float64 `json:"cost,omitempty"` // in the currency of the recipe's prices
}

// Spending is nil where no server was asked.
func (l Lineup) Spending() *Spending {
	if l.Servers == nil {
		return nil
	}
	all := l.Servers.Spent()
	if len(all) == 0 {
		return nil
	}
	sum := &Spending{Cost: l.Servers.Cost(all)}
	for _, s := range all {
		sum.Requests, sum.Prompt, sum.Drawn = sum.Requests+s.Requests, sum.Prompt+s.Prompt, sum.Drawn+s.Drawn
	}
	return sum
}

// Gap is how far apart sampler and trainer have been since it was asked last; nil: they are one, or nothing could be compared.
func (l Lineup) Gap() *engine.Gap {
	for _, b := range l.Bases {
		if g, can := engine.As[engine.Gapped](b.Engine); can {
			if gap, ok := g.Gap(); ok {
				return &gap
			}
		}
	}
	return nil
}

// SaveSpent writes what servers have cost into the folder of a checkpoint, if any was asked.
func (l Lineup) SaveSpent(dir string) error {
	if l.Spending() == nil {
		return nil
	}
	data, err := json.Marshal(l.Servers.Spent())
	if err == nil {
		err = folder.WriteFile(filepath.Join(dir, spentFile), data)
	}
	if err != nil {
		return fmt.Errorf("save what servers have cost: %w", err)
	}
	return nil
}

// LoadSpent goes on counting from what SaveSpent wrote.
func (l Lineup) LoadSpent(dir string) error {
	if l.Servers == nil {
		return nil
	}
	var spent map[string]openai.Spent
	data, err := os.ReadFile(filepath.Join(dir, spentFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l.Servers.Restore(nil)
	case err == nil:
		err = json.Unmarshal(data, &spent)
	}
	if err == nil {
		err = l.Servers.Restore(spent)
	}
	if err != nil {
		return fmt.Errorf("load what servers have cost: %w", err)
	}
	return nil
}
