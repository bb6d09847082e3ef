package labelled

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"parley/task"
	"parley/task/dataset"
)

// refs say where the problems of a split are, in their order: the file, and the place in it.
type refs struct {
	File, Row, Length []int32
	Offset            []int64
}

func (r *refs) len() int {
	if r == nil {
		return 0
	}
	return len(r.File)
}

func (r *refs) add(file int, at dataset.Place) {
	r.File, r.Row, r.Length, r.Offset = append(r.File, int32(file)), append(r.Row, int32(at.Row)), append(r.Length, int32(at.Length)), append(r.Offset, at.Offset)
}

// of lists which of the first n problems are in a file, and where.
func (r *refs) of(file, n int) (which []int, places []dataset.Place) {
	for i := range n {
		if int(r.File[i]) == file {
			which = append(which, i)
			places = append(places, dataset.Place{Row: int(r.Row[i]), Length: int(r.Length[i]), Offset: r.Offset[i]})
		}
	}
	return which, places
}

// bytes is how long the first n problems are as records.
func (r *refs) bytes(n int) (sum int64) {
	for i := range n {
		sum += int64(r.Length[i])
	}
	return sum
}

// Problems implements [task.Task]: problems are in the order of their files. They are read now.
func (t *Task) Problems(split task.Split, n int) ([]task.Problem, error) {
	list, ok := t.index.Splits[split]
	if !ok {
		return nil, fmt.Errorf("task %s: no split %q: write train, verifier or test", t.format.Name, split)
	}
	n = min(max(n, 0), list.len())
	if size, room := list.bytes(n), dataset.Room(); size > room {
		key := map[task.Split]string{task.Train: "task.train", task.Verifier: "task.verifier_problems", task.Test: "eval.problems"}[split]
		return nil, fmt.Errorf("task %s: the first %d %s problems are %d MiB, and half of the memory that is left is %d MiB: lower %s", t.format.Name, n, split, size>>20, room>>20, key)
	}
	out := make([]task.Problem, n)
	for file, f := range t.files {
		which, places := list.of(file, n)
		if len(places) == 0 {
			continue
		}
		if now := stamp(f); now != t.stamps[file] {
			return nil, fmt.Errorf("task %s: %s has changed since the run began: end it and begin anew", t.format.Name, place(f, 1))
		}
		err := pick(t.ctx, f, places, func(i int, data []byte) (err error) {
			out[which[i]], err = t.problem(data, split, which[i])
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", t.format.Name, err)
		}
	}
	return out, nil
}

// problem reads the problem at a place of a split.
func (t *Task) problem(data []byte, split task.Split, at int) (task.Problem, error) {
	item, err := t.format.Read(data)
	if err != nil {
		return task.Problem{}, err
	}
	if !item.AllFields {
		item.AddRow(data)
	}
	if item.ID == "" {
		item.ID = fmt.Sprintf("%s-%s-%06d", t.format.Name, split, at)
	}
	for _, name := range t.index.Fields {
		if _, has := item.Fields[name]; !has {
			item.Fields[name] = ""
		}
	}
	return item.Problem, nil
}

// Count is how many problems a split has.
func (t *Task) Count(split task.Split) int { return t.index.Splits[split].len() }

// stamp is the same for a file that nobody has changed.
func stamp(f File) string {
	file, ok := f.(dataset.File)
	if !ok {
		return ""
	}
	info, err := os.Stat(file.Path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// each goes through a file with the place of every record.
func each(ctx context.Context, f File, record func(at dataset.Place, data []byte) error) error {
	if file, ok := f.(dataset.File); ok {
		return file.EachAt(ctx, record)
	}
	row := 0
	return f.Each(ctx, func(line int, data []byte) error {
		row++
		return record(dataset.Place{Row: row - 1, Line: line, Length: len(data), Offset: -1}, data)
	})
}

// errAll ends a reading once all that was asked for was read.
var errAll = errors.New("all was read")

// pick reads the records at some places, in their order.
func pick(ctx context.Context, f File, places []dataset.Place, record func(i int, data []byte) error) error {
	if file, ok := f.(dataset.File); ok && !slices.ContainsFunc(places, func(p dataset.Place) bool { return p.Offset < 0 }) {
		return file.Pick(ctx, places, record)
	}
	i := 0
	err := each(ctx, f, func(at dataset.Place, data []byte) error {
		if at.Row != places[i].Row {
			return nil
		}
		if err := record(i, data); err != nil {
			return err
		}
		if i++; i == len(places) {
			return errAll
		}
		return nil
	})
	if errors.Is(err, errAll) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("%s has changed while it was read: begin anew", place(f, 1))
	}
	return err
}
