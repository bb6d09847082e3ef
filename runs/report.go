package runs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/rl/eval"
	"parley/runs/store"
)

// The systems that a report may compare.
const (
	OffTheShelf       = "off-the-shelf"        // the team before training
	OffTheShelfDouble = "off-the-shelf-double" // the same, allowed twice the tokens
	Trained           = "trained"              // the team after training
	Single            = "single"               // one untrained agent, one answer
	MajorityVote      = "majority-vote"        // one untrained agent, several answers and a vote
	Concatenation     = "concatenation"        // untrained agents in parallel, their texts joined
	Pipeline          = "pipeline"             // untrained agents one after another
	Discussion        = "discussion"           // untrained agents, one round of discussion
	TrainedSingle     = "trained-single"       // one agent, trained with the team's budget
	OffTheShelfVote   = "off-the-shelf-vote"   // a vote over passes of the team before training
	TrainedVote       = "trained-vote"         // the same after training
)

// Ablation is the system of a trained team with one agent changed: untrained or skipped.
func Ablation(kind, agent string) string { return kind + "-" + agent }

// A Report is report.json: how the systems did on the same held-out problems.
type Report struct {
	Recipe          string        `json:"recipe"`
	Task            string        `json:"task"`
	Metric          string        `json:"metric"`            // the name of the measure of Rows
	Measure         *eval.Measure `json:"measure,omitempty"` // of Rows, Gain and Comparisons; absent: an earlier release made the report
	Problems        int           `json:"problems"`
	Overlap         int           `json:"overlap,omitempty"` // training problems that were left out, as they are held out too
	Seed            int           `json:"seed"`
	ProblemsSHA256  string        `json:"problems_sha256,omitempty"` // of the held-out problems
	Ruler           string        `json:"ruler,omitempty"`           // what decides a score, beside the problems
	Rows            []Row         `json:"rows"`                      // those that the recipe asks for
	Gain            float64       `json:"gain"`                      // trained minus off-the-shelf
	Also            *Also         `json:"also,omitempty"`            // the systems by another measure
	Updates         int           `json:"updates"`
	TrainSeconds    float64       `json:"train_seconds"`
	PredictedMemory int64         `json:"predicted_memory_bytes,omitempty"` // what the run was expected to need
	PeakMemory      int64         `json:"peak_memory_bytes,omitempty"`      // the most that the last session of the run held
	GeneratedTokens int           `json:"generated_tokens"`                 // in training

	// Failed counts problems of training that could not be scored, each time one was drawn, FailedEpisodes all such episodes, FailedReasons why.
	Failed         int                          `json:"failed,omitempty"`
	FailedEpisodes int                          `json:"failed_episodes,omitempty"`
	FailedReasons  map[string]int               `json:"failed_reasons,omitempty"`
	Unscored       map[string]map[string]string `json:"unscored,omitempty"` // why held-out problems have no score, by system and problem

	Comparisons    []Comparison `json:"comparisons,omitempty"`     // of the team, trained where it is, with every other system
	WithoutHistory []LoneScore  `json:"without_history,omitempty"` // of the base, then of every trained policy

	PassAt     []AtK         `json:"pass_at,omitempty"`     // pass@k of the team before and after training, and of one untrained agent
	AccuracyAt []AccuracyAtK `json:"accuracy_at,omitempty"` // the same of accuracy@k
	PassHat    []AtK         `json:"pass_hat,omitempty"`    // pass^k of the team before and after training

	// Of an experiment: the seeds of its runs, whose means the rows are, and the folders of the runs. Gain is that of the first
	// variant; updates, seconds and tokens are those of all runs together.
	Seeds []int    `json:"seeds,omitempty"`
	Runs  []string `json:"runs,omitempty"`

	Changes []Change `json:"changes,omitempty"` // of what decides the numbers, in the middle of the run

	Files map[string]string `json:"files,omitempty"` // that belong to the report, and the trained adapters, with their SHA-256

	Diagnostics []store.Diagnostic `json:"diagnostics,omitzero"` // what fired in training; nil: nothing was looked for
}

// Also is a table of systems by another measure than the report's first.
type Also struct {
	Metric      string        `json:"metric"`
	Measure     *eval.Measure `json:"measure"`
	Rows        []Row         `json:"rows"`
	Comparisons []Comparison  `json:"comparisons,omitempty"`
	Also        *Also         `json:"also,omitempty"` // of an experiment whose variants have three measures or more
}

// MeasuredBy is the measure of the rows. ok is false where an earlier release made the report, which did not say it and might mix two in one table.
// That could not happen to answers that are right or wrong.
func (r *Report) MeasuredBy() (m eval.Measure, ok bool) {
	switch {
	case r.Measure != nil:
		return *r.Measure, true
	case r.Metric == eval.Accuracy().Name:
		return eval.Accuracy(), true
	case r.Metric == eval.Success().Name:
		return eval.Success(), true
	}
	return eval.Measure{Name: r.Metric}, false
}

// A Row is one system's result.
type Row struct {
	Variant          string       `json:"variant,omitempty"` // of an experiment's recipe
	System           string       `json:"system"`
	Score            float64      `json:"score"`                   // of the last turn, in [0, 1]
	Raw              *float64     `json:"raw,omitempty"`           // of a share of the range: the reward or return that Score is a share of
	CI95             [2]float64   `json:"ci95"`                    // 95 % interval of Score
	PerTurn          []float64    `json:"per_turn,omitempty"`      // scores after each turn
	PerTurnCI95      [][2]float64 `json:"per_turn_ci95,omitempty"` // of an experiment: 95 % intervals over its seeds
	TokensPerProblem float64      `json:"tokens_per_problem"`      // generated, all agents and turns
	// Latency is the tokens that have to be waited for: the longest answer of a turn, summed over turns; per problem.
	Latency float64            `json:"latency_tokens,omitempty"`
	Parts   map[string]float64 `json:"parts,omitempty"` // mean parts of a joint reward in the last turn
	// Costs are the queries and the generated tokens of each agent of a team with names, by its name; per problem.
	Costs map[string]map[string]float64 `json:"costs,omitempty"`
	// OwnReward is what each agent was paid alone, by its name, beside what Score is about; per problem. Nil: nobody was.
	OwnReward map[string]float64 `json:"own_reward,omitempty"`
	Play      map[string]float64 `json:"play,omitempty"`     // how a team plays a game that can be measured
	Unscored  int                `json:"unscored,omitempty"` // held-out problems without a score: all else is of the others. Of an experiment: of all runs

	Turns       []TurnResult `json:"turns,omitempty"`       // where answers can be compared with a truth
	Transitions []Transition `json:"transitions,omitempty"` // the same, of teams with several turns
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

// TurnCI95 is the 95 % interval of the score after a turn, from 0: over seeds, or else over problems; false: it has none.
func (r *Row) TurnCI95(turn int) ([2]float64, bool) {
	switch {
	case turn < len(r.PerTurnCI95):
		return r.PerTurnCI95[turn], true
	case turn < len(r.Turns):
		return r.Turns[turn].CI95, true
	}
	return [2]float64{}, false
}

// WriteReport writes report.json, report.md and the files that belong to them by name, pictures and report.csv, report.json last: where it
// is, the rest is.
func (r *Run) WriteReport(report Report, markdown string, files map[string][]byte) (err error) {
	if report.Files, err = r.keptSums(); err != nil {
		return err
	}
	report.Files["report.md"] = store.SumOf([]byte(markdown))
	for name, data := range files {
		report.Files[name] = store.SumOf(data)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := r.WriteFile(name, files[name]); err != nil {
			return err
		}
	}
	if err := r.WriteFile("report.md", []byte(markdown)); err != nil {
		return err
	}
	if err := r.WriteJSON("report.json", report); err != nil {
		return err
	}
	for _, f := range r.followers {
		f.Finished(report)
	}
	return nil
}

// keptSums are the checksums of the files in adapters, and of the answers to held-out problems.
func (r *Run) keptSums() (map[string]string, error) {
	sums := map[string]string{}
	list, err := store.SumsOf(r.Folder.Path("adapters"))
	if err != nil && !missing(err) {
		return nil, fmt.Errorf("read adapters: %w", err)
	}
	for name, sum := range list {
		sums["adapters/"+name] = sum
	}
	answers, err := store.Answers(r.dir)
	for _, a := range answers {
		name := store.AnswersFile(a.System, a.Update)
		if sums[name], err = store.Sum(r.dir, name); err != nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read answers to held-out problems: %w", err)
	}
	return sums, nil
}

// ReadReport returns the report of the run in dir; an error that wraps [os.ErrNotExist] means that it has none yet.
func ReadReport(dir string) (Report, error) {
	var report Report
	err := store.ReadSealed(dir, "report.json", &report)
	if err != nil {
		err = fmt.Errorf("read report: %w", err)
	}
	return report, err
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
