package runcmd

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/cmd/parley/internal/live"
	"parley/internal/table"
	"parley/runs"
	"parley/runs/store"
	"parley/train"
)

// why answers "why is my reward flat?" for a run.
func why(a *cli.App, dir string, asJSON bool) error {
	d, err := store.ReadDiagnosis(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return cli.Usagef("%s has no %s: training writes it, from the first checkpoint on", dir, store.DiagnosisFile)
	}
	if err != nil {
		return err
	}
	if asJSON {
		return a.PrintJSON(d)
	}
	metrics, err := readMetrics(dir)
	if err != nil {
		return err
	}
	return a.PrintReport(trend(metrics)+live.Panels(metrics)+found(d)+checked(d), dir)
}

func readMetrics(dir string) ([]train.Metrics, error) {
	var out []train.Metrics
	err := runs.ReadLines(dir, "metrics.jsonl", func(line []byte) error {
		var m train.Metrics
		err := json.Unmarshal(line, &m)
		out = append(out, m)
		return err
	})
	return out, err
}

// trend compares the first quarter of updates with the last one.
func trend(metrics []train.Metrics) string {
	q := (len(metrics) + 3) / 4
	if len(metrics) < 2 {
		return ""
	}
	early, late := metrics[:q], metrics[len(metrics)-q:]
	var b strings.Builder
	names, _ := metrics[0].Rewards()
	for i, name := range names {
		of := func(m train.Metrics) float64 { _, rewards := m.Rewards(); return rewards[i] }
		before, after := meanOf(early, of), meanOf(late, of)
		fmt.Fprintf(&b, "reward of %s: %s in the first %s, %s in the last (%s)\n", cmp.Or(name, "the team"), table.Number(before), stretch(q), table.Number(after), table.Signed(after-before))
	}
	b.WriteString(schemes(early, late))
	b.WriteString(forms(early, late))
	return b.String()
}

// forms says how often forms decided what was said, and how much of it the policy would have said by itself.
func forms(early, late []train.Metrics) string {
	without := func(m train.Metrics) bool { return m.FormTaken == nil }
	early, late = slices.DeleteFunc(slices.Clone(early), without), slices.DeleteFunc(slices.Clone(late), without)
	if len(early)*len(late) == 0 {
		return ""
	}
	decided := func(m train.Metrics) float64 { return 100 * *m.FormDecided }
	taken := func(m train.Metrics) float64 { return *m.FormTaken }
	return fmt.Sprintf("forms: at %.0f %% of the places only one token could come; of other tokens they took probability %.3f a place in the first %s, %.3f in the last\n",
		meanOf(late, decided), meanOf(early, taken), stretch(len(early)), meanOf(late, taken))
}

// stretch names some updates.
func stretch(n int) string {
	if n == 1 {
		return "update"
	}
	return fmt.Sprintf("%d updates", n)
}

// schemes says how programs used their helpers.
func schemes(early, late []train.Metrics) string {
	labels := map[string]bool{}
	for _, m := range slices.Concat(early, late) {
		for label := range m.Schemes {
			labels[label] = true
		}
	}
	if len(labels) == 0 {
		return ""
	}
	entropy := func(m train.Metrics) float64 {
		if m.SchemeEntropy == nil {
			return 0
		}
		return *m.SchemeEntropy
	}
	var parts []string
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		of := func(m train.Metrics) float64 { return m.Schemes[label] }
		parts = append(parts, fmt.Sprintf("%s %.2f to %.2f", label, meanOf(early, of), meanOf(late, of)))
	}
	return fmt.Sprintf("cooperation schemes, first to last: %s; entropy %.2f to %.2f\n", strings.Join(parts, ", "), meanOf(early, entropy), meanOf(late, entropy))
}

func meanOf(metrics []train.Metrics, of func(train.Metrics) float64) float64 {
	sum := 0.0
	for _, m := range metrics {
		sum += of(m)
	}
	return sum / float64(len(metrics))
}

// found lists what fired: first what fired last, then what explains a flat reward most directly.
func found(d store.Diagnosis) string {
	if len(d.Diagnostics) == 0 {
		return "\nNothing fires.\n"
	}
	var b strings.Builder
	b.WriteString("\nFindings:\n")
	for i, x := range d.Diagnostics {
		when := fmt.Sprintf("updates %d to %d", x.First, x.Last)
		if x.Last < d.Update {
			when += ", not since"
		}
		fmt.Fprintf(&b, "%d. %s\n   %s\n", i+1, x.Headline(), when)
		for _, p := range x.Evidence {
			fmt.Fprintf(&b, "   see %s\n", p)
		}
		fmt.Fprintf(&b, "   try: %s\n", x.Remedy)
	}
	return b.String()
}

// checked lists what was looked at and did not fire, and what there were no data for.
func checked(d store.Diagnosis) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nChecked without a finding, over the latest joint actions (%d) up to update %d:\n", d.JointActions, d.Update)
	for _, r := range d.Checked {
		if !r.Fired {
			fmt.Fprintf(&b, "   %s\n", r)
		}
	}
	if len(d.Unchecked) > 0 {
		b.WriteString("\nNot checked:\n")
	}
	for _, u := range d.Unchecked {
		fmt.Fprintf(&b, "   %s: %s\n", u.Rule, u.Why)
	}
	return b.String()
}
