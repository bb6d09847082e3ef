package lessons

import (
	"fmt"
	"slices"
	"strings"

	"parley/engine"
)

// parts are the pieces of a text; one that has none is one piece.
func (t text) parts() []string {
	if t.pieces == nil {
		return []string{t.Said}
	}
	return t.pieces
}

// repeat are the texts with what a team said in the place of nothing: the texts of all who are listened to, with join between them.
func repeat(texts []text, said [][]read, join string) []text {
	out := make([]text, len(texts))
	for i, t := range texts {
		for k, r := range said[i] {
			if k > 0 {
				t.pieces = append(t.pieces, join)
			}
			t.pieces = append(t.pieces, r.Spoken.Said)
		}
		t.Said = strings.Join(t.pieces, "")
		out[i] = t
	}
	return out
}

// byProblem are reads by the text that they belong to: what several agents said of one problem stands in a row.
func byProblem(reads []read) (out [][]read) {
	for i, r := range reads {
		if i == 0 || r.ID != reads[i-1].ID {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], r)
	}
	return out
}

// together is what several said as one text: its cross-entropy is the mean over the tokens of all.
func together(reads []read) read {
	all := read{ID: reads[0].ID}
	sum := 0.0
	for _, r := range reads {
		all.Tokens = append(all.Tokens, r.Tokens...)
		sum += r.CE * float64(len(r.Tokens))
	}
	all.CE = sum / float64(max(1, len(all.Tokens)))
	return all
}

// joined are the texts of all problems, each as one.
func joined(said [][]read) []read {
	out := make([]read, len(said))
	for i, reads := range said {
		out[i] = together(reads)
	}
	return out
}

// A joint aligns what several agents said with one text of the student: theirs, with join between them.
//
// Each agent's part has the distributions of that agent, given what the agent was asked. Where an agent would end and another follows, the student
// goes on with the first token of join; the rest of join is certain. So the student's target is exactly the distribution of the joined text.
type joint struct {
	student *reader
	join    []int                  // in the student's tokens
	aligner func(base int) aligner // of the team's bases
}

// joint is how a team's texts are aligned.
func (l *Lessons) joint(o office, t *trained, join string) (*joint, error) {
	j := &joint{student: l.student}
	if join != "" {
		ids, err := l.student.model.Encode(join)
		if err != nil {
			return nil, fmt.Errorf("distil.join: %w", err)
		}
		j.join = ids
	}
	known := map[int]aligner{}
	j.aligner = func(base int) aligner {
		if _, ok := known[base]; !ok {
			known[base] = newAligner(o.settings, l.student.model, t.Bases[base].Model)
		}
		return known[base]
	}
	return j, nil
}

// rows returns the distribution before every token of the student's text.
func (j *joint) rows(start read, said []read) (out [][]engine.Target, err error) {
	at := 0
	for k, r := range said {
		ids, err := j.student.model.Encode(r.Spoken.Said)
		if err != nil {
			return nil, fmt.Errorf("text of problem %s: %w", r.ID, err)
		}
		a := j.aligner(r.Spoken.Base)
		part := read{ID: r.ID, Tokens: append(slices.Clone(start.Tokens[at:at+len(ids)]), a.student), Top: start.Top[at : at+len(ids)+1]}
		rows, err := a.rows(part, r)
		if err != nil {
			return nil, err
		}
		if at += len(ids) + 1; k < len(said)-1 {
			rows = j.goOn(rows, a.student)
			at += len(j.join) - 1
		}
		out = append(out, rows...)
	}
	return out, nil
}

// goOn are the rows of a part that another follows: join stands where the part would end.
func (j *joint) goOn(rows [][]engine.Target, end int) [][]engine.Target {
	for _, row := range rows {
		move(row, end, j.join[0])
	}
	for _, id := range j.join[1:] {
		rows = append(rows, []engine.Target{{Token: id, Mass: 1}})
	}
	return rows
}

// move gives the mass of one token to another.
func move(row []engine.Target, from, to int) {
	place := func(token int) int {
		return slices.IndexFunc(row, func(t engine.Target) bool { return t.Token == token })
	}
	switch f, t := place(from), place(to); {
	case f < 0:
	case t < 0:
		row[f].Token = to
	default:
		row[t].Mass += row[f].Mass
		row[f].Mass = 0
	}
}
