package initcmd

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"parley/task/dataset"
)

// units says that answers have words beside their numbers, and that these are not the same in all answers that have some: "9 apples" beside
// "9 coins". A comparison of numbers drops them, so that it would take one for the other.
func (l *look) units(ctx context.Context, column string) bool {
	first := ""
	for _, f := range l.opened.Files {
		err := f.Each(ctx, func(_ int, data []byte) error {
			r, err := dataset.ParseRecord(data)
			if err != nil {
				return err
			}
			switch words := unit(r.Plain(column)); {
			case words == "", words == first:
				return nil
			case first == "":
				first = words
				return nil
			}
			return errUnits
		})
		if err != nil {
			return errors.Is(err, errUnits)
		}
	}
	return false
}

// errUnits ends a reading at the first value with other words.
var errUnits = errors.New("a value has another unit")

// Letters that belong to a number, and those that do not.
var (
	ofNumbers = regexp.MustCompile(`\\[a-zA-Z]+|(?i)\b(hundred|thousand|[mb]illion|half|halves|thirds?|quarters?|and|a)\b|\d[eE][+-]?\d`)
	words     = regexp.MustCompile(`\pL+`)
)

// unit is what an answer says beside its number, in lower case and without a plural's s.
func unit(answer string) string {
	found := words.FindAllString(strings.ToLower(ofNumbers.ReplaceAllString(answer, " ")), -1)
	for i, word := range found {
		found[i] = strings.TrimSuffix(word, "s")
	}
	return strings.Join(found, " ")
}
