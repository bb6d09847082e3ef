package dataset

import (
	"context"
	"fmt"
	"math"
	"strings"

	"parley/internal/sysmem"
)

// Halves are the files of a set that are trained on and those that are held out. Without held-out ones, problems are to be held out of
// those for training.
type Halves struct {
	Train, Held []File
	Unused      []File // files beside them, whose names say another split, or none
}

// Halves divides the files of a set by what their names say: training files and test files, or validation files in the place of those that
// lack. Where no name says a split, all files are for training, and problems are held out of them. A file whose name says none is never
// mixed with others whose names do: it is not used.
func (s Set) Halves() (Halves, error) {
	train, validation, test, unknown := s.Of(Train), s.Of(Validation), s.Of(Test), s.Of("")
	var h Halves
	switch {
	case len(unknown) == len(s.Files):
		return Halves{Train: unknown}, nil
	case len(train) > 0 && len(test) > 0:
		h = Halves{train, test, append(validation, unknown...)}
	case len(train) > 0:
		h = Halves{train, validation, unknown}
	case len(unknown) > 0:
		return Halves{}, fmt.Errorf("data set %s has files that are held out, %s, and the name of %s says no split: rename what is for training to train%s, or move it away",
			s.Name, names(append(validation, test...)), names(unknown), endingOf(unknown[0].Name))
	case len(validation) > 0 && len(test) > 0:
		h = Halves{Train: validation, Held: test}
	default:
		h = Halves{Train: append(validation, test...)}
	}
	return h, nil
}

// OneInFive is the rule by which problems are held out where no file is.
const OneInFive = "no file is held out: one problem in five is, by a hash of its question"

// Note says which files are not used; empty: all are.
func (h Halves) Note() string {
	if len(h.Unused) == 0 {
		return ""
	}
	return "not used: " + names(h.Unused)
}

// mostNames is how many files a message names.
const mostNames = 8

func names(files []File) string {
	var list []string
	for i, f := range files {
		if i == mostNames && len(files) > mostNames+1 {
			return fmt.Sprintf("%s and %d more", strings.Join(list, ", "), len(files)-i)
		}
		what := f.Name
		if f.Split == "" {
			what += " (no split)"
		}
		list = append(list, what)
	}
	return strings.Join(list, ", ")
}

// endingOf is the ending of a file's name.
func endingOf(name string) string {
	for _, e := range endings {
		if ending(name, e) {
			return e
		}
	}
	return ""
}

// Room is how many bytes of records may be held at once: half of the memory that is left.
func Room() int64 { return int64(min(sysmem.Available()/2, math.MaxInt64/2)) }

// Records lists what read makes of every record of files, in their order. No records are an error, and so are more bytes than there is
// [Room] for.
func Records[T any](ctx context.Context, files []File, read func(line int, record []byte) (T, error)) ([]T, error) {
	var all []T
	left := Room()
	for _, f := range files {
		if err := f.Each(ctx, func(line int, record []byte) error {
			if left -= int64(len(record)); left < 0 {
				return fmt.Errorf("the rows up to here are more than half of the memory that is left, %d MiB unpacked, and all are held at once: take a part of the file, in task.path", Room()>>20)
			}
			one, err := read(line, record)
			all = append(all, one)
			return err
		}); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no records", names(files))
	}
	return all, nil
}
