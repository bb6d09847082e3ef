package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"

	"parley/internal/folder"
)

// PanelSystem is what the team in training is called in the files of its panel (eval.every).
const PanelSystem = "panel"

// AnswersFile is the path in a run of what a system answered to the held-out problems after so many updates, a line a problem.
func AnswersFile(system string, updates int) string {
	return fmt.Sprintf("evaluation/%s-%06d.jsonl.zst", system, updates)
}

// Answers are the systems of which a run keeps the answers, with the numbers of updates that they are of, sorted by both.
func Answers(dir string) (list []Answered, err error) {
	entries, err := folder.List(dir, "evaluation")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		m := answersName.FindStringSubmatch(e.Name())
		if m == nil || !e.Type().IsRegular() {
			continue
		}
		updates, err := strconv.Atoi(m[2])
		if a := (Answered{m[1], updates}); err == nil && AnswersFile(a.System, a.Update) == "evaluation/"+e.Name() {
			list = append(list, a)
		}
	}
	slices.SortFunc(list, func(a, b Answered) int { return cmp.Or(cmp.Compare(a.System, b.System), a.Update-b.Update) })
	return list, err
}

// An Answered is a system after so many updates.
type Answered struct {
	System string `json:"system"`
	Update int    `json:"update"`
}

var answersName = regexp.MustCompile(`^(.+)-([0-9]{6,9})\.jsonl\.zst$`)
