package failures

import (
	"encoding/json"
	"fmt"

	"parley/runs"
)

// Total adds up the failures of all updates of the run in dir.
func Total(dir string) (failed int, reasons map[string]int, err error) {
	err = runs.ReadLines(dir, "metrics.jsonl", func(data []byte) error {
		var m struct {
			Failed  int            `json:"failed"`
			Reasons map[string]int `json:"failed_reasons"`
		}
		if err := json.Unmarshal(data, &m); err != nil {
			return err
		}
		failed += m.Failed
		reasons = Add(reasons, m.Reasons)
		return nil
	})
	if err != nil {
		return 0, nil, fmt.Errorf("add up the problems that failed: %w", err)
	}
	return failed, reasons, nil
}

// Add adds counts of reasons to a sum, which may be nil, and returns it.
func Add(sum, more map[string]int) map[string]int {
	for reason, n := range more {
		if sum == nil {
			sum = map[string]int{}
		}
		sum[reason] += n
	}
	return sum
}
