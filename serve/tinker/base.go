package tinker

import (
	"strings"

	"parley/engine"
	"parley/model"
	"parley/model/config"
	"parley/serve/tinker/losses"
)

// BaseOf is a model as clients see it.
func BaseOf(m *model.Model, c config.Config) Base {
	b := Base{Name: m.Name, Tokenizer: m.Path, Arch: c.ModelType, Base: losses.Base{Vocab: c.Vocab, Ends: m.Stop(), Watch: func(texts []string) (func() engine.Watcher, error) {
		stops, err := m.Stops(texts)
		if err != nil {
			return nil, err
		}
		return func() engine.Watcher { return stops.Watch(0) }, nil
	}}}
	if b.Tokenizer == "" {
		b.Tokenizer = m.Name
	}
	b.Attn, b.MLP = projections(c.Family())
	return b
}

// projections are those of attention and those of the gated block.
func projections(f *config.Family) (attention, gated []string) {
	for _, p := range f.Projections() {
		if strings.HasPrefix(p.Module(), "self_attn.") {
			attention = append(attention, p.Target())
		} else {
			gated = append(gated, p.Target())
		}
	}
	return attention, gated
}
