package dataset

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func rows(name, text string) (got []string, err error) {
	err = eachRow(name, strings.NewReader(text), func(line int, data []byte) error {
		got = append(got, fmt.Sprintf("%d:%s", line, data))
		return nil
	})
	return got, err
}

func TestEach(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a.csv", "question,answer\nq,1\n", []string{`2:{"question":"q","answer":"1"}`}},
		{"a.csv", "\ufeffq,a\r\n\"x, \"\"y\"\"\r\nz\",\r\n\r\nlast,2", []string{`2:{"q":"x, \"y\"\nz","a":""}`, `5:{"q":"last","a":"2"}`}},
		{"a.tsv", "q\ta\nx, y\t1\n", []string{`2:{"q":"x, y","a":"1"}`}},
		{"a.tsv.gz", "q,r\ta\nx\t1\n", []string{`2:{"q,r":"x","a":"1"}`}},
		{"a.csv", "q;a\n1,5;2\n", []string{`2:{"q":"1,5","a":"2"}`}},
		{"a.csv", "\"q,x\";a\n1;2\n", []string{`2:{"q,x":"1","a":"2"}`}},
		{"a.csv", "q\ta\n1\t2\n", []string{`2:{"q":"1","a":"2"}`}},
		{"a.csv", ",q\n0,x\n", []string{`2:{"column_1":"0","q":"x"}`}},
		{"a.csv", "q\n0012\n", []string{`2:{"q":"0012"}`}},
		{"a.csv", "", nil},
		{"a.csv", "q,a\n", nil},
	} {
		if got, err := rows(c.name, c.text); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s %q: %q, %v, want %q", c.name, c.text, got, err, c.want)
		}
	}
	for text, want := range map[string]string{
		"q,a\nx\n":              "set.csv:2: the row has more or fewer cells",
		"q,a\nx,1\ny,2,3\n":     "set.csv:3: the row has more or fewer cells",
		"q,a\nx \"y\",1\n":      "set.csv:2: a quote stands where none can",
		"q,a\n\"x,1\n":          "set.csv:2: a quote",
		"q,a,q\n":               `set.csv:1: two columns are named "q"`,
		"q,a\nx,1\ncaf\xe9,2\n": "set.csv:3: column q: byte 4 is 0xe9",
		"PK\x03\x04":            "read set.csv: it is a zip",
	} {
		if _, err := rows("set.csv", text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s…", text, err, want)
		}
	}
}

// TestRoundTrip: whatever stands in cells, what a writer of CSV wrote is read, but for the carriage return before a line break, which
// writers of tables do not keep.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(2, 4).Draw(t, "columns")
		var b bytes.Buffer
		name := "x.csv"
		w := csv.NewWriter(&b)
		if rapid.Bool().Draw(t, "tabs") {
			name, w.Comma = "x.tsv", '\t'
		}
		header := make([]string, columns)
		for i := range header {
			header[i] = fmt.Sprint("c", i)
		}
		table := rapid.SliceOfN(rapid.SliceOfN(rapid.StringMatching(`[ab,;\t"\n é]{0,6}`), columns, columns), 0, 5).Draw(t, "table")
		if err := w.WriteAll(append([][]string{header}, table...)); err != nil {
			t.Fatal(err)
		}
		var got [][]string
		err := eachRow(name, &b, func(_ int, data []byte) error {
			var row map[string]string
			if err := json.Unmarshal(data, &row); err != nil {
				return err
			}
			cells := make([]string, columns)
			for i, key := range header {
				cells[i] = row[key]
			}
			got = append(got, cells)
			return nil
		})
		if err != nil || len(got) != len(table) || len(table) > 0 && !reflect.DeepEqual(got, table) {
			t.Fatalf("%q, %v, want %q", got, err, table)
		}
	})
}

func FuzzEach(f *testing.F) {
	f.Add("a.csv", "q,a\nx,\"1\n2\"\n")
	f.Add("a.tsv", "q\ta\nx\t1\n")
	f.Add("a.csv", "\ufeff;\n;")
	f.Fuzz(func(t *testing.T, name, text string) {
		last := 0
		eachRow(name, strings.NewReader(text), func(line int, data []byte) error {
			if line <= last || !json.Valid(data) || data[0] != '{' {
				t.Fatalf("line %d after %d: %q", line, last, data)
			}
			last = line
			return nil
		})
	})
}
