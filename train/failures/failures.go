// Package failures is about problems that could not be scored. Nothing is learned from them. A reward that fails on just the best answers
// would then train on the others. So failures are counted with their reasons, reported when they occur for the first time, and end a run if
// there are too many.
package failures

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/usererror"
	"parley/rl/learn/preference"
	"parley/rl/rollout"
	"parley/runs"
)

// Bounds of what is told.
const (
	named       = 5   // problems that a note names
	longestLine = 160 // bytes of a reason as it is counted
)

// Reason is the last line of why a problem failed, by which failures are counted: of a traceback, the exception. Lines that are indented say
// where something was, or what to write instead; they are no reason.
func Reason(failed string) string {
	lines := strings.Split(strings.TrimSpace(failed), "\n")
	for last := lines[len(lines)-1]; len(lines) > 1 && (last == "" || strings.TrimLeft(last, " \t") != last); last = lines[len(lines)-1] {
		lines = lines[:len(lines)-1]
	}
	line := strings.TrimSuffix(lines[len(lines)-1], " It was here:")
	if len(line) > longestLine {
		line = strings.ToValidUTF8(line[:longestLine], "") + " …"
	}
	return line
}

// Count says how many episodes failed, and counts their reasons; nil: none did. A tree is one episode.
func Count(episodes []*rollout.Episode) (failed int, reasons map[string]int) {
	for _, e := range episodes {
		for _, why := range e.Failures() {
			if reasons == nil {
				reasons = map[string]int{}
			}
			reasons[Reason(why)]++
			failed++
		}
	}
	return failed, reasons
}

// first is the reason of the first episode of a problem that failed; empty: none did.
func first(e *rollout.Episode) string {
	failures := e.Failures()
	for sample := range e.Samples() {
		if why, failed := failures[sample]; failed {
			return why
		}
	}
	return ""
}

// Scored returns the episodes that have all their scores. It is an error if there are none, or if more than a share of all failed. If some
// of the episodes of a problem failed, that part of the problem counts as failed, and its other episodes are kept.
func Scored(episodes []*rollout.Episode, most float64) ([]*rollout.Episode, error) {
	whole := slices.DeleteFunc(slices.Clone(episodes), func(e *rollout.Episode) bool { return e.Failed() != "" })
	failed, samples := 0.0, false
	var earliest *rollout.Episode
	for _, e := range episodes {
		n := len(e.Failures())
		if n > 0 && earliest == nil {
			earliest = e
		}
		samples = samples || n > 0 && n < e.Samples()
		failed += float64(n) / float64(e.Samples())
	}
	if earliest == nil {
		return whole, nil
	}
	switch {
	case len(whole) == 0:
		return nil, fmt.Errorf("none of its %d problems could be scored; the first, %s: %s", len(episodes), earliest.Problem.ID, first(earliest))
	case failed > most*float64(len(episodes))*(1+1e-9): // shares such as 1/3 add up with rounding
		counted := ""
		if samples {
			counted = ", counted by the shares of their episodes"
		}
		return nil, fmt.Errorf("%.4g of its %d problems could not be scored%s, more than the share that training.failed_share allows, %g; the first, %s: %s",
			failed, len(episodes), counted, most, earliest.Problem.ID, first(earliest))
	}
	return whole, nil
}

// A Teller says every problem that fails once, and once that episodes end in the middle.
type Teller struct {
	said   map[string]bool
	halved bool
}

// Notes says which problems failed for the first time, one note a reason, in the order of the episodes, and of how many episodes the team's steps
// were over before the environment was.
func (t *Teller) Notes(update int, episodes []*rollout.Episode) []string {
	var fresh []*rollout.Episode
	for _, e := range episodes {
		if first(e) == "" || t.said[e.Problem.ID] {
			continue
		}
		if t.said == nil {
			t.said = map[string]bool{}
		}
		t.said[e.Problem.ID] = true
		fresh = append(fresh, e)
	}
	var notes []string
	for _, x := range ByReason(fresh, func(e *rollout.Episode) (name, why string) { return which(e), first(e) }) {
		notes = append(notes, fmt.Sprintf("update %d: nothing is learned from %s, which could not be scored: %s", update, x.Names, x.Why))
	}
	if cut, all := unfinished(episodes); cut > 0 && !t.halved {
		t.halved = true
		notes = append(notes, fmt.Sprintf("update %d: %d of %d episodes ended with the team's steps, before the environment was done: if it has an end, let the workflow go on for longer, by its %s", update, cut, all, usererror.Word("repeat", "repeat, which in_turn calls steps")))
	}
	return notes
}

// unfinished counts the episodes whose last step the environment did not call the last; a branch is one. all are those that ended in a step.
func unfinished(episodes []*rollout.Episode) (cut, all int) {
	for _, e := range episodes {
		goesOn := map[[2]int]bool{}
		for _, n := range e.Nodes {
			goesOn[[2]int{n.Parent, n.ParentAction}] = true
		}
		for i, n := range e.Nodes {
			for k, steps := range n.Outcomes {
				if goesOn[[2]int{i, k}] || len(steps) == 0 || n.Failed != "" || slices.Contains(n.Unscored, k) {
					continue
				}
				if all++; !steps[len(steps)-1].Done {
					cut++
				}
			}
		}
	}
	return cut, all
}

// An Account is about what failed for one reason.
type Account struct {
	Names string // of the first ones that failed, with how many more there are
	Why   string // all of the reason, of the first
}

// ByReason sums up what failed, one account a reason, in the order of the list; of says what one of it is called, and why it failed.
func ByReason[T any](list []T, of func(T) (name, why string)) []Account {
	var out []Account
	names, at := [][]string{}, map[string]int{} // by reason
	for _, x := range list {
		name, why := of(x)
		i, known := at[Reason(why)]
		if !known {
			i = len(out)
			at[Reason(why)] = i
			out, names = append(out, Account{Why: why}), append(names, nil)
		}
		names[i] = append(names[i], name)
	}
	for i, all := range names {
		out[i].Names = strings.Join(all[:min(named, len(all))], ", ")
		if more := len(all) - named; more > 0 {
			out[i].Names += fmt.Sprintf(" and %d more", more)
		}
	}
	return out
}

// which names what failed: a problem, or some of its episodes.
func which(e *rollout.Episode) string {
	if n := len(e.Failures()); n < e.Samples() {
		return fmt.Sprintf("%d of the %d episodes of %s", n, e.Samples(), e.Problem.ID)
	}
	return e.Problem.ID
}

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

// A RivalTeller says once that texts of a central comparator are no candidates. The metrics count them, update by update.
type RivalTeller struct{ said bool }

// Note is what is to be said of the episodes of a comparator that wrote so many texts for each problem; empty: nothing.
func (t *RivalTeller) Note(s preference.Settings, each int, episodes []*rollout.Episode) string {
	dropped := 0
	for _, e := range episodes {
		dropped += preference.Dropped(s, each, e)
	}
	if dropped == 0 || t.said {
		return ""
	}
	t.said = true
	return fmt.Sprintf("%d of the comparator's %d texts have no block for some agent, and are no candidates (preference.central); metrics count them as dropped", dropped, each*len(episodes))
}
