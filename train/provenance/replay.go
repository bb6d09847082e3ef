package provenance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"parley/rl/learn"
	"parley/runs"
	"parley/runs/verify"
	"parley/train/lineup"
	"parley/train/plan"
	"parley/train/record"
)

// Replayable is the update that [Replay] takes by default: the last one that has a checkpoint before it, or the first one, before which
// nothing was learned. Zero: none can be replayed any more.
func Replayable(dir string) (int, error) {
	done, err := Done(dir)
	if err != nil {
		return 0, err
	}
	saved, err := runs.Checkpoints(dir)
	if err != nil {
		return 0, err
	}
	for _, n := range saved { // newest first
		if n < done {
			return n + 1, nil
		}
	}
	return min(done, 1), nil
}

// Replay learns an update of the run in dir again, from the checkpoint before it and the episodes that are stored, and compares what comes
// out with what the run recorded: the learner's numbers in metrics.jsonl, and the policies in the checkpoint after it, if there is one.
// The team is that of the run, freshly opened.
func Replay(ctx context.Context, v *verify.Verdict, team lineup.Lineup, dir string, update int) error {
	if a := team.Recipe.AlgorithmType(); a.Alone() {
		v.Right("update %d, not learned again: algorithm %s plays by itself, and its episodes are not kept", update, a.Name)
		return nil
	}
	recorded, err := statsOf(dir, update)
	if err != nil {
		return err
	}
	stats, err := relearn(ctx, team, dir, update)
	if errors.Is(err, fs.ErrNotExist) {
		v.Wrong("update %d cannot be learned again: %v", update, err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("learn update %d again: %w", update, err)
	}
	differ, err := differences(recorded, stats)
	if err != nil {
		return err
	}
	for _, d := range differ {
		v.Wrong("update %d, learned again from its episodes: %s", update, d)
	}
	if len(differ) == 0 {
		v.Right("update %d, learned again from its episodes: the same numbers", update)
	}
	return comparePolicies(ctx, v, team, dir, update)
}

// statsOf are the learner's numbers in the line of an update.
func statsOf(dir string, update int) (stats learn.Stats, err error) {
	found := false
	err = runs.ReadLines(dir, "metrics.jsonl", func(line []byte) error {
		var head struct {
			Update int `json:"update"`
		}
		if err := json.Unmarshal(line, &head); err != nil || head.Update != update {
			return err
		}
		found = true
		var m record.Metrics // whose fields may go by the names of agents
		err := json.Unmarshal(line, &m)
		stats = m.Stats
		return err
	})
	if err == nil && !found {
		err = fmt.Errorf("metrics.jsonl has no update %d", update)
	}
	return stats, err
}

// relearn brings the team to where it was before an update, and lets it learn from the update's episodes.
func relearn(ctx context.Context, team lineup.Lineup, dir string, update int) (stats learn.Stats, err error) {
	r, err := Begin(ctx, team, dir, update)
	if err != nil {
		return stats, err
	}
	err = r.Learn(ctx, nil)
	return r.Stats, err
}

// differences lists the fields in which numbers of a learner differ from those that were recorded.
func differences(recorded, replayed learn.Stats) (list []string, err error) {
	was, err := fields(recorded)
	if err != nil {
		return nil, err
	}
	is, err := fields(replayed)
	if err != nil {
		return nil, err
	}
	names := maps.Clone(was)
	maps.Copy(names, is)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !bytes.Equal(was[name], is[name]) {
			list = append(list, fmt.Sprintf("%s is %s, recorded is %s", name, orNothing(is[name]), orNothing(was[name])))
		}
	}
	return list, nil
}

func fields(s learn.Stats) (out map[string]json.RawMessage, err error) {
	data, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	return out, err
}

func orNothing(value []byte) string {
	if value == nil {
		return "nothing"
	}
	return string(value)
}

// comparePolicies saves what was learned and compares it with the checkpoint after the update, byte for byte.
func comparePolicies(ctx context.Context, v *verify.Verdict, team lineup.Lineup, dir string, update int) error {
	saved := runs.CheckpointDir(dir, update)
	if _, err := os.Stat(saved); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	again, err := os.MkdirTemp("", "parley-replay-")
	if err != nil {
		return fmt.Errorf("learn update %d again: %w", update, err)
	}
	defer os.RemoveAll(again)
	if err := team.Save(ctx, again, learned(team)); err != nil {
		return err
	}
	differ := 0
	err = filepath.WalkDir(again, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		inside, err := filepath.Rel(again, path)
		if err != nil {
			return err
		}
		same, err := equalFiles(path, filepath.Join(saved, inside))
		if err == nil && !same {
			differ++
			v.Wrong("update %d, learned again from its episodes: %s is another than in the checkpoint", update, filepath.ToSlash(inside))
		}
		return err
	})
	if err == nil && differ == 0 {
		v.Right("update %d, learned again from its episodes: the same policies as in its checkpoint, byte for byte", update)
	}
	return err
}

// learned are the policies that learners train. A reward model learns before an iteration, from episodes that are not stored.
func learned(team lineup.Lineup) []plan.Policy {
	return slices.DeleteFunc(team.Policies(), func(p plan.Policy) bool { return p.Name == plan.RewardPolicy })
}

// equalFiles says whether two files have the same bytes. A second one that is not there is another.
func equalFiles(a, b string) (bool, error) {
	first, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	second, err := os.ReadFile(b)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return bytes.Equal(first, second), err
}
