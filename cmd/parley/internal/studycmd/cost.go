package studycmd

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/train/study"
)

// The files of a study's folder that say what it has cost.
const (
	rowsFile  = "rows.jsonl"
	costsFile = "costs.jsonl" // a line for each process
)

// A cost is a line of costs.jsonl.
type cost struct {
	Run        string  `json:"run"`
	Processors float64 `json:"processor_seconds"` // programs that the process has waited for included
}

// note keeps how long processors worked for a process that has ended; nil: none began. No number of a run depends on it.
func (f *studyFolder) note(run string, ended *os.ProcessState) {
	file, err := os.OpenFile(filepath.Join(f.dir, costsFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil || ended == nil {
		return
	}
	defer file.Close()
	_ = json.NewEncoder(file).Encode(cost{run, (ended.UserTime() + ended.SystemTime()).Round(time.Second / 100).Seconds()})
}

// worked are the seconds that processors worked for each run, in all its processes.
func (f *studyFolder) worked() map[string]float64 {
	sum := map[string]float64{}
	data, _ := os.ReadFile(filepath.Join(f.dir, costsFile)) // none, and a torn last line: less is known
	for line := range bytes.Lines(data) {
		var c cost
		if json.Unmarshal(line, &c) == nil {
			sum[c.Run] += c.Processors
		}
	}
	return sum
}

// A price is what a study takes.
type price struct {
	Name     string  `json:"name"`
	Runs     int     `json:"runs"`
	Measured int     `json:"measured"` // runs; 0: the study itself estimates
	Minutes  float64 `json:"minutes"`  // of two processors
}

// priceOf is what the measured runs of a study took, or its estimate.
func priceOf(s study.Shipped, rows []study.Row) price {
	p := price{Name: s.Name, Runs: len(s.Plan.Runs)}
	for _, r := range rows {
		if r.Processors > 0 {
			p.Measured, p.Minutes = p.Measured+1, p.Minutes+r.Processors/120
		}
	}
	if p.Measured == 0 {
		p.Minutes = s.Minutes
	}
	return p
}

// costs prints what a study takes, or all shipped ones.
func (c *showCmd) costs(a *cli.App) error {
	list := study.All(a.Language)
	if c.Study != "" {
		s, plan, err := load(a, c.Study)
		if err != nil {
			return err
		}
		list = []study.Shipped{{Study: s, Plan: plan}}
	}
	prices, all := make([]price, len(list)), 0.0
	for i, s := range list {
		file := cmp.Or(c.Rows, filepath.Join(folderOf("", s.Study, s.Plan).dir, rowsFile))
		var rows []study.Row
		if _, err := os.Stat(file); err == nil || c.Rows != "" {
			if rows, err = readRows(file); err != nil {
				return err
			}
		}
		prices[i] = priceOf(s, rows)
		all += prices[i].Minutes
	}
	if c.JSON {
		return a.PrintJSON(map[string]any{"studies": prices, "minutes": all})
	}
	err := a.Table(func(w io.Writer) {
		cli.Row(w, "study", "runs", "measured", "minutes of two cores")
		for _, p := range prices {
			cli.Row(w, p.Name, p.Runs, p.Measured, fmt.Sprintf("%.1f", p.Minutes))
		}
	})
	if err != nil || c.Study != "" {
		return err
	}
	return a.Printf("all: %.1f hours of two cores\n", all/60)
}
