package runs

import (
	"slices"
	"strconv"

	"parley/internal/usererror"
)

// Again is the command that goes on with the run in dir, with the bound on updates that it was last started with, if run.json can be read.
func Again(dir string) string {
	meta, err := Read(dir)
	if err != nil {
		meta = Meta{}
	}
	return meta.again(dir)
}

// Inside makes a run one that goes on with another, in whose folder it is.
func (r *Run) Inside(outer *Run) { r.outer = outer }

// again is the command that goes on with the run.
func (r *Run) again() string {
	if r.outer != nil {
		return r.outer.again()
	}
	return r.meta.again(r.dir)
}

// shell is the same for a shell, with further flags.
func (r *Run) shell(more ...string) string {
	for r.outer != nil {
		r = r.outer
	}
	return usererror.Quote(slices.Concat([]string{"parley", "train"}, r.meta.flags(r.dir), more)...)
}

func (m Meta) again(dir string) string { return usererror.GoOn(m.Recipe, m.flags(dir)...) }

// flags are those of the command.
func (m Meta) flags(dir string) []string {
	words := []string{"--resume", dir}
	if m.MaxUpdates != nil {
		words = append(words, "--max-updates", strconv.Itoa(*m.MaxUpdates))
	}
	return words
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
	return r.setMeta(meta)
}
