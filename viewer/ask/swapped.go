package ask

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"parley/internal/folder"
	"parley/viewer/episodes"
)

// SwapFile is where results are kept in a run.
const SwapFile = "swaps.jsonl"

// A Swapped is a problem as the team works on it, and as it does with the change.
type Swapped struct {
	ID            int             `json:"id,omitzero"` // its place among the results of the run, from 1; the file does not say it
	Created       string          `json:"created"`
	Update        int             `json:"update"`
	Index         int             `json:"index"`
	Problem       string          `json:"problem"`
	Title         string          `json:"title"`
	Lines         []episodes.Line `json:"lines"`
	Swapped       []episodes.Line `json:"swapped"`
	Reward        *float64        `json:"reward"`
	SwappedReward *float64        `json:"swapped_reward"`
}

// ReadSwaps returns the results of a run, oldest first, and how many lines are damaged or lack a dialogue. A last line without an end is being written.
func ReadSwaps(dir string) (list []Swapped, damaged int, err error) {
	data, err := readSwaps(dir)
	list, damaged = swapResults(data)
	return list, damaged, err
}

func readSwaps(dir string) ([]byte, error) {
	data, err := folder.ReadFile(dir, SwapFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read results of swaps: %w", err)
	}
	return data, nil
}

func swapResults(data []byte) (out []Swapped, damaged int) {
	out = []Swapped{}
	damaged = folder.Lines(data, func(line []byte) bool {
		var r Swapped
		if json.Unmarshal(line, &r) != nil || r.Lines == nil || r.Swapped == nil {
			return false
		}
		r.ID = len(out) + 1
		out = append(out, r)
		return true
	})
	return out, damaged
}

// keepSwaps adds a result to those of the run, and says which it is. The trainer does not know the file. One that cannot be kept is returned beside a
// [folder.KeepError].
func keepSwaps(dir string, r Swapped) (Swapped, error) {
	line, err := json.Marshal(r)
	if err == nil {
		err = folder.AppendLine(dir, SwapFile, line)
	}
	if err != nil {
		return r, &folder.KeepError{Err: err}
	}
	after, err := readSwaps(dir)
	if err != nil {
		return r, err
	}
	if at := bytes.LastIndex(after, line); at >= 0 {
		list, _ := swapResults(after[:at+len(line)])
		r.ID = len(list)
	}
	return r, nil
}
