package runs

import (
	"strconv"

	"parley/internal/shell"
)

// Again is the command that goes on with the run in dir, with the bound on updates that the run was last started with. Where run.json
// cannot be read it has none.
func Again(dir string) string {
	meta, err := Read(dir)
	if err != nil {
		meta = Meta{}
	}
	return meta.again(dir)
}

func (m Meta) again(dir string) string {
	words := []string{"parley", "train", "--resume", dir}
	if m.MaxUpdates != nil {
		words = append(words, "--max-updates", strconv.Itoa(*m.MaxUpdates))
	}
	return shell.Quote(words...)
}

// Bound records after how many updates training is to stop, as the run is started or goes on; negative: where its recipe says.
func (r *Run) Bound(updates int) error {
	meta := r.meta
	if meta.MaxUpdates = nil; updates >= 0 {
		meta.MaxUpdates = &updates
	}
	if meta.again(r.dir) == r.meta.again(r.dir) {
		return nil
	}
	if err := r.WriteJSON("run.json", meta); err != nil {
		return err
	}
	r.meta = meta
	return nil
}
