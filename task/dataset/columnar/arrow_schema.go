package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// A column is one of the schema's, or what nests in one.
type column struct {
	name     string
	layout   layout
	width    int64                          // of a value in bytes; of an offset; of a list that is as long as all others
	convert  func(data []byte) (any, error) // where values are bytes
	children []*column
	index    *column // of values that stand in a dictionary
	id       int64   // of the dictionary
}

// A layout says in what buffers the values of a column are.
type layout int

const (
	nothing   layout = iota // no buffers: every value is null
	bits                    // a bit each
	fixed                   // as many bytes each
	offset                  // bytes between two offsets
	view                    // bytes beside the length, or where a place says
	lists                   // elements between two offsets
	fixedList               // as many elements each
	structs
	pairsList // a list of keys and values
)

// Bounds of a schema: a damaged one could nest without end, and have every table in many places.
const (
	mostNested  = 64
	mostColumns = 1 << 16
	mostNamed   = 1 << 24
)

// schema reads which columns there are.
func (s *stream) schema(t table) error {
	if t.integer(0, 2, 0) != 0 {
		return errors.New("its numbers are big-endian, which is not read: write it on another machine")
	}
	b := schemaOf{values: map[int64]*column{}}
	root := &column{layout: structs}
	var err error
	if root.children, err = b.columns(t.tables(1), 0); err != nil {
		return err
	}
	if t.in == nil || t.in.bad {
		return errors.New("the file is damaged: its schema is cut short")
	}
	s.columns, s.values = root, b.values
	return nil
}

// A schemaOf is what was read of a schema.
type schemaOf struct {
	values map[int64]*column // of dictionaries
	many   int               // columns
	named  int               // bytes in their names
}

func (b *schemaOf) columns(tables []table, depth int) (all []*column, err error) {
	if b.many += len(tables); depth > mostNested || b.many > mostColumns {
		return nil, fmt.Errorf("it has more than %d columns, or they nest more than %d deep", mostColumns, mostNested)
	}
	for _, t := range tables {
		c := &column{name: t.text(0)}
		if b.named += len(c.name); b.named > mostNamed {
			return nil, fmt.Errorf("the names of its columns have more than %d bytes", mostNamed)
		}
		c.children, err = b.columns(t.tables(5), depth+1)
		if err == nil {
			err = c.read(t)
		}
		if err == nil {
			c, err = b.indexed(c, t.table(4))
		}
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.name, err)
		}
		all = append(all, c)
	}
	return all, nil
}

// indexed is a column whose values stand in a dictionary, if there is one.
func (b *schemaOf) indexed(c *column, encoding table) (*column, error) {
	if encoding.in == nil {
		return c, nil
	}
	index := &column{}
	if err := index.integer(encoding.table(1)); err != nil {
		return c, err
	}
	id := encoding.integer(0, 8, 0)
	if b.values[id] == nil {
		b.values[id] = c
	}
	return &column{name: c.name, layout: fixed, width: index.width, index: index, id: id}, nil
}

// unread are types that have no place in a data set of texts.
var unread = map[int64]string{11: "an interval", 14: "a union", 22: "run-end encoded", 25: "a view of a list", 26: "a view of a list"}

// read finds out what a column holds. The numbers are those of Schema.fbs.
func (c *column) read(f table) error {
	kind, t, children := f.integer(2, 1, 0), f.table(3), -1
	switch kind {
	case 1:
		c.layout = nothing
	case 2:
		return c.integer(t)
	case 3:
		return c.float(t.integer(0, 2, 0))
	case 4, 5, 19, 20, 23, 24:
		c.bytes(kind, f)
	case 6:
		c.layout = bits
	case 7:
		return c.decimal(t.integer(1, 4, 0), t.integer(2, 4, 128))
	case 8, 9, 10, 18:
		return c.time(kind, t)
	case 12, 21:
		c.layout, c.width, children = lists, 4, 1
		if kind == 21 {
			c.width = 8
		}
	case 13:
		c.layout = structs
	case 15:
		c.fixed(t.integer(0, 4, 0), octets)
		if c.width == 16 && extension(f) == "arrow.uuid" {
			c.convert = func(data []byte) (any, error) { return uuid(data), nil }
		}
	case 16:
		c.layout, c.width, children = fixedList, t.integer(0, 4, 0), 1
	case 17:
		c.layout, c.width, children = pairsList, 4, 1
		if len(c.children) == 1 && (c.children[0].layout != structs || len(c.children[0].children) != 2) {
			return errors.New("the file is damaged: a map has keys and values, and nothing else")
		}
	default:
		if what := unread[kind]; what != "" {
			return fmt.Errorf("it is %s, which is not read: save the data set without it", what)
		}
		return fmt.Errorf("it is of type %d, which is not read: save the data set without it", kind)
	}
	if c.width < 0 || children >= 0 && len(c.children) != children {
		return fmt.Errorf("the file is damaged: a type of %d bytes has %d columns in it", c.width, len(c.children))
	}
	return nil
}

// fixed sets that values are as many bytes each.
func (c *column) fixed(width int64, convert func(data []byte) (any, error)) {
	c.layout, c.width, c.convert = fixed, width, convert
}

// counts sets that values are integers, which convert reads.
func (c *column) counts(width int64, convert func(int64) any) {
	c.fixed(width, func(data []byte) (any, error) { return convert(signed(little(data), width)), nil })
}

// little is an unsigned number of up to 8 bytes.
func little(data []byte) uint64 {
	var wide [8]byte
	copy(wide[:], data)
	return binary.LittleEndian.Uint64(wide[:])
}

func (c *column) integer(t table) error {
	bits := t.integer(0, 4, 0)
	if bits != 8 && bits != 16 && bits != 32 && bits != 64 {
		return fmt.Errorf("the file is damaged: its integers have %d bits", bits)
	}
	c.fixed(bits/8, func(data []byte) (any, error) { return little(data), nil })
	if t.integer(1, 1, 0) != 0 {
		c.counts(bits/8, func(n int64) any { return n })
	}
	return nil
}

func (c *column) float(precision int64) error {
	switch precision {
	case 0:
		c.fixed(2, func(data []byte) (any, error) { return number(float64(half(data)), 32), nil })
	case 1:
		c.fixed(4, func(data []byte) (any, error) {
			return number(float64(math.Float32frombits(binary.LittleEndian.Uint32(data))), 32), nil
		})
	case 2:
		c.fixed(8, func(data []byte) (any, error) { return number(math.Float64frombits(little(data)), 64), nil })
	default:
		return fmt.Errorf("the file is damaged: its floats have the precision %d", precision)
	}
	return nil
}

func (c *column) decimal(scale, bits int64) error {
	if bits != 32 && bits != 64 && bits != 128 && bits != 256 {
		return fmt.Errorf("the file is damaged: its decimals have %d bits", bits)
	}
	c.fixed(bits/8, func(data []byte) (any, error) {
		data = slices.Clone(data)
		slices.Reverse(data)
		return scaled(twosComplement(data), int(scale))
	})
	return nil
}

// bytes sets that values are of any length. Texts must be texts; what is marked as JSON is read as such.
func (c *column) bytes(kind int64, f table) {
	c.layout, c.width, c.convert = offset, 4, octets
	if kind == 5 || kind == 20 || kind == 24 {
		c.convert = text
		if extension(f) == "arrow.json" {
			c.convert = embedded
		}
	}
	switch {
	case kind == 19 || kind == 20:
		c.width = 8
	case kind >= 23:
		c.layout, c.width = view, 16
	}
}

// time sets that values are dates, times of the day, moments or durations, which are numbers.
func (c *column) time(kind int64, t table) error {
	units := []time.Duration{time.Second, time.Millisecond, time.Microsecond, time.Nanosecond}
	unit := t.integer(0, 2, map[int64]int64{8: 1, 9: 1, 10: 0, 18: 1}[kind])
	if unit < 0 || unit >= int64(len(units)) || kind == 8 && unit > 1 {
		return fmt.Errorf("the file is damaged: its times have the unit %d", unit)
	}
	switch {
	case kind == 8 && unit == 0:
		c.counts(4, date)
	case kind == 8:
		const day = 24 * int64(time.Hour/time.Millisecond)
		c.counts(8, func(n int64) any { return date((n - (n%day+day)%day) / day) })
	case kind == 9 && unit < 2:
		c.counts(4, clock(units[unit]))
	case kind == 9:
		c.counts(8, clock(units[unit]))
	case kind == 10:
		c.counts(8, timestamp(units[unit], t.text(1) != ""))
	default:
		c.counts(8, func(n int64) any { return n })
	}
	return nil
}

// extension is what a column says its values are, beyond their type.
func extension(f table) string {
	for _, pair := range f.tables(6) {
		if pair.text(0) == "ARROW:extension:name" {
			return pair.text(1)
		}
	}
	return ""
}
