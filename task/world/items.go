package world

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/task"
	"parley/task/dataset"
)

// truths are the keys of a row that hold what is right: reset gets them, and no prompt does.
var truths = []string{"truth", "answer"}

// Hides implements [task.Hider].
func (Settings) Hides(key string) bool { return key == "question" || slices.Contains(truths, key) }

// Opens implements [task.Hider].
func (Settings) Opens(string) bool { return false }

// A row is an item of the user's.
type row struct {
	problem task.Problem
	item    map[string]json.RawMessage
	said    string // all of the row
	key     string // what the row says, without its id: seeds are ids
}

// readRow reads a record. A row without a question is asked by what it says.
func readRow(_ int, record []byte) (row, error) {
	var r row
	if err := json.Unmarshal(record, &r.item); err != nil || r.item == nil {
		return r, fmt.Errorf("an item is a JSON object, not %.40q", record)
	}
	r.said, r.key = without(r.item), without(r.item, "id")
	if json.Unmarshal(r.item["question"], &r.problem.Question) != nil || strings.TrimSpace(r.problem.Question) == "" {
		r.problem.Question = without(r.item, append([]string{"id"}, truths...)...)
	}
	r.problem.AddRow(record)
	for _, key := range truths {
		if text, has := r.problem.Fields[key]; has {
			r.problem.Truth = text
			delete(r.problem.Fields, key)
		}
	}
	return r, nil
}

// without is an item in JSON, its keys in order, but for some of them.
func without(item map[string]json.RawMessage, keys ...string) string {
	item = maps.Clone(item)
	for _, key := range keys {
		delete(item, key)
	}
	text, err := json.Marshal(item)
	if err != nil {
		panic("internal error: " + err.Error()) // it was read as JSON
	}
	return string(text)
}

// load reads the user's file: the problems of both splits, and the item of each problem by its id.
func (t *Task) load(ctx context.Context, path, cache string) (items map[string]json.RawMessage, err error) {
	set, err := dataset.Open(path, cache)
	if err != nil {
		return nil, err
	}
	files, err := set.Halves()
	if err != nil {
		return nil, err
	}
	train, err := dataset.Records(ctx, files.Train, readRow)
	if err != nil {
		return nil, err
	}
	var held []row
	t.notes = files.Note()
	if len(files.Held) > 0 {
		held, err = dataset.Records(ctx, files.Held, readRow)
	} else {
		train, held = cut(train)
		t.notes = fmt.Sprintf("no file is held out: %d of %d items are, by a hash of each", len(held), len(train)+len(held))
	}
	if err != nil {
		return nil, err
	}
	return t.divide(train, held)
}

// cut holds one row in five out, by a hash of what it says. Its id counts where rows say the same but for it.
func cut(all []row) (train, held []row) {
	ids := map[string]string{} // of what a row says, the first id; empty: there are several
	for _, r := range all {
		id := string(r.item["id"])
		if first, known := ids[r.key]; known && first != id {
			id = ""
		}
		ids[r.key] = id
	}
	keys := make([]string, len(all))
	for i, r := range all {
		if keys[i] = r.key; ids[r.key] == "" {
			keys[i] = r.said
		}
	}
	return dataset.Divide(all, keys)
}

// divide names the problems. A row that is another one once more is left out; held-out ones have precedence.
func (t *Task) divide(train, held []row) (map[string]json.RawMessage, error) {
	items, seen := map[string]json.RawMessage{}, map[string]task.Split{}
	t.splits = map[task.Split][]task.Problem{}
	alike := 0
	for _, half := range []struct {
		split task.Split
		rows  []row
	}{{task.Test, held}, {task.Train, train}} {
		for i, r := range half.rows {
			if by, known := seen[r.said]; known {
				if by != half.split {
					t.leftOut++
				} else {
					alike++
				}
				continue
			}
			seen[r.said] = half.split
			if r.problem.ID == "" {
				r.problem.ID = fmt.Sprintf("%s-%d", half.split, i+1)
				r.item["id"] = json.RawMessage(fmt.Sprintf("%q", r.problem.ID))
			}
			if items[r.problem.ID] != nil {
				return nil, fmt.Errorf("two items have the id %q: give each its own, or none", r.problem.ID)
			}
			items[r.problem.ID] = json.RawMessage(without(r.item))
			t.splits[half.split] = append(t.splits[half.split], r.problem)
		}
	}
	if alike > 0 {
		t.notes = strings.TrimPrefix(fmt.Sprintf("%s; left out: %d that say what another item says", t.notes, alike), "; ")
	}
	if n, m := len(t.splits[task.Train]), len(t.splits[task.Test]); n == 0 || m == 0 {
		return nil, fmt.Errorf("%d training and %d held-out items: both are needed", n, m)
	}
	return items, nil
}
