// Package verify looks for damage in run folders, and collects what is found in a [Verdict]. It knows what package runs writes; whether a run
// still gives its numbers is for package provenance to say, which adds to the verdict. It also finds the
// trained policies that a run has saved, those of its newest checkpoint or of one that is asked for (policies.go), and their held-out answers (heldout.go).
package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/folder"
	"parley/runs"
	"parley/runs/store"
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
	meta, err := runs.Read(dir)
	if err != nil {
		v.Wrong("%v", err)
		return v
	}
	x := &verification{dir: dir, meta: meta, Verdict: v, lines: map[int][]byte{}}
	x.sums = store.ReadSums(x.read(store.SumsFile))
	x.metrics()
	x.checksums()
	x.episodes()
	x.checkpoints()
	x.costs()
	x.sealed()
	x.answers()
	x.results()
	return v
}

// A verification is the work of [Run].
type verification struct {
	*Verdict
	dir   string
	meta  runs.Meta
	lines map[int][]byte // of metrics.jsonl by update, with their line breaks
	last  int            // update of the last of them
	sums  []store.Sums
}

// read returns a file of the run; nil: it is not there, or cannot be read, which is then said.
func (x *verification) read(name string) []byte {
	data, err := folder.ReadFile(x.dir, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.Wrong("%s: %v", name, err)
	}
	return data
}

// metrics checks that updates are consecutive from the first, but for those that were given up.
func (x *verification) metrics() {
	given := map[int]bool{}
	for _, s := range x.sums {
		given[s.Update] = s.Metrics == ""
	}
	n := 0
	for l := range bytes.Lines(x.read(store.MetricsFile)) {
		n++
		for x.last++; given[x.last]; x.last++ {
		}
		update, ok := runs.UpdateOf(l)
		switch {
		case !bytes.HasSuffix(l, []byte("\n")):
			x.Right("metrics.jsonl: what stands behind line %d is the beginning of one, which an end of the process left; it will be written again", n-1)
			x.last--
			return
		case !ok:
			x.Wrong("metrics.jsonl, line %d: it is damaged; expected the line of update %d", n, x.last)
			x.last--
			return
		case update != x.last:
			x.Wrong("metrics.jsonl, line %d: it is that of update %d; expected that of update %d", n, update, x.last)
			x.last--
			return
		}
		x.lines[update] = bytes.Clone(l)
	}
	for given[x.last+1] {
		x.last++
	}
	x.Right("metrics.jsonl: %d updates, consecutive", x.last)
}

// checksums compares the lines of metrics.jsonl with their checksums, and the checksums with their chain.
func (x *verification) checksums() {
	if len(x.sums) == 0 {
		if len(x.lines) > 0 {
			x.Right("metrics.jsonl has no checksums: an earlier release wrote it")
		}
		return
	}
	linked := store.Linked(x.sums)
	if len(linked) < len(x.sums) {
		x.Wrong("%s, line %d: it does not follow from the line before", store.SumsFile, len(linked)+1)
	}
	if x.sums = linked; len(linked) == 0 {
		return
	}
	for _, s := range linked {
		l := x.lines[s.Update]
		switch {
		case s.Metrics == "":
			x.Right("metrics.jsonl: the line of update %d was given up", s.Update)
		case l == nil:
			x.Wrong("metrics.jsonl: the line of update %d is missing or not whole", s.Update)
			return
		case store.SumOf(l) != s.Metrics:
			x.Wrong("metrics.jsonl, update %d: the checksum of its line is wrong", s.Update)
		}
	}
	if last := linked[len(linked)-1].Update; last < x.last-1 || last < x.last && x.saved(x.last) {
		x.Wrong("%s ends with update %d, metrics.jsonl with update %d", store.SumsFile, last, x.last)
	}
	x.Right("metrics.jsonl: checksums of updates %d to %d", linked[0].Update, linked[len(linked)-1].Update)
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
	for n := 1; n <= x.last; n++ {
		name := runs.EpisodeFile(n)
		if want, known := wanted[n]; known && want == "" {
			continue // nothing was written
		} else if sum, err := store.Sum(x.dir, name); err != nil {
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
	if p, ok := errors.AsType[*fs.PathError](err); ok {
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
		m, err := store.ReadManifest(runs.CheckpointDir(x.dir, n))
		claim := x.meta.Claim(m)
		i := slices.IndexFunc(x.sums, func(s store.Sums) bool { return s.Update == claim.Update })
		switch {
		case err != nil:
			x.Wrong("checkpoint of update %d: %v", n, err)
		case m.Update != n:
			x.Wrong("checkpoint of update %d: it is that of update %d", n, m.Update)
		case n > x.last:
			x.Wrong("checkpoint of update %d: metrics.jsonl ends with update %d", n, x.last)
		case claim.Chain != "" && (i < 0 || x.sums[i].Chain != claim.Chain):
			x.Wrong("checkpoint of update %d: the checksums of the updates before are others than when it was saved", n)
		default:
			x.Right("checkpoint of update %d: %d files", n, len(m.Files))
		}
	}
}

// costs checks that the lines of timing.jsonl are whole, and that trace.json is JSON. They decide nothing, and have no checksums.
func (x *verification) costs() {
	data := x.read("timing.jsonl")
	if _, size := store.Whole(data, math.MaxInt); bytes.IndexByte(data[size:], '\n') >= 0 {
		x.Wrong("timing.jsonl: a line is damaged")
	}
	if trace := x.read("trace.json"); trace != nil && !json.Valid(trace) && bytes.HasSuffix(trace, []byte("\n]\n")) {
		x.Wrong("trace.json: it is damaged")
	}
}

// sealed checks the files that have their own checksum.
func (x *verification) sealed() {
	names := []string{store.DiagnosisFile, "pass-rates.json", "pass-rates-held-out.json", "checkpoints/" + runs.MetaFile}
	measured, err := folder.List(x.dir, "evaluation")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.Wrong("evaluation: %v", err)
	}
	for _, e := range measured {
		if filepath.Ext(e.Name()) == ".json" {
			names = append(names, "evaluation/"+e.Name())
		}
	}
	right := 0
	for _, name := range names {
		var v any = new(map[string]any)
		if strings.HasPrefix(name, "pass-rates") {
			v = new([]any)
		}
		err := runs.ReadSealed(x.dir, name, v)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			x.Wrong("%v", err)
		} else {
			right++
		}
	}
	x.Right("measurements and other files with a checksum of their own: %d", right)
}

// answers checks that the answers to held-out problems can be read to their end, and that those of panels have the scores that metrics.jsonl says.
func (x *verification) answers() {
	list, err := store.Answers(x.dir)
	if err != nil {
		x.Wrong("evaluation: %v", err)
	}
	panels, right := x.panels(), 0
	for _, a := range list {
		name, mean := store.AnswersFile(a.System, a.Update), 0.0
		scores, err := x.scores(name)
		for _, score := range scores {
			mean += score / float64(len(scores))
		}
		want, told := panels[a.Update]
		switch told = told && a.System == store.PanelSystem; {
		case err != nil:
			x.Wrong("%s: %v", name, unwrapPath(err))
		case told && math.Abs(mean-want) > 1e-9:
			x.Wrong("%s: the mean of its scores is %v, metrics.jsonl says %v", name, mean, want)
		default:
			right++
		}
		if told {
			delete(panels, a.Update)
		}
	}
	for _, update := range slices.Sorted(maps.Keys(panels)) {
		x.Wrong("%s: it is missing", store.AnswersFile(store.PanelSystem, update))
	}
	if len(list) > 0 {
		x.Right("answers to held-out problems: %d files", right)
	}
}

// panels are the scores of panels by their updates.
func (x *verification) panels() map[int]float64 {
	out := map[int]float64{}
	for update, line := range x.lines {
		var m struct{ Panel *struct{ Score float64 } }
		if json.Unmarshal(line, &m) == nil && m.Panel != nil {
			out[update] = m.Panel.Score
		}
	}
	return out
}

// scores are those in a file of answers.
func (x *verification) scores(name string) (list []float64, err error) {
	err = runs.PackedLines(x.dir, name, func(line []byte) error {
		var one struct{ Score *float64 }
		err := json.Unmarshal(line, &one)
		if err == nil && one.Score != nil {
			list = append(list, *one.Score)
		}
		return err
	})
	return list, err
}

// results checks that the report can be read, and that the files that belong to it, and the exported adapters, are those of it.
func (x *verification) results() {
	report, err := runs.ReadReport(x.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		x.Wrong("%v", err)
		return
	}
	if report.Updates > x.last && len(report.Runs) == 0 {
		x.Wrong("report.json: it is about %d updates, metrics.jsonl has %d", report.Updates, x.last)
		return
	}
	x.Right("report.json: after %d updates", report.Updates)
	x.belonging(report)
	x.exported(report)
}

// belonging checks the files that belong to a report, unless the run goes on beyond it and has begun to write new ones.
func (x *verification) belonging(report runs.Report) {
	if report.Updates < x.last {
		return
	}
	right := 0
	for _, name := range slices.Sorted(maps.Keys(report.Files)) {
		if sum, err := store.Sum(x.dir, name); err != nil {
			x.Wrong("%s: %v", name, unwrapPath(err))
		} else if sum != report.Files[name] {
			x.Wrong("%s: it is not the one that belongs to report.json", name)
		} else {
			right++
		}
	}
	x.Right("report.json: %d files that belong to it", right)
}

// exported compares the exported adapters with the checkpoint that the report is about.
func (x *verification) exported(report runs.Report) {
	m, err := store.ReadManifest(runs.CheckpointDir(x.dir, report.Updates))
	if err != nil {
		return // it was removed since, or was said to be damaged
	}
	exported, err := store.SumsOf(filepath.Join(x.dir, "adapters"))
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
