package initcmd

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/model"
	"parley/task/dataset"
)

// A look is what was seen of a data set.
type look struct {
	opened  dataset.Set
	set     *dataset.Survey
	columns []string
}

// lookAt opens a data set and goes through all its rows.
func lookAt(ctx context.Context, data string) (*look, error) {
	opened, err := dataset.Open(data, model.CacheRoot())
	if err != nil {
		return nil, cli.Usagef("%v", err)
	}
	characters := func(text string) int { return len(text) }
	set, err := opened.Survey(ctx, dataset.SurveyOptions{Tokens: characters})
	if err != nil {
		return nil, err
	}
	for _, f := range set.Files {
		if f.Error != "" {
			return nil, cli.Usagef("%s", f.Error)
		}
	}
	if set.Rows == 0 {
		return nil, cli.Usagef("data set %s has no rows", data)
	}
	return &look{opened, set, set.Columns()}, nil
}

// mustHave says that a key is one of the data's.
func (l *look) mustHave(flag, key string) error {
	if slices.Contains(l.columns, key) {
		return nil
	}
	return cli.Usagef("no row has the key %q that is to be the %s: the keys are %s", key, flag, strings.Join(l.columns, ", "))
}

// Keys as they are usual, the most usual first, in lower case.
var (
	questions = []string{"question", "problem", "instruction", "prompt", "messages", "conversations", "query", "input", "text", "premise", "article", "document"}
	answers   = []string{"answer", "final_answer", "correct_answer", "answerkey", "reward_model.ground_truth", "ground_truth", "target", "label", "output", "solution", "response", "completion", "expected", "truth", "gold", "reference", "summary", "highlights"}
	optional  = []string{"choices", "options", "answer_choices"}
)

// usually is the column with one of these names.
func (l *look) usually(names []string, but string) string {
	for _, name := range names {
		for _, column := range l.columns {
			if strings.EqualFold(column, name) && column != but {
				return column
			}
		}
	}
	return ""
}

// question guesses the key of the question, and says why.
func (l *look) question() (key, why string) {
	if key = l.usually(questions, ""); key != "" {
		return key, "the key of the question: it has a usual name"
	}
	longest := -1
	for _, column := range l.columns {
		if n := l.set.Tokens[column].Median; n > longest && l.isText(column) {
			key, longest = column, n
		}
	}
	return key, "the key of the question: its texts are the longest"
}

// answer guesses the key of the right answer. Without a usual name it is the only other one, but an id.
func (l *look) answer(question string) (key, why string) {
	if key = l.usually(answers, question); key != "" {
		return key, "the key of the right answer: it has a usual name"
	}
	others := slices.DeleteFunc(slices.Clone(l.columns), func(c string) bool { return c == question || strings.EqualFold(c, "id") })
	if len(others) == 1 {
		return others[0], "the key of the right answer: it is the only other one"
	}
	return "", ""
}

func (l *look) isText(column string) bool {
	return slices.ContainsFunc(l.set.Files, func(f dataset.Surveyed) bool { return f.Columns[column] == "text" })
}

// options is the column with the options of a question; labelled: they are under A, B and so on.
func (l *look) options() (column string, labelled bool) {
	return l.usually(optional, ""), slices.Contains(l.columns, "A") && slices.Contains(l.columns, "B")
}

// letters says that all values of a column are single letters from A to J, of which there are two or more.
func (l *look) letters(ctx context.Context, column string) bool {
	seen := map[string]bool{}
	for _, f := range l.opened.Files {
		err := f.Each(ctx, func(_ int, data []byte) error {
			r, err := dataset.ParseRecord(data)
			if err != nil {
				return err
			}
			text := strings.ToUpper(strings.TrimSpace(r.Plain(column)))
			if len(text) != 1 || text[0] < 'A' || text[0] > 'J' {
				return errOther
			}
			seen[text] = true
			return nil
		})
		if err != nil {
			return false
		}
	}
	return len(seen) > 1
}

// errOther ends a reading at the first value that is no letter.
var errOther = fmt.Errorf("a value is no letter")

// longest are the most tokens of a column's texts.
func (l *look) longest(ctx context.Context, count func(string) int, columns ...string) (int, error) {
	seen, err := l.opened.Survey(ctx, dataset.SurveyOptions{Tokens: count})
	if err != nil {
		return 0, err
	}
	sum := 0
	for _, column := range columns {
		sum += seen.Tokens[column].Most
	}
	return sum, nil
}

// counter counts tokens of a base; see tokenizer.Counter.
func counter(base string) (count func(text string) int, failed *error, err error) {
	tokenizer, err := model.OpenTokenizer(base)
	if err != nil {
		return nil, nil, cli.Usagef("%v", err)
	}
	count, failed = tokenizer.Counter()
	return count, failed, nil
}

// checkReward says what is wrong with a reward that a flag names.
func checkReward(reward string) error {
	switch {
	case reward == "", reward == label, reward == byProgram, isURL(reward):
		return nil
	case !strings.HasSuffix(reward, ".py"):
		return cli.Usagef("--reward is %q; write label, a file FILE.py, or a URL such as http://127.0.0.1:8000/reward", reward)
	}
	if _, err := os.Stat(reward); err != nil {
		return cli.Usagef("--reward: %v; docs/rewards.md shows what such a file says", err)
	}
	return nil
}

// label is the reward that compares with the right answer.
const label = "label"

func isURL(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}

func exists(name string) bool { _, err := os.Stat(name); return err == nil }
