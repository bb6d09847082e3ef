package failures

import (
	"encoding/json"
	"fmt"

	"parley/runs"
)

// A Sum is what failed in some updates.
type Sum struct {
	Problems int            `json:"failed"`          // all of whose episodes failed
	Episodes int            `json:"failed_episodes"` // theirs and others
	Reasons  map[string]int `json:"failed_reasons"`  // of the episodes
}

// Total adds up the failures of all updates of the run in dir.
func Total(dir string) (sum Sum, err error) {
	err = runs.ReadLines(dir, "metrics.jsonl", func(data []byte) error {
		var m Sum
		if err := json.Unmarshal(data, &m); err != nil {
			return err
		}
		sum.Add(m)
		return nil
	})
	if err != nil {
		return Sum{}, fmt.Errorf("add up the problems that failed: %w", err)
	}
	return sum, nil
}

// Add adds what failed in further updates.
func (s *Sum) Add(more Sum) {
	s.Problems, s.Episodes = s.Problems+more.Problems, s.Episodes+more.Episodes
	for reason, n := range more.Reasons {
		if s.Reasons == nil {
			s.Reasons = map[string]int{}
		}
		s.Reasons[reason] += n
	}
}
