package columnar

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func arrowRows(data []byte, memory int64) (rows []string, err error) {
	err = Arrow("set", bytes.NewReader(data), int64(len(data)), memory, func(row int, data []byte) error {
		if row != len(rows)+1 {
			return fmt.Errorf("row %d after %d", row, len(rows))
		}
		rows = append(rows, string(data))
		return nil
	})
	return rows, err
}

func testdata(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestArrowIsParquet: a table has the same rows, byte for byte, in either form, whatever its columns are and however it is packed.
func TestArrowIsParquet(t *testing.T) {
	for file, same := range map[string]string{"every.arrow": "every.parquet", "few-zstd.arrow": "few.parquet", "few-file.arrow": "few.parquet"} {
		want, err := read(t, same)
		if err != nil || len(want) != 2 {
			t.Fatalf("%s: %q, %v", same, want, err)
		}
		if got, err := arrowRows(testdata(t, file), 1<<20); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", file, err, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestReplacedDictionary: a batch has the dictionary that came last before it.
func TestReplacedDictionary(t *testing.T) {
	got, err := arrowRows(testdata(t, "replaced.arrow"), 1<<20)
	if want := []string{`{"word":"a"}`, `{"word":"a"}`, `{"word":"b"}`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// messages cuts a stream into its messages, of which the last one ends it.
func messages(t *testing.T, data []byte) (all [][]byte) {
	t.Helper()
	s := &stream{in: bytes.NewReader(data), size: int64(len(data)), memory: 1 << 20, columns: &column{}}
	for {
		begin := s.at
		if _, _, _, err := s.message(); err != nil {
			return append(all, data[begin:])
		}
		all = append(all, data[begin:s.at])
	}
}

// patched is a copy of a message with other bytes at a field of its head.
func patched(t *testing.T, message []byte, field func(head table) int64, value ...byte) []byte {
	t.Helper()
	out := slices.Clone(message)
	at := field((&flat{data: out[8:]}).table(0).table(2))
	if at == 0 {
		t.Fatal("the message has no such field")
	}
	copy(out[8+at:], value)
	return out
}

// nested is a schema of objects, each of which has so many columns in it, all of them the next one.
func nested(levels, columns int) table {
	level := 32 + 4*columns
	data := make([]byte, level*(levels+1))
	for i := range levels + 1 {
		at := data[i*level:]
		for slot, value := range []uint16{16, 12, 0, 4, 8, 0, 0, 4} { // where the columns of a schema, and kind and columns of an object are
			binary.LittleEndian.PutUint16(at[2*slot:], value)
		}
		binary.LittleEndian.PutUint32(at[16:], 16)
		binary.LittleEndian.PutUint32(at[20:], 8)
		at[24] = 13
		if i == levels {
			break
		}
		binary.LittleEndian.PutUint32(at[28:], uint32(columns))
		for k := range columns {
			binary.LittleEndian.PutUint32(at[32+4*k:], uint32(level-16-4*k))
		}
	}
	return table{in: &flat{data: data}, at: 16, fields: 0, size: 16}
}

// TestSchemaBombs: a schema that is small and nests deep, or has every column in many places, is refused at once.
func TestSchemaBombs(t *testing.T) {
	for _, bomb := range [][2]int{{mostNested + 2, 1}, {40, 2}, {3, 1 << 13}} {
		if err := new(stream).schema(nested(bomb[0], bomb[1])); err == nil || !strings.Contains(err.Error(), "or they nest more than 64 deep") {
			t.Errorf("%v: %v", bomb, err)
		}
	}
	if err := new(stream).schema(nested(0, 0)); err != nil {
		t.Errorf("no columns: %v", err)
	}
}

// TestLongRow: a row is refused before it takes more than it may, whatever its lists and dictionaries refer to.
func TestLongRow(t *testing.T) {
	null, text := &column{layout: nothing}, &column{layout: offset, width: 4, convert: octets}
	words := &array{of: text, length: 1, data: make([]byte, 1<<10), offsets: []byte{0, 0, 0, 0, 0, 4, 0, 0}}
	index := &column{layout: fixed, width: 1, index: &column{}}
	for name, elements := range map[string]*array{
		"nulls":        {of: null, length: mostLength},
		"a dictionary": {of: index, length: 1 << 12, data: make([]byte, 1<<12), dictionary: words},
	} {
		list := &array{of: &column{layout: fixedList, width: elements.length}, length: 1, children: []*array{elements}}
		if _, err := rowOf(list, 0, 1<<20); err == nil || !strings.Contains(err.Error(), "the row is too long") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestArrowErrors: whatever is wrong is an error that says where and what.
func TestArrowErrors(t *testing.T) {
	few, dictionary := testdata(t, "every.arrow"), messages(t, testdata(t, "replaced.arrow"))
	schema, words, batch, end := dictionary[0], dictionary[1], dictionary[2], dictionary[len(dictionary)-1]
	length := func(head table) int64 { return head.find(0) }
	node := func(head table) int64 { at, _ := head.list(1, 16); return at }
	buffer := func(head table) int64 { at, _ := head.list(2, 16); return at + 16 } // the second one
	outside := slices.Clone(batch)
	outside[len(outside)-8] = 9 // the only index
	for _, c := range []struct {
		name   string
		data   []byte
		memory int64
		want   string
	}{
		{"lz4", testdata(t, "few-lz4.arrow"), 1 << 20, "read set after row 0: dictionary 0: it is compressed with lz4, which is not read"},
		{"deltas", testdata(t, "delta.arrow"), 1 << 20, "column word: its dictionary grows, which is not read"},
		{"another type", testdata(t, "ends.arrow"), 1 << 20, "column ends: it is run-end encoded, which is not read"},
		{"empty", nil, 1 << 20, "the file is cut short: it has 0 bytes, and 8 more are needed"},
		{"in a head", few[:100], 1 << 20, "the file is cut short: it has 100 bytes"},
		{"in a body", few[:len(few)-300], 1 << 20, "the file is cut short"},
		{"no end", slices.Concat(schema, words, batch), 1 << 20, "read set after row 1: the file is cut short"},
		{"no schema", slices.Concat(batch, end), 1 << 20, "it does not begin with its schema"},
		{"nothing but an end", end, 1 << 20, "it has no schema"},
		{"two schemas", slices.Concat(schema, schema, end), 1 << 20, "or has two"},
		{"no message", slices.Concat(schema, []byte("a text, not a message")), 1 << 20, fmt.Sprintf("no message begins at byte %d", len(schema))},
		{"no dictionary", slices.Concat(schema, batch, end), 1 << 20, "row 1: column word: the file is damaged: its dictionary 0 is missing"},
		{"another number of rows", slices.Concat(schema, words, patched(t, batch, length, 9), end), 1 << 20, "batch 1: column word: the file is damaged: it has 1 values, and its batch 9 rows"},
		{"less than no rows", slices.Concat(schema, words, patched(t, batch, length, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), end), 1 << 20, "has no proper head"},
		{"more values than bytes", slices.Concat(schema, words, patched(t, patched(t, batch, length, 0, 9), node, 0, 9), end), 1 << 20, "column word: the file is damaged: it needs 9216 bytes and has 4"},
		{"a buffer outside", slices.Concat(schema, words, patched(t, batch, buffer, 0, 9), end), 1 << 20, "the file is damaged: 4 bytes at byte 2304 of a batch of 8"},
		{"another dictionary", slices.Concat(schema, messages(t, few)[2], batch, end), 1 << 20, "no column has the dictionary 1"},
		{"outside of its dictionary", slices.Concat(schema, words, outside, end), 1 << 20, "its dictionary has 1 values, and number 9 is asked for"},
		{"large", few, 3000, "save the data set as parquet"},
	} {
		if _, err := arrowRows(c.data, c.memory); err == nil || !strings.HasPrefix(err.Error(), "read set") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want …%s…", c.name, err, c.want)
		}
	}
	data := testdata(t, "few-zstd.arrow")
	err := Arrow("set", bytes.NewReader(data), int64(len(data)), 1<<20, func(row int, _ []byte) error { return errors.New("no label") })
	if err == nil || err.Error() != "set: row 1: no label" {
		t.Errorf("record fails: %v", err)
	}
}

// TestCutShort: a file that ends anywhere before its end is an error.
func TestCutShort(t *testing.T) {
	data := testdata(t, "few-zstd.arrow")
	for n := range len(data) - 1 {
		if _, err := arrowRows(data[:n], 1<<20); err == nil {
			t.Fatalf("%d of %d bytes: no error", n, len(data))
		}
	}
}

func FuzzArrow(f *testing.F) {
	for _, file := range []string{"every", "few-zstd", "few-lz4", "few-file", "delta", "replaced", "ends"} {
		data := testdata(f, file+".arrow")
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = Arrow("fuzz", bytes.NewReader(data), int64(len(data)), 1<<20, func(row int, data []byte) error {
			if row > 1000 {
				return errors.New("enough")
			}
			if !json.Valid(data) {
				t.Fatalf("row %d: %q", row, data)
			}
			return nil
		})
	})
}
