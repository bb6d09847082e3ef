// Package verify looks for damage in run folders, and collects what is found in a [Verdict]. It knows what package runs writes; whether a run
// still gives its numbers is for package provenance to say, which adds to the verdict.
package verify

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"parley/runs"
)

// A Verdict is what was looked at in a run, and what is wrong with it.
type Verdict struct {
	OK       bool     `json:"ok"`
	Checked  []string `json:"checked"`
	Problems []string `json:"problems"`
}

// Right adds something that was looked at and is as it should be.
func (v *Verdict) Right(format string, args ...any) {
	v.Checked = append(v.Checked, fmt.Sprintf(format, args...))
}

// Wrong adds a problem.
func (v *Verdict) Wrong(format string, args ...any) {
	v.OK, v.Problems = false, append(v.Problems, fmt.Sprintf(format, args...))
}

// Run looks for damage in the files of the run in dir: the updates in metrics.jsonl are consecutive, and all checksums are right. It
// changes nothing and needs no lock.
func Run(dir string) *Verdict {
	v := &Verdict{OK: true, Checked: []string{}, Problems: []string{}}
	_, err := runs.Read(dir)
	if err != nil {
		v.Wrong("%v", err)
		return v
	}
	x := &verification{dir: dir, Verdict: v}
	x.metrics()
	x.checksums()
	x.episodes()
	x.checkpoints()
	x.results()
	return v
}

// A verification is the work of [Run].
type verification struct {
	*Verdict
	dir   string
	lines [][]byte          // of metrics.jsonl, with their line breaks; line i is that of update i+1
	sums  []runs.UpdateSums // as far as they are those of these lines
}

// read returns a file of the run; nil: it is not there, or cannot be read, which is then said.
func (x *verification) read(name string) []byte {
	data, err := os.ReadFile(filepath.Join(x.dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.Wrong("%s: %v", name, err)
	}
	return data
}

// metrics checks that updates are consecutive from the first.
func (x *verification) metrics() {
	for l := range bytes.Lines(x.read("metrics.jsonl")) {
		n := len(x.lines) + 1
		update, ok := runs.UpdateOf(l)
		switch {
		case !bytes.HasSuffix(l, []byte("\n")):
			x.Right("metrics.jsonl: what stands behind line %d is the beginning of one, which an end of the process left; it will be written again", n-1)
			return
		case !ok:
			x.Wrong("metrics.jsonl, line %d: it is damaged; expected the line of update %d", n, n)
			return
		case update != n:
			x.Wrong("metrics.jsonl, line %d: it is that of update %d; expected that of update %d", n, update, n)
			return
		}
		x.lines = append(x.lines, bytes.Clone(l))
	}
	x.Right("metrics.jsonl: %d updates, consecutive", len(x.lines))
}

// checksums compares the lines of metrics.jsonl with their checksums, and the checksums with their chain.
func (x *verification) checksums() {
	sums := runs.ReadSums(x.read(runs.ChecksumsFile))
	if len(sums) == 0 {
		if len(x.lines) > 0 {
			x.Right("metrics.jsonl has no checksums: an earlier release wrote it")
		}
		return
	}
	before := ""
	for i, s := range sums {
		n := s.Update
		switch {
		case n < 1 || s.Chain != s.Link(before) || i > 0 && n != sums[i-1].Update+1:
			x.Wrong("%s, line %d: it does not follow from the line before", runs.ChecksumsFile, i+1)
			return
		case n > len(x.lines):
			x.Wrong("metrics.jsonl: the line of update %d is missing or not whole", n)
			return
		case sumOf(x.lines[n-1]) != s.Metrics:
			x.Wrong("metrics.jsonl, line %d: its checksum is wrong", n)
		}
		before = s.Chain
	}
	x.sums = sums
	if last := sums[len(sums)-1].Update; last < len(x.lines)-1 || last < len(x.lines) && x.saved(len(x.lines)) {
		x.Wrong("%s ends with update %d, metrics.jsonl with update %d", runs.ChecksumsFile, last, len(x.lines))
	}
	x.Right("metrics.jsonl: checksums of updates %d to %d", sums[0].Update, sums[len(sums)-1].Update)
}

// sumOf is the SHA-256 of data.
func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// saved says whether update has a checkpoint: before one, a process that ends may leave metrics without checksums.
func (x *verification) saved(update int) bool {
	_, err := os.Stat(runs.CheckpointDir(x.dir, update))
	return err == nil
}

// episodes reads the episodes of every update, and compares their checksums.
func (x *verification) episodes() {
	wanted := map[int]string{}
	for _, s := range x.sums {
		wanted[s.Update] = s.Episodes
	}
	right := 0
	for n := 1; n <= len(x.lines); n++ {
		name := runs.EpisodeFile(n)
		if want, known := wanted[n]; known && want == "" {
			continue // nothing was written
		} else if sum, err := runs.Checksum(filepath.Join(x.dir, filepath.FromSlash(name))); err != nil {
			x.Wrong("%s: %v", name, unwrapPath(err))
		} else if known && sum != want {
			x.Wrong("%s: its checksum is wrong", name)
		} else if err := runs.ReadEpisodes(x.dir, n, func([]byte) error { return nil }); err != nil {
			x.Wrong("%v", err)
		} else {
			right++
		}
	}
	if right > 0 {
		x.Right("episodes of %d updates", right)
	}
}

// unwrapPath is an error about a file without its path, which stands before it.
func unwrapPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// checkpoints compares every checkpoint with its manifest, and that with the chain of checksums.
func (x *verification) checkpoints() {
	list, err := runs.Checkpoints(x.dir)
	if err != nil {
		x.Wrong("%v", err)
	}
	for _, n := range list {
		m, err := runs.ReadManifest(runs.CheckpointDir(x.dir, n))
		i := slices.IndexFunc(x.sums, func(s runs.UpdateSums) bool { return s.Update == n })
		switch {
		case err != nil:
			x.Wrong("checkpoint of update %d: %v", n, err)
		case n > len(x.lines):
			x.Wrong("checkpoint of update %d: metrics.jsonl ends with update %d", n, len(x.lines))
		case m.Chain != "" && (i < 0 || x.sums[i].Chain != m.Chain):
			x.Wrong("checkpoint of update %d: the checksums of the updates before are others than when it was saved", n)
		default:
			x.Right("checkpoint of update %d: %d files", n, len(m.Files))
		}
	}
}

// results checks that the report can be read, and that the exported adapters are those of the checkpoint that it is about.
func (x *verification) results() {
	report, err := runs.ReadReport(x.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		x.Wrong("%v", err)
		return
	}
	if report.Updates > len(x.lines) && len(report.Runs) == 0 {
		x.Wrong("report.json: it is about %d updates, metrics.jsonl has %d", report.Updates, len(x.lines))
		return
	}
	x.Right("report.json: after %d updates", report.Updates)
	m, err := runs.ReadManifest(runs.CheckpointDir(x.dir, report.Updates))
	if err != nil {
		return // it was removed since, or was said to be damaged
	}
	exported, err := runs.Checksums(filepath.Join(x.dir, "adapters"))
	if err != nil {
		x.Wrong("adapters: %v", unwrapPath(err))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(exported)) {
		if want, saved := m.Files[name]; saved && want != exported[name] {
			x.Wrong("adapters/%s: it is not that of the checkpoint of update %d", name, report.Updates)
		}
	}
	x.Right("adapters: %d files, those of the checkpoint of update %d", len(exported), report.Updates)
}
