package parquet

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

type premise struct {
	UID    string   `parquet:"uid"`
	Label  int64    `parquet:"label"`
	Share  float64  `parquet:"share"`
	Reason *string  `parquet:"reason,optional"`
	Votes  []string `parquet:"votes,list"`
	Text   struct {
		Words int32 `parquet:"words"`
	} `parquet:"text"`
}

func written(t testing.TB, rows ...premise) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[premise](&b, parquet.Compression(&parquet.Zstd))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestEach(t *testing.T) {
	because := "it rains"
	data := written(t, premise{UID: "a", Label: -1, Share: 0.5, Votes: []string{"e", "n"}}, premise{UID: "ü", Label: 2, Reason: &because})
	var got []map[string]any
	err := Each("set.parquet", bytes.NewReader(data), int64(len(data)), func(row int, data []byte) error {
		var m map[string]any
		if row != len(got)+1 {
			t.Errorf("row %d after %d", row, len(got))
		}
		err := json.Unmarshal(data, &m)
		got = append(got, m)
		return err
	})
	words := map[string]any{"words": 0.0}
	want := []map[string]any{
		{"uid": "a", "label": -1.0, "share": 0.5, "reason": nil, "votes": []any{"e", "n"}, "text": words},
		{"uid": "ü", "label": 2.0, "share": 0.0, "reason": because, "votes": []any{}, "text": words},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v, %v, want %v", got, err, want)
	}
}

func TestEachErrors(t *testing.T) {
	data := written(t, premise{}, premise{})
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"record fails", data, "set: row 2: no label"},
		{"cut short", data[:len(data)-9], "read set:"},
		{"empty", nil, "read set:"},
		{"another file", []byte(strings.Repeat("PAR1", 9)), "read set:"},
	} {
		err := Each("set", bytes.NewReader(c.data), int64(len(c.data)), func(row int, _ []byte) error {
			if row == 2 {
				return errors.New("no label")
			}
			return nil
		})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s…", c.name, err, c.want)
		}
	}
}

func FuzzEach(f *testing.F) {
	data := written(f, premise{UID: "a", Votes: []string{"e"}}, premise{UID: "b"})
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Add([]byte(Magic + Magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		Each("fuzz", bytes.NewReader(data), int64(len(data)), func(row int, data []byte) error {
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
