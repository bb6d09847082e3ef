package cluster

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/engine"
	"parley/engine/tinker/probe"
	"parley/recipe"
)

// A Record is what was measured of a server, and what a recipe asks of it in vain. A run keeps it.
type Record struct {
	Profile    probe.Profile `json:"profile"`
	Mismatches []string      `json:"mismatches"`
}

// Mismatches lists everything that a recipe asks of a server with such a profile in vain.
func Mismatches(r *recipe.Recipe, p probe.Profile) []string {
	return append(unspoken(r), unfit(r, p)...)
}

// RecordOf is the record of an engine on a server, as a run keeps it; nil: the engine is here.
func RecordOf(engines ...engine.Engine) (json.RawMessage, error) {
	for _, e := range engines {
		if measured, ok := e.(interface{ Profile() probe.Profile }); ok {
			data, err := json.Marshal(Record{Profile: measured.Profile(), Mismatches: []string{}})
			if err != nil {
				return nil, fmt.Errorf("keep the profile of the server: %w", err)
			}
			return data, nil
		}
	}
	return nil, nil
}

// known opens engines on a server that was measured: what is in memory of an earlier opening, or on record of a run.
type known struct {
	Backend
	profile *probe.Profile // nil: nothing is known yet
}

// Remember lets engines of a server be measured whole once, and what matters most whenever one is opened again. record is that of a run; nil:
// there is none. Engines on this machine are as they were.
func Remember(r *recipe.Recipe, here Backend, record json.RawMessage) Backend {
	if r.Engine.Tinker.URL == "" {
		return here
	}
	k := &known{Backend: here}
	var was Record
	if json.Unmarshal(record, &was) == nil && len(was.Profile.Findings) > 0 {
		k.profile = &was.Profile
	}
	return k
}

// Words are what of a record changes what a run computes: equal words, equal steps. Empty: there is no record.
func Words(record json.RawMessage) string {
	var r Record
	if len(record) == 0 || json.Unmarshal(record, &r) != nil {
		return ""
	}
	p := r.Profile
	p.Findings = nil
	text, _ := json.Marshal(p) // numbers and flags alone
	return strings.NewReplacer(`"`, "", "{", "", "}", "", ",", ", ", ":", " ", `,findings null`, "", "findings null", "").Replace(string(text))
}
