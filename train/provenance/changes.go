package provenance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/internal/usererror"
	"parley/model"
	"parley/recipe"
	"parley/runs"
	"parley/runs/verify"
	"parley/train/cluster"
)

// Changes lists what decides the numbers of a run and is another now than it was recorded. What was never recorded, by earlier releases,
// is trusted.
func Changes(ctx context.Context, was, now runs.Meta) (list []runs.Change, err error) {
	for i, b := range was.Bases {
		c := runs.Change{What: "model", Path: b.Name, Was: b.SHA256}
		if i < len(now.Bases) {
			c.Now = now.Bases[i].SHA256
		}
		list = append(list, c)
	}
	if was.Python == "" { // an earlier release, or a recipe without Python: what is imported was not recorded
		now.Files = slices.DeleteFunc(slices.Clone(now.Files), func(f runs.File) bool { return strings.HasSuffix(f.Key, alsoRead) })
	}
	files, err := filesNow(ctx, was.Files, now.Files)
	if err != nil {
		return nil, err
	}
	list = append(list, files...)
	list = append(list, runs.Change{What: "parley", Was: was.Parley, Now: now.Parley}, runs.Change{What: "kernels", Was: was.Kernels, Now: now.Kernels}, runs.Change{What: "python3", Was: was.Python, Now: now.Python},
		runs.Change{What: workerChange, Was: was.Worker, Now: now.Worker},
		runs.Change{What: clusterChange, Was: cluster.Words(was.Cluster), Now: cluster.Words(now.Cluster)})
	return slices.DeleteFunc(list, func(c runs.Change) bool { return c.Was == c.Now || isVersion(c) && (c.Was == "" || c.Now == "") }), nil
}

// isVersion says that a change is one of what computes, not of what is read.
func isVersion(c runs.Change) bool {
	return c.What == "parley" || c.What == "kernels" || c.What == "python3" || c.What == workerChange || c.What == clusterChange
}

// What computes, where it is not the embedded engine: a server in another way than it did, or other files of a worker.
const (
	clusterChange = "engine.tinker"
	workerChange  = "engine.torch"
)

// filesNow says what each file was and is. Runs that recorded no files are trusted.
func filesNow(ctx context.Context, was, now []runs.File) (list []runs.Change, err error) {
	if was == nil {
		return nil, nil
	}
	for _, f := range was {
		if unknown(f.Path) {
			continue
		}
		c := runs.Change{What: f.Key, Path: f.Path, Was: f.SHA256}
		if i := find(now, f); i >= 0 {
			c.Now, c.About = now[i].SHA256, now[i].About
		}
		if grows(f.Key) && c.Now != "" {
			if c.Now, err = hashFile(ctx, f.Path, f.Bytes); err != nil {
				return nil, fmt.Errorf("%s: hash %s: %w", f.Key, f.Path, err)
			}
		}
		list = append(list, c)
	}
	for _, f := range now {
		if !grows(f.Key) && find(was, f) < 0 { // a recording begins with the first answer
			list = append(list, runs.Change{What: f.Key, Path: f.Path, Now: f.SHA256})
		}
	}
	return list, nil
}

func find(list []runs.File, f runs.File) int {
	return slices.IndexFunc(list, func(other runs.File) bool { return other.Key == f.Key && other.Path == f.Path })
}

// Read are those of changes that are about what is read, not about what computes.
func Read(list []runs.Change) []runs.Change {
	return slices.DeleteFunc(slices.Clone(list), isVersion)
}

// Refuse is the error for changes that were not accepted.
func Refuse(dir string, list []runs.Change) error {
	lines := make([]string, len(list))
	for i, c := range list {
		lines[i] = "  " + c.String()
	}
	return usererror.Errorf("what decides the numbers of %s changed since it was recorded:\n%s\nput it back; or go on with --accept-changed: the report then says so, and what was measured before is measured again", dir, strings.Join(lines, "\n"))
}

// Since are the changes in the middle of a run of so many updates and those since, where it is measured; the latter are refused unless they are
// accepted. What computes may change: everything is measured by the same.
func Since(ctx context.Context, dir string, was, now runs.Meta, accepted bool, updates int, note func(string)) ([]runs.Change, error) {
	list, err := Changes(ctx, was, now)
	if err != nil {
		return nil, err
	}
	if read := Read(list); len(read) > 0 && !accepted {
		return nil, Refuse(dir, read)
	}
	for i, c := range list {
		list[i].Update = updates
		note(fmt.Sprintf("%s: what is there now is measured", c))
	}
	return slices.Concat(was.Changes, list), nil
}

// Unchanged says that what the run in dir read is still the same, without opening it: its recipe's files and its bases.
func Unchanged(ctx context.Context, dir string, r *recipe.Recipe) (bool, error) {
	was, err := runs.Read(dir)
	if err != nil {
		return false, err
	}
	recorded, err := r.Language().Parse(filepath.Join(dir, runs.MetaFile), []byte(was.Recipe), nil)
	if err != nil {
		return false, err
	}
	was = Recorded(was, recorded, r)
	now := runs.Meta{}
	if now.Files, err = Files(ctx, r); err != nil {
		return false, err
	}
	for _, b := range was.Bases {
		m, err := model.OpenIncomplete(b.Name)
		if err != nil {
			return false, fmt.Errorf("open model: %w", err)
		}
		hash, err := m.Hash()
		if err = errors.Join(err, m.Close()); err != nil {
			return false, fmt.Errorf("hash model %s: %w", b.Name, err)
		}
		now.Bases = append(now.Bases, runs.Base{Name: b.Name, SHA256: hash})
	}
	list, err := Changes(ctx, was, now)
	return len(list) == 0, err
}

// Accept records changes: the run goes on with what is there now, and forgets what it measured before.
func Accept(run *runs.Run, now runs.Meta, list []runs.Change) error {
	done, err := Done(run.Dir())
	if err != nil {
		return err
	}
	for i := range list {
		list[i].Update = done
	}
	if err := dropMeasurements(run.Dir()); err != nil {
		return err
	}
	return run.Amend(func(m *runs.Meta) {
		m.Bases, m.Files, m.Parley, m.Kernels, m.Python, m.Worker, m.Cluster = now.Bases, now.Files, now.Parley, now.Kernels, now.Python, now.Worker, now.Cluster
		m.Changes = append(slices.Clone(m.Changes), list...)
	})
}

// Compare adds to a verdict whether what decides the numbers of a run is still the same. Other versions of what computes are no problem as
// long as they compute the same.
func Compare(ctx context.Context, v *verify.Verdict, was, now runs.Meta) error {
	list, err := Changes(ctx, was, now)
	if err != nil {
		return err
	}
	for _, c := range list {
		if isVersion(c) {
			v.Right("%s", c)
		} else {
			v.Wrong("%s", c)
		}
	}
	if len(Read(list)) == 0 {
		v.Right("bases and files that decide the numbers: %d hashes", len(was.Bases)+len(was.Files))
	}
	for _, c := range was.Changes {
		v.Right("after update %d, accepted: %s", c.Update, c)
	}
	return nil
}

// isMeasurement matches the names that runs give to measurements.
var isMeasurement = regexp.MustCompile(`^.+-[0-9]{6,}\.(json|jsonl\.zst)$`)

// dropMeasurements removes what a run measured: the systems on held-out problems, and how often the untrained model solves problems.
func dropMeasurements(dir string) error {
	names := []string{"pass-rates.json", "pass-rates-held-out.json", "pass-rates.json.sha256", "pass-rates-held-out.json.sha256", "proposals.json", "proposals.json.sha256"}
	measured, err := os.ReadDir(filepath.Join(dir, "evaluation")) // not a pattern: the folder's name may have brackets
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("drop measurements: %w", err)
	}
	for _, e := range measured {
		if isMeasurement.MatchString(e.Name()) {
			names = append(names, filepath.Join("evaluation", e.Name()))
		}
	}
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("drop measurements: %w", err)
		}
	}
	return nil
}
