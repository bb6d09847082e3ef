package model

import "parley/model/weights"

// Notes returns what users should know of the model's files: where they disagree, and which of them counts.
func (m *Model) Notes() []string { return weights.Notes(m.Source) }
