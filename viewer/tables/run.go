package tables

import (
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"parley/rl/rollout"
	"parley/runs"
	"parley/runs/scalars"
	"parley/viewer/episodes"
	"parley/viewer/tokens"
)

// of are the tables of a run.
func of(dir string, left *leftOut) ([]*table, error) {
	if _, err := runs.Read(dir); err != nil {
		return nil, err
	}
	updates, err := updatesOf(dir)
	if err != nil {
		return nil, err
	}
	r := reader{dir, episodes.TeamIn(dir), tokens.BasesOf(dir), &tokens.Vocabularies{}, left}
	return []*table{
		updates,
		{"episodes", []string{
			`"update" INTEGER`, "episode INTEGER", "problem TEXT", "question TEXT", "truth TEXT", "nodes INTEGER", "turns INTEGER", "samples INTEGER",
			"completions INTEGER", "tokens INTEGER", "reward REAL", "reward_min REAL", "reward_max REAL", "correct REAL", "failed TEXT",
		}, r.each(episodeRow)},
		{"nodes", []string{
			`"update" INTEGER`, "episode INTEGER", "node INTEGER", "turn INTEGER", "parent INTEGER", "parent_action INTEGER", "sample INTEGER",
			"joint_actions INTEGER", "reward REAL", "reward_max REAL", "ended INTEGER", "failed TEXT",
		}, r.each(nodeRows)},
		{"completions", []string{
			`"update" INTEGER`, "episode INTEGER", "node INTEGER", "agent INTEGER", "completion INTEGER", "name TEXT", "policy TEXT", "problem TEXT",
			"turn INTEGER", "sample INTEGER", "text TEXT", "answer TEXT", "correct INTEGER", "score REAL", "reward REAL", "advantage REAL", "flags TEXT",
			"stop TEXT", "tokens INTEGER", "prompt_tokens INTEGER", "surprisal REAL", "masked INTEGER", "penalty REAL", "calls INTEGER", "prompt TEXT",
		}, r.each(completionRows)},
		{"tokens", tokenColumns, r.tokens},
		{"answers", answerColumns, r.heldOut},
	}, nil
}

// reader reads the episodes of a run.
type reader struct {
	dir  string
	team episodes.Team

	bases []runs.Base
	known *tokens.Vocabularies
	left  *leftOut
}

// leftOut is what queries do not have, as it is damaged: each once, however often a table was read.
type leftOut struct {
	said []string
	seen map[string]bool
}

func (l *leftOut) add(list []string) {
	for _, what := range list {
		if !l.seen[what] {
			if l.seen == nil {
				l.seen = map[string]bool{}
			}
			l.seen[what] = true
			l.said = append(l.said, what)
		}
	}
}

var errEnough = errors.New("nobody asks for more")

// each makes rows of every episode of the updates in a range, but for those that are damaged.
func (r reader) each(rows func(e *rollout.Episode, r reader, yield func([]any) bool) bool) func(from, to int) iter.Seq2[[]any, error] {
	return func(from, to int) iter.Seq2[[]any, error] {
		return func(yield func([]any, error) bool) {
			updates, err := episodes.Open(r.dir).Updates()
			for _, update := range updates {
				if update < from || update > to || err != nil {
					continue
				}
				var left []string
				left, err = episodes.Whole(r.dir, update, func(e *rollout.Episode) error {
					if !rows(e, r, func(row []any) bool { return yield(row, nil) }) {
						return errEnough
					}
					return nil
				})
				r.left.add(left)
				if errors.Is(err, errEnough) {
					return
				}
				if errors.Is(err, fs.ErrNotExist) { // the run went back behind it
					err = nil
				}
			}
			if err != nil {
				yield(nil, err)
			}
		}
	}
}

func episodeRow(e *rollout.Episode, _ reader, yield func([]any) bool) bool {
	turns, completions, tokens, right, last, answered := 0, 0, 0, 0, 0, -1
	low, high, sum := math.Inf(1), math.Inf(-1), 0.0
	for _, n := range e.Nodes {
		turns = max(turns, n.Turn+1)
		for _, a := range n.Agents {
			for _, c := range a.Completions {
				completions, tokens, sum = completions+1, tokens+len(c.Tokens), sum+c.Reward
				low, high = min(low, c.Reward), max(high, c.Reward)
				if !episodes.Judged(a.Speaker, c.HasAnswer) || n.Turn < answered {
					continue
				}
				if n.Turn > answered {
					answered, right, last = n.Turn, 0, 0
				}
				last++
				if c.Correct {
					right++
				}
			}
		}
	}
	var mean, least, greatest, correct any
	if completions > 0 {
		mean, least, greatest = sum/float64(completions), low, high
		if e.Problem.Truth != "" && last > 0 {
			correct = float64(right) / float64(last)
		}
	}
	return yield([]any{
		e.Update, e.Index, e.Problem.ID, e.Problem.Question, text(e.Problem.Truth), len(e.Nodes), turns, e.Samples(), completions, tokens,
		mean, least, greatest, correct, text(e.Failed()),
	})
}

func nodeRows(e *rollout.Episode, _ reader, yield func([]any) bool) bool {
	for i, n := range e.Nodes {
		var mean, most any
		if len(n.Rewards) > 0 {
			sum := 0.0
			for _, r := range n.Rewards {
				sum += r
			}
			mean, most = sum/float64(len(n.Rewards)), slices.MaxFunc(n.Rewards, cmp.Compare)
		}
		if !yield([]any{e.Update, e.Index, i, n.Turn, n.Parent, n.ParentAction, n.Sample, len(n.Joint), mean, most, n.Ended, text(n.Failed)}) {
			return false
		}
	}
	return true
}

func completionRows(e *rollout.Episode, r reader, yield func([]any) bool) bool {
	return answers(e, func(node int, a *rollout.AgentTurn, i int) bool {
		c, n := &a.Completions[i], e.Nodes[node]
		var answer, correct, surprisal any
		if c.HasAnswer {
			answer = c.Answer
		}
		if e.Problem.Truth != "" && episodes.Judged(a.Speaker, c.HasAnswer) {
			correct = c.Correct
		}
		if len(c.Logprobs) > 0 {
			sum := 0.0
			for _, l := range c.Logprobs {
				sum -= float64(l)
			}
			surprisal = sum / float64(len(c.Logprobs))
		}
		prompt := make([]string, len(a.Messages))
		for k, m := range a.Messages {
			prompt[k] = string(m.Role) + ": " + m.Content
		}
		return yield([]any{
			e.Update, e.Index, node, a.Agent + 1, i, r.team.Name(a.Agent), string(a.Policy), e.Problem.ID, n.Turn, n.Sample, c.Text, answer, correct, c.Score,
			c.Reward, c.Advantage, strings.Join(c.Flags, ","), string(c.Stop), len(c.Tokens), len(a.Prompt), surprisal, c.Masked, c.Penalty, len(c.Calls),
			strings.Join(prompt, "\n"),
		})
	})
}

// answers visits all completions of an episode.
func answers(e *rollout.Episode, visit func(node int, a *rollout.AgentTurn, i int) bool) bool {
	for node, n := range e.Nodes {
		for k := range n.Agents {
			for i := range n.Agents[k].Completions {
				if !visit(node, &n.Agents[k], i) {
					return false
				}
			}
		}
	}
	return true
}

// text is a text, or nothing.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// updatesOf is the table of metrics.jsonl and timing.jsonl: a column for every number, and one for the mean of those in a list or an object.
func updatesOf(dir string) (*table, error) {
	byUpdate := map[int]map[string]float64{}
	names := map[string]bool{}
	var damage, untimed error
	new(scalars.Kept).Of(dir, func(of *scalars.Run) {
		for _, c := range []*scalars.Columns{&of.Metrics, &of.Timing} {
			for row, update := range c.Updates {
				if byUpdate[update] == nil && c == &of.Metrics {
					byUpdate[update] = map[string]float64{}
				}
				if byUpdate[update] != nil {
					add(byUpdate[update], names, c.Row(row))
				}
			}
		}
		damage, untimed = of.Metrics.Damaged, of.Timing.Damaged
	})
	cut := new(*scalars.CutError) // of what can be read, only a query for numbers is told
	if damage != nil && !errors.As(damage, cut) {
		return nil, damage
	}
	if untimed != nil && !errors.As(untimed, cut) {
		return nil, untimed
	}
	order := slices.Sorted(maps.Keys(names))
	t := &table{name: "updates", columns: []string{`"update" INTEGER`}}
	for _, name := range order {
		t.columns = append(t.columns, `"`+name+`" REAL`)
	}
	t.scan = func(from, to int) iter.Seq2[[]any, error] {
		return func(yield func([]any, error) bool) {
			for _, update := range slices.Sorted(maps.Keys(byUpdate)) {
				row := []any{update}
				for _, name := range order {
					if x, ok := byUpdate[update][name]; ok {
						row = append(row, x)
					} else {
						row = append(row, nil)
					}
				}
				if update >= from && update <= to && !yield(row, nil) {
					return
				}
			}
			if damage != nil {
				yield(nil, damage)
			}
		}
	}
	return t, nil
}

const mostColumns = 1500 // SQLite has at most 2000

// add puts numbers into a row: each by its path, and the mean of those in one list or object by its name.
func add(row map[string]float64, names map[string]bool, list []scalars.Scalar) {
	type total struct {
		sum float64
		n   int
	}
	means := map[string]total{}
	put := func(name string, x float64) {
		if names[name] || len(names) < mostColumns {
			names[name], row[name] = true, x
		}
	}
	for _, s := range list {
		name := column(s.Name)
		if name == "update" {
			continue
		}
		put(name, s.Value)
		if first, _, nested := strings.Cut(s.Name, "/"); nested {
			m := means[column(first)]
			means[column(first)] = total{m.sum + s.Value, m.n + 1}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(means)) {
		put(name, means[name].sum/float64(means[name].n))
	}
}

// column is the name of a number as a column: reward/1 is reward_1.
func column(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		if r >= 'A' && r <= 'Z' {
			return r - 'A' + 'a'
		}
		return '_'
	}, name)
}
