package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// The systems that a report may compare.
const (
	OffTheShelf   = "off-the-shelf"  // the team before training
	Trained       = "trained"        // the team after training
	Single        = "single"         // one untrained agent, one answer
	MajorityVote  = "majority-vote"  // one untrained agent, several answers and a vote
	Concatenation = "concatenation"  // untrained agents in parallel, their texts joined
	Pipeline      = "pipeline"       // untrained agents one after another
	Discussion    = "discussion"     // untrained agents, one round of discussion
	TrainedSingle = "trained-single" // one agent, trained with the team's budget
)

// A Report is report.json: how the systems did on the same held-out problems.
type Report struct {
	Recipe          string  `json:"recipe"`
	Task            string  `json:"task"`
	Metric          string  `json:"metric"`
	Problems        int     `json:"problems"`
	Seed            int     `json:"seed"`
	Rows            []Row   `json:"rows"` // those that the recipe asks for
	Gain            float64 `json:"gain"` // trained minus off-the-shelf
	Updates         int     `json:"updates"`
	TrainSeconds    float64 `json:"train_seconds"`
	GeneratedTokens int     `json:"generated_tokens"` // in training
}

// A Row is one system's result.
type Row struct {
	System           string     `json:"system"`
	Score            float64    `json:"score"`              // of the last turn, in [0, 1]
	CI95             [2]float64 `json:"ci95"`               // 95 % interval of Score
	PerTurn          []float64  `json:"per_turn,omitempty"` // scores after each turn
	TokensPerProblem float64    `json:"tokens_per_problem"` // generated, all agents and turns
}

// Row returns the result of one system.
func (r *Report) Row(system string) (Row, bool) {
	for _, row := range r.Rows {
		if row.System == system {
			return row, true
		}
	}
	return Row{}, false
}

// WriteReport writes report.json, report.md and the pictures (file name → PNG), report.json last: where it is, the rest is.
func (r *Run) WriteReport(report Report, markdown string, pictures map[string][]byte) error {
	names := make([]string, 0, len(pictures))
	for name := range pictures {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if err := r.WriteFile(name, pictures[name]); err != nil {
			return err
		}
	}
	if err := r.WriteFile("report.md", []byte(markdown)); err != nil {
		return err
	}
	return r.WriteJSON("report.json", report)
}

// ReadReport returns the report of the run in dir; an error that wraps [os.ErrNotExist] means that it has none yet.
func ReadReport(dir string) (Report, error) {
	var report Report
	path := filepath.Join(dir, "report.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return report, fmt.Errorf("read report: %w", err)
	}
	if err := json.Unmarshal(data, &report); err != nil {
		return report, fmt.Errorf("read %s: %w", path, err)
	}
	return report, nil
}

// Table returns the rows as a plain text table for the terminal.
func (r *Report) Table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-16s %8s  %-17s %12s  %s\n", "system", r.Metric, "95 % interval", "tokens", "per turn")
	for _, row := range r.Rows {
		turns := make([]string, len(row.PerTurn))
		for i, score := range row.PerTurn {
			turns[i] = fmt.Sprintf("%.3f", score)
		}
		fmt.Fprintf(&b, "%-16s %8.3f  [%.3f, %.3f]   %12.1f  %s\n", row.System, row.Score, row.CI95[0], row.CI95[1], row.TokensPerProblem, strings.Join(turns, " "))
	}
	return b.String()
}

// A State says how far a run is.
type State string

const (
	Running     State = "running"     // a process is writing to it
	Finished    State = "finished"    // it has a report
	Interrupted State = "interrupted" // neither: it can be resumed
)

// A Summary is one run in a list of runs.
type Summary struct {
	Name    string  `json:"name"` // of the folder
	Dir     string  `json:"dir"`
	Recipe  string  `json:"recipe"`
	Seed    int     `json:"seed"`
	State   State   `json:"state"`
	Updates int     `json:"updates"` // with a line in metrics.jsonl
	Report  *Report `json:"report,omitempty"`
	Created string  `json:"created"` // RFC 3339
}

// Summarise looks at the run in dir.
func Summarise(dir string) (Summary, error) {
	meta, err := Read(dir)
	if err != nil {
		return Summary{}, err
	}
	s := Summary{Name: filepath.Base(dir), Dir: dir, Recipe: meta.Name, Seed: meta.Seed, State: Interrupted, Created: meta.Created.Format("2006-01-02T15:04:05Z07:00")}
	err = ReadLines(dir, "metrics.jsonl", func(line []byte) error {
		s.Updates, _ = updateOf(line)
		return nil
	})
	if err != nil {
		return s, err
	}
	report, err := ReadReport(dir)
	switch {
	case err == nil:
		s.State, s.Report = Finished, &report
	case !errors.Is(err, os.ErrNotExist):
		return s, err
	}
	if Locked(dir) {
		s.State = Running
	}
	return s, nil
}

// List summarises the runs under root in the order of their names. Folders that are not runs are left out; a root that does
// not exist has none.
func List(root string) ([]Summary, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var list []Summary
	for _, e := range entries {
		if s, err := Summarise(filepath.Join(root, e.Name())); err == nil {
			list = append(list, s)
		}
	}
	return list, nil
}

// Remove deletes the run in dir, unless a process is writing to it.
func Remove(dir string) error {
	r, err := Open(dir)
	if err != nil {
		return err
	}
	if err := r.Close(); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove run: %w", err)
	}
	return nil
}
