package scalars

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"parley/runs/store"
)

// A Reader takes the lines of one file apart, a column for every name of a number. Most lines of a file have the same form, that is the same names and
// texts in the same places: of those the numbers alone are read. A line of another form is read as [Of] reads it.
type Reader struct {
	Names []string // of the columns, in the order in which they came up

	columns map[string]int
	forms   []*form
	line    []Place
}

// A Place is a number of a line.
type Place struct {
	Column int
	Value  float64
}

// A hostile file has as many forms as lines, and as many names as numbers.
const (
	mostForms = 16
	mostNames = 2000
)

// Read takes a line apart. Not ok: it is no object with an update, or has a number that is none.
func (r *Reader) Read(line []byte) (update int, ok bool) {
	for i, f := range r.forms {
		if update, ok = r.as(f, line); ok {
			copy(r.forms[1:i+1], r.forms[:i]) // the next line is likely to be like this one
			r.forms[0] = f
			return update, true
		}
	}
	list, err := Of(line)
	if update, ok = store.UpdateOf(line); !ok || err != nil {
		return 0, false
	}
	r.line = r.line[:0]
	for _, s := range list {
		if column, ok := r.column(s.Name); ok {
			r.line = append(r.line, Place{column, s.Value})
		}
	}
	if len(r.forms) < mostForms {
		if f := r.form(line, update, list); f != nil {
			r.forms = append(r.forms, f)
		}
	}
	return update, true
}

// Line are the numbers of the line that was read last, until the next one is.
func (r *Reader) Line() []Place { return r.line }

func (r *Reader) column(name string) (int, bool) {
	i, ok := r.columns[name]
	if ok || len(r.Names) >= mostNames {
		return i, ok
	}
	if r.columns == nil {
		r.columns = map[string]int{}
	}
	i = len(r.Names)
	r.columns[name], r.Names = i, append(r.Names, name)
	return i, true
}

// A form is a line without its numbers: the texts around them, and the column of each.
type form struct {
	texts   [][]byte
	columns []int
}

// isUpdate stands in the place of a column: the number is the update of the line.
const isUpdate = -1

// as reads a line of a form; not ok: it is of another one.
func (r *Reader) as(f *form, line []byte) (update int, ok bool) {
	r.line = r.line[:0]
	for i, column := range f.columns {
		if !bytes.HasPrefix(line, f.texts[i]) {
			return 0, false
		}
		line = line[len(f.texts[i]):]
		n := numberOf(line)
		var err error
		if column == isUpdate {
			update, err = strconv.Atoi(string(line[:n]))
		} else {
			var x float64
			x, err = strconv.ParseFloat(string(line[:n]), 64)
			r.line = append(r.line, Place{column, x})
		}
		if err != nil {
			return 0, false
		}
		line = line[n:]
	}
	return update, bytes.Equal(line, f.texts[len(f.columns)])
}

// numberOf is the length of the number of JSON that a text begins with; 0: it begins with none.
func numberOf(text []byte) int {
	end, whole := 0, 0
	digits := func() bool {
		from := end
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		return end > from
	}
	is := func(any string) bool {
		if end < len(text) && strings.IndexByte(any, text[end]) >= 0 {
			end++
			return true
		}
		return false
	}
	is("-")
	if whole = end; !digits() || text[whole] == '0' && end > whole+1 {
		return 0
	}
	if is(".") && !digits() {
		return 0
	}
	if is("eE") {
		if is("+-"); !digits() {
			return 0
		}
	}
	return end
}

// form is that of a line with these numbers; nil: it cannot be told by the texts around them, as of a line that has a name twice.
func (r *Reader) form(line []byte, update int, list []Scalar) *form {
	f, found, from, updates := &form{}, []Scalar{}, 0, 0
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	at := path{}
	for {
		token, err := dec.Token()
		if err != nil {
			break // the end: what is no JSON has no numbers either
		}
		text, isNumber := token.(json.Number)
		name := at.step(token)
		if len(at) == 1 && at[0].named && strings.EqualFold(at[0].name, "update") {
			updates++
		}
		if !isNumber {
			continue
		}
		end := int(dec.InputOffset())
		f.texts = append(f.texts, line[from:end-len(text)])
		column, known := isUpdate, true
		if name != "update" {
			column, known = r.column(name)
			x, _ := text.Float64() // that it is one, the list says
			found = append(found, Scalar{name, x})
		} else if n, err := text.Int64(); err != nil || int(n) != update {
			return nil
		}
		if !known {
			return nil
		}
		f.columns, from = append(f.columns, column), end
	}
	f.texts = append(f.texts, line[from:])
	for i := range f.texts {
		f.texts[i] = bytes.Clone(f.texts[i])
	}
	byName := func(a, b Scalar) int { return strings.Compare(a.Name, b.Name) }
	slices.SortFunc(found, byName)
	list = slices.SortedFunc(slices.Values(list), byName)
	once := len(slices.CompactFunc(slices.Clone(list), func(a, b Scalar) bool { return a.Name == b.Name })) == len(list)
	if updates != 1 || !once || !slices.Equal(found, list) {
		return nil
	}
	return f
}

// A path is where a reader of tokens is: the objects and lists around it.
type path []level

type level struct {
	list  bool
	n     int    // of a list: the element
	name  string // of an object
	named bool   // the name was just read: what comes is not its value yet
}

// step goes on by a token, and returns the name of the value that it is.
func (p *path) step(token json.Token) string {
	if token == json.Delim('}') || token == json.Delim(']') {
		*p = (*p)[:len(*p)-1]
		p.valued()
		return ""
	}
	if len(*p) > 0 {
		if top := &(*p)[len(*p)-1]; top.list {
			top.n++
		} else if !top.named {
			top.name, top.named = token.(string), true
			return ""
		}
	}
	if token == json.Delim('{') || token == json.Delim('[') {
		*p = append(*p, level{list: token == json.Delim('[')})
		return ""
	}
	name := p.String()
	p.valued()
	return name
}

// valued says that the value of a name was read.
func (p *path) valued() {
	if len(*p) > 0 {
		(*p)[len(*p)-1].named = false
	}
}

func (p *path) String() string {
	parts := make([]string, len(*p))
	for i, l := range *p {
		if parts[i] = l.name; l.list {
			parts[i] = fmt.Sprint(l.n)
		}
	}
	return strings.Join(parts, "/")
}
