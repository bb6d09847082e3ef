package picture

import (
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"parley/internal/plotio"
	"parley/team/workflow"
)

// Sizes in points: at the width of a page, nothing is smaller than 8 points.
const (
	rowHeight   = 16
	columnWidth = 16
	lapWidth    = 22 // of a loop at the left
	gap         = 8  // between parts
	lineHeight  = 13 // of the key
	narrowest   = 300
)

// A Picture is a workflow drawn. It implements [plotio.Drawing].
type Picture struct {
	table
	key    []entry
	lines  []string // of the notes, below
	deep   int      // loops in each other
	turns  vg.Length
	labels vg.Length // widths of what stands beside the matrix, and its height above it
	asked  vg.Length
	heads  vg.Length
	beside vg.Length
}

// Of draws the workflow of a recipe with this name.
func Of(name string, w *workflow.Workflow) (*Picture, error) {
	t, err := tableOf(name, w)
	if err != nil {
		return nil, err
	}
	p := &Picture{table: t, turns: width("turn", small), labels: width("asked", small)}
	for _, r := range t.rows {
		p.deep = max(p.deep, len(r.laps))
		p.labels, p.asked = max(p.labels, width(r.label, normal)), max(p.asked, width(r.asked, small))
	}
	for _, c := range t.columns {
		p.heads = max(p.heads, width(c.head, normal))
	}
	p.key = t.entries()
	for _, e := range p.key {
		p.beside = max(p.beside, columnWidth+gap+width(e.text, small))
	}
	p.lines = p.wrapped()
	return p, nil
}

// Sizes of letters, in points.
const small, normal, large = 9, 10, 12

func lettered(points float64) text.Style {
	s := text.Style{Color: plotio.Black, Handler: text.Plain{Fonts: font.DefaultCache}}
	plotio.Lettered(&s, points)
	return s
}

func width(s string, points float64) vg.Length {
	style := lettered(points)
	return style.Width(s)
}

// matrix is how wide the matrix itself is.
func (p *Picture) matrix() vg.Length { return vg.Length(columnWidth * max(len(p.columns), 1)) }

// before is what stands at the left of the matrix.
func (p *Picture) before() vg.Length {
	return vg.Length(lapWidth*p.deep) + p.turns + gap + p.labels + gap
}

// across is how wide all of it is.
func (p *Picture) across() vg.Length {
	wide := p.before() + p.matrix()
	if p.asked > 0 {
		wide += gap + p.asked
	}
	return max(wide+2*gap+p.beside, width(p.title, large), narrowest)
}

// top is what stands above the first row: the title, and the heads of the columns.
func (p *Picture) top() vg.Length { return 24 + p.heads + gap }

// Size is that of the picture.
func (p *Picture) Size() plotio.Size {
	rows := vg.Length(rowHeight * len(p.rows))
	key := vg.Length(lineHeight * len(p.key))
	below := vg.Length(0)
	if len(p.lines) > 0 {
		below = gap + vg.Length(lineHeight*len(p.lines))
	}
	return plotio.Size{Width: p.across() + 2*plotio.Margin, Height: max(p.top()+rows, 24+key) + below + 2*plotio.Margin}
}

// wrapped are the notes as lines that are as wide as the picture at most. A line that goes on is moved in.
func (p *Picture) wrapped() []string {
	var lines []string
	for _, n := range p.notes {
		line := n.what
		for _, word := range strings.Fields(n.text) {
			for _, part := range p.parts(word) {
				if longer := line + " " + part; width(longer, small) <= p.across() {
					line = longer
					continue
				}
				lines, line = append(lines, line), "     "+part
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// parts are a word, cut where it is wider than a line.
func (p *Picture) parts(word string) []string {
	var out []string
	part := ""
	for _, letter := range word {
		if width("     "+part+string(letter), small) > p.across() {
			out, part = append(out, part), ""
		}
		part += string(letter)
	}
	return append(out, part)
}
