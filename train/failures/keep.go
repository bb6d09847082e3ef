package failures

import (
	"encoding/json"
	"errors"
	"fmt"

	"parley/rl/rollout"
	"parley/runs"
)

// Keep writes the episodes of an update that could not be learned from beside the run's own, and says where they are.
func Keep(run *runs.Run, update int, episodes []*rollout.Episode, cause error) error {
	file := fmt.Sprintf("failed/%06d.json", update)
	data, err := json.Marshal(map[string]any{"error": cause.Error(), "episodes": episodes})
	if err == nil {
		err = run.WriteFile(file, data)
	}
	if err != nil {
		return errors.Join(cause, err)
	}
	return fmt.Errorf("update %d: %w; the step was not taken, and its samples are in %s of the run: start again with a lower optimizer.lr or with optimizer.clip_norm 1",
		update, cause, file)
}
