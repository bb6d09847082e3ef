package model

import (
	"slices"

	"parley/model/weights"
)

// Notes returns what users should know of the model's files: where they disagree and which of them counts, and what the chat template
// closes answers with where that is no token.
func (m *Model) Notes() []string { return slices.Concat(weights.Notes(m.Source), m.notes) }
