package plotio

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// A pdfCanvas draws on a PDF page (ISO 32000-1). Units are points and the origin is at the lower left, as in package vg. Letters are drawn
// as the outlines that their font has for them: no font is embedded, every character of the font can be shown, and a page takes a few
// kilobytes. Package vgpdf, which embeds fonts, knows the characters of western Europe alone and shows α and → as others.
type pdfCanvas struct {
	size    Size
	content bytes.Buffer
	width   []vg.Length // of lines, a stack; [pdfCanvas.Push] adds to it
	alphas  []uint8     // the opacities that are used, each a graphics state of the page
}

func newPDFCanvas(s Size) *pdfCanvas {
	c := &pdfCanvas{size: s, width: []vg.Length{0}}
	vg.Initialize(c)
	return c
}

func (c *pdfCanvas) op(format string, args ...any) { fmt.Fprintf(&c.content, format+"\n", args...) }

// n writes a number with four decimals at most, and never -0.
func n(x float64) string { return strconv.FormatFloat(math.Round(x*1e4)/1e4+0, 'f', -1, 64) }

// xy writes a place to a hundredth of a point, which is finer than printers are: outlines of letters are most of a page.
func xy(p vg.Point) string {
	var room [32]byte
	b := strconv.AppendFloat(room[:0], math.Round(p.X.Points()*100)/100+0, 'f', -1, 64)
	return string(strconv.AppendFloat(append(b, ' '), math.Round(p.Y.Points()*100)/100+0, 'f', -1, 64))
}

// Size implements [vg.CanvasSizer].
func (c *pdfCanvas) Size() (w, h vg.Length) { return c.size.Width, c.size.Height }

// SetLineWidth implements [vg.Canvas].
func (c *pdfCanvas) SetLineWidth(w vg.Length) {
	c.width[len(c.width)-1] = w
	c.op("%s w", n(w.Points()))
}

// SetLineDash implements [vg.Canvas].
func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	c.content.WriteString("[")
	for _, d := range pattern {
		c.content.WriteString(n(d.Points()) + " ")
	}
	c.op("] %s d", n(offset.Points()))
}

// SetColor implements [vg.Canvas].
func (c *pdfCanvas) SetColor(colour color.Color) {
	if colour == nil {
		colour = color.Black
	}
	x := color.NRGBAModel.Convert(colour).(color.NRGBA)
	parts := fmt.Sprintf("%s %s %s", n(float64(x.R)/255), n(float64(x.G)/255), n(float64(x.B)/255))
	c.op("%s RG %s rg", parts, parts)
	at := slices.Index(c.alphas, x.A)
	if at < 0 {
		at, c.alphas = len(c.alphas), append(c.alphas, x.A)
	}
	c.op("/A%d gs", at)
}

// Rotate implements [vg.Canvas].
func (c *pdfCanvas) Rotate(radians float64) {
	sin, cos := math.Sincos(radians)
	c.op("%s %s %s %s 0 0 cm", n(cos), n(sin), n(-sin), n(cos))
}

// Translate implements [vg.Canvas].
func (c *pdfCanvas) Translate(p vg.Point) { c.op("1 0 0 1 %s cm", xy(p)) }

// Scale implements [vg.Canvas].
func (c *pdfCanvas) Scale(x, y float64) { c.op("%s 0 0 %s 0 0 cm", n(x), n(y)) }

// Push implements [vg.Canvas].
func (c *pdfCanvas) Push() {
	c.width = append(c.width, c.width[len(c.width)-1])
	c.op("q")
}

// Pop implements [vg.Canvas].
func (c *pdfCanvas) Pop() {
	c.width = c.width[:len(c.width)-1]
	c.op("Q")
}

// Stroke implements [vg.Canvas].
func (c *pdfCanvas) Stroke(p vg.Path) {
	if c.width[len(c.width)-1] > 0 && len(p) > 0 {
		c.path(p)
		c.op("S")
	}
}

// Fill implements [vg.Canvas].
func (c *pdfCanvas) Fill(p vg.Path) {
	if len(p) > 0 {
		c.path(p)
		c.op("f")
	}
}

// path writes a path. A curve with one control point becomes one with two.
func (c *pdfCanvas) path(p vg.Path) {
	var at vg.Point
	for i, x := range p {
		switch x.Type {
		case vg.MoveComp:
			c.content.WriteString(xy(x.Pos) + " m\n")
		case vg.LineComp:
			c.content.WriteString(xy(x.Pos) + " l\n")
		case vg.CurveComp:
			first, second := x.Control[0], x.Control[len(x.Control)-1]
			if len(x.Control) == 1 {
				first, second = at.Add(first.Sub(at).Scale(2.0/3)), x.Pos.Add(first.Sub(x.Pos).Scale(2.0/3))
			}
			c.content.WriteString(xy(first) + " " + xy(second) + " " + xy(x.Pos) + " c\n")
		case vg.ArcComp:
			at = c.arc(x, i == 0)
			continue
		case vg.CloseComp:
			c.op("h")
			continue
		}
		at = x.Pos
	}
}

// arc writes an arc in parts of a quarter circle at most, each a cubic curve, and returns its end.
func (c *pdfCanvas) arc(x vg.PathComp, first bool) vg.Point {
	on := func(angle float64) (at, ahead vg.Point) {
		sin, cos := math.Sincos(angle)
		at = x.Pos.Add(vg.Point{X: x.Radius * vg.Length(cos), Y: x.Radius * vg.Length(sin)})
		return at, vg.Point{X: -x.Radius * vg.Length(sin), Y: x.Radius * vg.Length(cos)}
	}
	parts := max(1, int(math.Ceil(math.Abs(x.Angle)/(math.Pi/2))))
	step := x.Angle / float64(parts)
	reach := vg.Length(4.0 / 3 * math.Tan(step/4)) // of a control point, along the tangent
	at, ahead := on(x.Start)
	c.op("%s %s", xy(at), map[bool]string{true: "m", false: "l"}[first])
	for i := range parts {
		end, beyond := on(x.Start + step*float64(i+1))
		c.op("%s %s %s c", xy(at.Add(ahead.Scale(reach))), xy(end.Sub(beyond.Scale(reach))), xy(end))
		at, ahead = end, beyond
	}
	return at
}

// FillString implements [vg.Canvas]: it fills the outlines of the text's letters.
func (c *pdfCanvas) FillString(face font.Face, at vg.Point, text string) {
	const em = 2048 // parts of the letters' size in which outlines are asked for
	scale := face.Font.Size / em
	for i, letter := range text {
		index, err := face.Face.GlyphIndex(nil, letter)
		if err != nil {
			continue
		}
		outline, err := face.Face.LoadGlyph(nil, index, em<<6, nil)
		if err != nil {
			continue
		}
		origin := at.Add(vg.Point{X: face.Width(text[:i])})
		var p vg.Path
		for _, s := range outline {
			var points [3]vg.Point
			for k, a := range s.Args { // y points down
				points[k] = origin.Add(vg.Point{X: vg.Length(a.X) / 64 * scale, Y: -vg.Length(a.Y) / 64 * scale})
			}
			switch s.Op { // move, line, curve with one control point, with two
			case 0:
				p.Move(points[0])
			case 1:
				p.Line(points[0])
			case 2:
				p.QuadTo(points[0], points[1])
			case 3:
				p.CubeTo(points[0], points[1], points[2])
			}
		}
		c.Fill(p)
	}
}

// DrawImage implements [vg.Canvas].
func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) {
	panic("internal error: images in PDF pictures are not written")
}

// WriteTo implements [io.WriterTo]: it writes the page as a file without any date.
func (c *pdfCanvas) WriteTo(w io.Writer) (int64, error) {
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	if err == nil {
		_, err = z.Write(c.content.Bytes())
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return 0, err
	}
	var states bytes.Buffer
	for i, a := range c.alphas {
		fmt.Fprintf(&states, "/A%d << /ca %s /CA %s >> ", i, n(float64(a)/255), n(float64(a)/255))
	}
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %s %s] /Contents 4 0 R /Resources << /ExtGState << %s>> >> >>",
			n(c.size.Width.Points()), n(c.size.Height.Points()), states.String()),
		fmt.Sprintf("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", packed.Len(), packed.String()),
	}
	return pdfFile(objects).WriteTo(w)
}

// pdfFile numbers the objects of a file and adds the table of where they begin. The first one is the catalog.
func pdfFile(objects []string) *bytes.Buffer {
	b := bytes.NewBufferString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	starts := make([]int, len(objects))
	for i, o := range objects {
		starts[i] = b.Len()
		fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, start := range starts {
		fmt.Fprintf(b, "%010d 00000 n \n", start)
	}
	fmt.Fprintf(b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return b
}
