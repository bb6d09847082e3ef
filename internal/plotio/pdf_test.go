package plotio

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// content checks the form of a PDF file, and returns what is drawn on its page.
func content(t *testing.T, file []byte) string {
	t.Helper()
	tail := regexp.MustCompile(`(?s)startxref\n(\d+)\n%%EOF\n$`).FindSubmatch(file)
	if tail == nil {
		t.Fatal("no end")
	}
	table, _ := strconv.Atoi(string(tail[1]))
	if !bytes.HasPrefix(file[table:], []byte("xref\n0 5\n0000000000 65535 f \n")) {
		t.Fatalf("no table at %d", table)
	}
	for i, entry := range strings.Split(string(file[table:]), "\n")[3:7] {
		at, err := strconv.Atoi(entry[:10])
		if err != nil || len(entry) != 19 || !bytes.HasPrefix(file[at:], fmt.Appendf(nil, "%d 0 obj\n", i+1)) {
			t.Fatalf("object %d is not at %q, %v", i+1, entry, err)
		}
	}
	stream := regexp.MustCompile(`(?s)/Length (\d+) /Filter /FlateDecode >>\nstream\n(.*)\nendstream`).FindSubmatch(file)
	if stream == nil || strconv.Itoa(len(stream[2])) != string(stream[1]) {
		t.Fatal("no stream, or of another length")
	}
	z, err := zlib.NewReader(bytes.NewReader(stream[2]))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPDF: the file has the form that readers expect, all states that are saved are restored, and letters beyond those of western Europe
// have outlines of their own.
func TestPDF(t *testing.T) {
	page := func(title string) string {
		p := plot.New()
		p.Title.Text = title
		Lettered(&p.Title.TextStyle, 13)
		file, err := PDF(p, Size{Width: 4 * vg.Inch, Height: 2 * vg.Inch})
		if err != nil {
			t.Fatal(err)
		}
		return content(t, file)
	}
	alpha, a := page("α → β"), page("")
	if strings.Count(alpha, " c\n") <= strings.Count(a, " c\n") || alpha == page("? ? ?") {
		t.Error("Greek letters are not drawn")
	}
	if strings.Count(alpha, "q\n") != strings.Count(alpha, "Q\n") || strings.Contains(alpha, "NaN") {
		t.Error("states are saved and not restored, or a number is none")
	}
}

// TestPDFArc: a full circle ends where it begins and keeps its distance from the middle.
func TestPDFArc(t *testing.T) {
	c := newPDFCanvas(Size{Width: vg.Inch, Height: vg.Inch})
	c.content.Reset()
	var p vg.Path
	p.Move(vg.Point{X: 30, Y: 20})
	p.Arc(vg.Point{X: 20, Y: 20}, 10, 0, 6.283185307179586)
	p.Close()
	c.Fill(p)
	lines := strings.Split(strings.TrimSpace(c.content.String()), "\n")
	if len(lines) != 8 || lines[0] != "30 20 m" || !strings.HasSuffix(lines[2], " 20 30 c") || !strings.HasSuffix(lines[5], " 30 20 c") || lines[7] != "f" {
		t.Errorf("circle %q", lines)
	}
}
