package picture

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"parley/internal/plotio"
)

var (
	band  = color.Gray{Y: 0xf1} // behind every other turn
	lines = color.Gray{Y: 0xc8}
)

// Draw implements [plotio.Drawing].
func (p *Picture) Draw(c draw.Canvas) {
	say(c, p.title, c.Min.X, c.Max.Y, lettered(large), text.XLeft, text.YTop)
	left, top := c.Min.X+p.before(), c.Max.Y-p.top()
	p.bands(c, c.Min.X, top)
	p.grid(c, left, top)
	p.drawHeads(c, left, top)
	p.drawLaps(c, top)
	for i, r := range p.rows {
		p.drawRow(c, r, p.turnAt(i), left, top-rowHeight*(vg.Length(i)+0.5))
	}
	p.drawKey(c, c.Min.X+p.across()-p.beside, c.Max.Y-24)
	for i, line := range p.lines {
		say(c, line, c.Min.X, c.Min.Y+lineHeight*(vg.Length(len(p.lines)-i)-0.5), lettered(small), text.XLeft, text.YCenter)
	}
}

func say(c draw.Canvas, s string, x, y vg.Length, style text.Style, across text.XAlignment, along text.YAlignment) {
	style.XAlign, style.YAlign = across, along
	if along == text.YCenter && style.Rotation == 0 {
		y++ // the room below the line has few letters in it
	}
	c.FillText(style, vg.Point{X: x, Y: y}, s)
}

// bands are behind every other turn, so that rows can be followed to their marks.
func (p *Picture) bands(c draw.Canvas, left, top vg.Length) {
	right := left + p.before() + p.matrix()
	if p.asked > 0 {
		right += gap + p.asked
	}
	dark := true
	for i, r := range p.rows {
		if i == 0 || r.turn == 0 || r.turn != p.rows[i-1].turn {
			dark = !dark
		}
		if dark {
			y := top - vg.Length(rowHeight*i)
			c.FillPolygon(band, []vg.Point{{X: left + vg.Length(lapWidth*p.deep), Y: y}, {X: right, Y: y}, {X: right, Y: y - rowHeight}, {X: left + vg.Length(lapWidth*p.deep), Y: y - rowHeight}})
		}
	}
}

// grid is the lines between columns, and one above the first row.
func (p *Picture) grid(c draw.Canvas, left, top vg.Length) {
	style := draw.LineStyle{Color: lines, Width: vg.Points(0.5)}
	bottom := top - vg.Length(rowHeight*len(p.rows))
	for i := range len(p.columns) + 1 {
		x := left + vg.Length(columnWidth*i)
		c.StrokeLine2(style, x, top, x, bottom)
	}
	c.StrokeLine2(style, left, top, left+p.matrix(), top)
	c.StrokeLine2(style, left, bottom, left+p.matrix(), bottom)
}

func (p *Picture) drawHeads(c draw.Canvas, left, top vg.Length) {
	upright := lettered(normal)
	upright.Rotation = math.Pi / 2
	for i, column := range p.columns {
		say(c, column.head, left+columnWidth*(vg.Length(i)+0.5), top+gap/2, upright, text.XLeft, text.YCenter)
	}
	light := lettered(small)
	light.Color = color.Gray{Y: 0x60}
	x := c.Min.X + vg.Length(lapWidth*p.deep)
	say(c, "turn", x, top+gap/2, light, text.XLeft, text.YBottom)
	say(c, "asked", x+p.turns+gap, top+gap/2, light, text.XLeft, text.YBottom)
}

// drawLaps are the rounds of loops: a bracket at the left of their rows, with the loop's letter and the number of the round.
func (p *Picture) drawLaps(c draw.Canvas, top vg.Length) {
	for deep := range p.deep {
		x := c.Min.X + vg.Length(lapWidth*deep)
		for from := 0; from < len(p.rows); {
			to := from + 1
			for to < len(p.rows) && p.sameLap(from, to, deep) {
				to++
			}
			if len(p.rows[from].laps) > deep {
				p.drawLap(c, p.rows[from].laps[deep], x, top-vg.Length(rowHeight*from), top-vg.Length(rowHeight*to))
			}
			from = to
		}
	}
}

// sameLap says that two rows are in one round of one loop.
func (p *Picture) sameLap(a, b, deep int) bool {
	one, other := p.rows[a].laps, p.rows[b].laps
	if len(one) <= deep || len(other) <= deep {
		return len(one) <= deep && len(other) <= deep
	}
	for i := range deep + 1 {
		if one[i] != other[i] {
			return false
		}
	}
	return true
}

func (p *Picture) drawLap(c draw.Canvas, l lap, x, top, bottom vg.Length) {
	style := draw.LineStyle{Color: plotio.Black, Width: vg.Points(1)}
	right, inset := x+lapWidth-gap/2, vg.Length(2.5)
	c.StrokeLines(style, []vg.Point{{X: right, Y: top - inset}, {X: right - 3, Y: top - inset}, {X: right - 3, Y: bottom + inset}, {X: right, Y: bottom + inset}})
	say(c, l.String(), right-5, (top+bottom)/2, lettered(small), text.XRight, text.YCenter)
}

// turnAt is the number of a row's turn where the turn begins; empty elsewhere.
func (p *Picture) turnAt(i int) string {
	if r := p.rows[i]; r.turn > 0 && (i == 0 || p.rows[i-1].turn != r.turn) {
		return fmt.Sprint(r.turn)
	}
	return ""
}

func (p *Picture) drawRow(c draw.Canvas, r row, turn string, left, y vg.Length) {
	x := c.Min.X + vg.Length(lapWidth*p.deep)
	say(c, turn, x+p.turns, y, lettered(normal), text.XRight, text.YCenter)
	label := lettered(normal)
	if r.kind != ask {
		label.Color = color.Gray{Y: 0x50}
	}
	say(c, r.label, x+p.turns+gap, y, label, text.XLeft, text.YCenter)
	say(c, r.asked, left+p.matrix()+gap, y, lettered(small), text.XLeft, text.YCenter)
	for i, column := range p.columns {
		for _, m := range r.marks[i] {
			m.draw(c, vg.Point{X: left + columnWidth*(vg.Length(i)+0.5), Y: y}, colorOf(column.agent))
		}
	}
}

// colorOf tells agents apart, as far as there are colors; their names stand beside them anyway.
func colorOf(agent int) color.Color {
	if agent == nobody {
		return plotio.Black
	}
	return plotio.Palette[agent%(len(plotio.Palette)-1)]
}

// draw draws a mark.
func (m mark) draw(c draw.Canvas, at vg.Point, of color.Color) {
	style := draw.GlyphStyle{Color: of, Radius: vg.Points(4)}
	switch m {
	case given:
		style.Shape = diamond{}
	case spoken:
		style.Shape = draw.CircleGlyph{}
	case report:
		style.Shape, style.Radius = draw.RingGlyph{}, vg.Points(6)
	case noted:
		style.Shape, style.Radius = draw.PlusGlyph{}, vg.Points(5)
	case own:
		style.Shape = draw.BoxGlyph{}
	case others:
		style.Shape = draw.SquareGlyph{}
	case taken:
		style.Shape = draw.PyramidGlyph{}
	case some:
		style.Color, style.Shape = plotio.Grey, draw.CircleGlyph{}
	}
	c.DrawGlyph(style, at)
}

// A diamond is filled.
type diamond struct{}

// DrawGlyph implements [draw.GlyphDrawer].
func (diamond) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	r := s.Radius * 1.2
	c.FillPolygon(s.Color, []vg.Point{{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y - r}})
}

// An entry of the key.
type entry struct {
	mark mark
	text string
}

// entries are those of the marks that a table has.
func (t table) entries() []entry {
	var out []entry
	for _, e := range []entry{
		{given, "shown, of the problem"},
		{spoken, "shown, as it was said"},
		{report, "the report on it is shown"},
		{noted, "shown, as it was noted"},
		{own, "shown, as the agent observes it"},
		{others, "shown, as others observe it"},
		{taken, "is handed over"},
		{some, "some of what is left out"},
	} {
		if t.has(e.mark) {
			out = append(out, e)
		}
	}
	return out
}

func (t table) has(m mark) bool {
	for _, r := range t.rows {
		for _, list := range r.marks {
			if slices.Contains(list, m) {
				return true
			}
		}
	}
	return false
}

// drawKey stands beside the matrix.
func (p *Picture) drawKey(c draw.Canvas, left, top vg.Length) {
	for i, e := range p.key {
		y := top - lineHeight*(vg.Length(i)+0.5)
		e.mark.draw(c, vg.Point{X: left + columnWidth/2, Y: y}, plotio.Black)
		say(c, e.text, left+columnWidth+gap, y, lettered(small), text.XLeft, text.YCenter)
	}
}
