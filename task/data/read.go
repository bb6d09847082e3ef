package data

import (
	"fmt"
	"strings"

	"parley/task"
	"parley/task/dataset/record"
	"parley/task/labelled"
)

// read makes a problem of a row.
func (s Settings) read(data []byte) (labelled.Item, error) {
	r, err := record.Parse(data)
	if err != nil {
		return labelled.Item{}, err
	}
	question, err := r.Required(string(s.Question))
	if err != nil {
		return labelled.Item{}, fmt.Errorf("%w; task.question names the key of the question", err)
	}
	id, err := r.Text("id")
	if err != nil {
		return labelled.Item{}, err
	}
	p := task.Problem{ID: strings.TrimSpace(id), Question: strings.TrimSpace(question), Fields: s.fields(r)}
	if s.Match == None {
		return labelled.Item{Problem: p, AllFields: true}, nil
	}
	right, err := r.Required(string(s.Answer))
	if err != nil {
		return labelled.Item{}, fmt.Errorf("%w; task.answer names the key of the right answer", err)
	}
	if s.Match == Choice {
		options, err := s.options(p)
		if err != nil {
			return labelled.Item{}, err
		}
		if p.Canonical, err = options.right(right, isInteger(r.Value(string(s.Answer)))); err != nil {
			return labelled.Item{}, err
		}
		p.Question = options.asked(p.Question)
	} else if p.Canonical, err = s.rightForm(right); err != nil {
		return labelled.Item{}, err
	}
	if p.Truth = right; p.Canonical == p.Truth {
		p.Canonical = ""
	}
	return labelled.Item{Problem: p, AllFields: true}, nil
}

// fields are all other keys of a row, as texts.
func (s Settings) fields(r record.Record) map[string]string {
	fields := map[string]string{}
	for _, key := range r.Keys() {
		if key != string(s.Question) && (key != string(s.Answer) || s.Match == None) {
			fields[key] = r.Plain(key)
		}
	}
	return fields
}

// complete gives every problem every field that one of them has: where a row lacks it, it is empty.
func complete(t *labelled.Task) {
	var all []task.Problem
	for _, split := range []task.Split{task.Train, task.Verifier, task.Test} {
		list, err := t.Problems(split, everything)
		if err != nil {
			panic("internal error: " + err.Error()) // these are its splits
		}
		all = append(all, list...)
	}
	names := map[string]bool{}
	for _, p := range all {
		for key := range p.Fields {
			names[key] = true
		}
	}
	for _, p := range all {
		for key := range names {
			if _, has := p.Fields[key]; !has {
				p.Fields[key] = ""
			}
		}
	}
}

// everything is more problems than a set has.
const everything = 1 << 40
