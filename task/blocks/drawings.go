package blocks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"parley/task"
)

// Fields of problems beside the question. Palettes are numbered by agent, from 1: palette_1, palette_2, …
const (
	FieldWidth         = "width"          // of a drawing, in cells
	FieldHeight        = "height"         // of a drawing
	FieldCommands      = "commands"       // that one agent may give
	FieldPalette       = "palette"        // all blocks: those of one who draws alone
	FieldAloneCommands = "commands_alone" // that such a one may give
	FieldItem          = "item"           // what the scorer needs, in JSON; not for prompts
)

// usualTexts are what is drawn.
var usualTexts = splitting[string]{task.Train: {"I", "HI", "GO", "OX", "CAT", "SUN", "TEAM", "BLUE"}, task.Test: {"JOY", "STAR"}}

// usualPalettes are given to agents in turn.
var usualPalettes = []Palette{{"oak_planks", "stone", air}, {"white_concrete", "obsidian", air}}

const maxCommands = 300 // of all agents together

// A Drawing is an item of StrBuild.
type Drawing struct {
	Text        string    `json:"text,omitempty"`
	Rows        []string  `json:"rows"` // of the glyphs, top-down
	Palettes    []Palette `json:"palettes"`
	MaxCommands int       `json:"max_commands"`
}

// cells are the places of a drawing, each row from the left and rows from the top, with whether a block belongs there.
func (d Drawing) cells() iter.Seq2[cell, bool] {
	return func(yield func(cell, bool) bool) {
		for r, row := range d.Rows {
			for x, mark := range []byte(row) {
				if !yield(cell{x, len(d.Rows) - 1 - r}, mark == '#') {
					return
				}
			}
		}
	}
}

// ReadDrawing reads an item of StrBuild for so many agents: the text to draw, or rows and palettes.
func ReadDrawing(data []byte, agents int) (task.Problem, error) {
	var d Drawing
	if err := json.Unmarshal(data, &d); err != nil {
		return task.Problem{}, err
	}
	if d.Rows == nil {
		rows, err := Rows(strings.ToUpper(d.Text))
		if err != nil {
			return task.Problem{}, fmt.Errorf("%w: write text or rows", err)
		}
		d.Rows = rows
	}
	if len(d.Rows) == 0 || len(d.Rows[0]) == 0 {
		return task.Problem{}, errors.New("rows is empty")
	}
	if d.Palettes == nil {
		d.Palettes = palettesFor(agents)
	}
	if len(d.Palettes) != agents {
		return task.Problem{}, fmt.Errorf("%d palettes for %d agents", len(d.Palettes), agents)
	}
	if d.MaxCommands == 0 {
		d.MaxCommands = maxCommands
	}
	return d.problem()
}

// palettesFor gives a single agent the blocks of a pair.
func palettesFor(agents int) []Palette {
	if agents == 1 {
		return []Palette{union(usualPalettes)}
	}
	out := make([]Palette, agents)
	for i := range out {
		out[i] = usualPalettes[i%len(usualPalettes)]
	}
	return out
}

// union is the palette of one who draws what a team was meant to draw.
func union(palettes []Palette) Palette {
	var all Palette
	for _, p := range palettes {
		for _, block := range p {
			if !slices.Contains(all, block) {
				all = append(all, block)
			}
		}
	}
	return all
}

func (d Drawing) problem() (task.Problem, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return task.Problem{}, err
	}
	p := task.Problem{ID: "strbuild-" + d.Text, Question: d.Text, Fields: map[string]string{
		FieldItem: string(text), FieldWidth: fmt.Sprint(len(d.Rows[0])),
		FieldHeight: fmt.Sprint(len(d.Rows)), FieldCommands: fmt.Sprint(d.MaxCommands / max(len(d.Palettes), 1)),
		FieldPalette: strings.Join(union(d.Palettes), ", "), FieldAloneCommands: fmt.Sprint(d.MaxCommands),
	}}
	for i, palette := range d.Palettes {
		p.Fields[fmt.Sprintf("palette_%d", i+1)] = strings.Join(palette, ", ")
	}
	return p, nil
}

// Drawings is the task strbuild. It implements [task.Task] and [task.JointScorer].
type Drawings struct {
	agents int
	texts  splitting[string]
}

// NewDrawings returns the task for a team of so many agents.
func NewDrawings(agents int) *Drawings { return &Drawings{agents, usualTexts} }

// Name implements [task.Task].
func (t *Drawings) Name() string { return drawings }

// Problems implements [task.Task].
func (t *Drawings) Problems(split task.Split, n int) ([]task.Problem, error) {
	list, err := t.texts.first(split, n)
	if err != nil {
		return nil, fmt.Errorf("task strbuild: %w", err)
	}
	problems := make([]task.Problem, len(list))
	for i, text := range list {
		rows, err := Rows(text)
		if err != nil {
			return nil, fmt.Errorf("task strbuild: %w", err)
		}
		if problems[i], err = (Drawing{text, rows, palettesFor(t.agents), maxCommands}).problem(); err != nil {
			return nil, fmt.Errorf("task strbuild: %w", err)
		}
	}
	return problems, nil
}

// Range implements [task.JointScorer]. That of one agent is that of a pair: their scores, which are shares of it, are compared.
func (t *Drawings) Range() (least, greatest float64) {
	return -2.5 - 0.25*float64(max(t.agents, len(usualPalettes))), 2
}

// drawing is the item of a problem for so many agents: one who draws alone has everybody's blocks.
func (t *Drawings) drawing(p task.Problem, agents int) (d Drawing, err error) {
	if err := json.Unmarshal([]byte(p.Fields[FieldItem]), &d); err != nil {
		return Drawing{}, fmt.Errorf("task strbuild: problem %s: %w", p.ID, err)
	}
	if agents == 1 {
		d.Palettes = []Palette{union(d.Palettes)}
	}
	return d, nil
}

// Score implements [task.JointScorer].
func (t *Drawings) Score(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
	d, err := t.drawing(p, len(responses))
	if err != nil {
		return task.Score{}, err
	}
	s, err := ScoreString(d.Rows, responses, d.Palettes, d.MaxCommands)
	if err != nil {
		return task.Score{}, fmt.Errorf("task strbuild: problem %s: %w", p.ID, err)
	}
	usable := make([]bool, len(responses))
	for i, n := range s.Accepted {
		usable[i] = n > 0
	}
	return task.Score{Reward: s.Reward(), Signals: &task.Signals{Usable: usable, Solved: &s.IoU}, Parts: map[string]float64{
		"coverage": s.Coverage, "extra": s.Extra,
		"same_colour": s.SameColour, "unused_palettes": float64(s.UnusedPalettes), "iou": s.IoU,
	}}, nil
}
