package runs

import (
	"cmp"
	"regexp"
)

// Words is the version of what the words of recorded recipes mean. Since 1 the match normalised of task data tells 1/2 from 12; what it was
// before is called squad.
const Words = 1

var oldMatch = regexp.MustCompile(`(?m)^(  match: )normalised$`)

// inWordsOfToday gives a recipe that was recorded before the words of today, so that it means what it meant.
func (m *Meta) inWordsOfToday() {
	if m.Words >= Words {
		return
	}
	if now := oldMatch.ReplaceAllString(m.Recipe, "${1}squad"); now != m.Recipe {
		m.recorded, m.Recipe = m.Recipe, now
	}
	m.Words = Words
}

// Recorded is the text of the recipe as run.json has it.
func (m Meta) Recorded() string { return cmp.Or(m.recorded, m.Recipe) }

// onDisk is what run.json says: a recipe that has not changed since it was read stays in its words, for which the run is marked.
func (m Meta) onDisk() Meta {
	was := Meta{Recipe: m.recorded}
	if was.inWordsOfToday(); m.recorded != "" && was.Recipe == m.Recipe {
		m.Recipe, m.Words = m.recorded, 0
	}
	return m
}
