package parquet

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
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

func written(t testing.TB, rows ...premise) []byte { return compressed(t, &parquet.Zstd, rows...) }

func compressed(t testing.TB, codec compress.Codec, rows ...premise) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[premise](&b, parquet.Compression(codec))
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

// TestArrow reads what pyarrow wrote.
func TestArrow(t *testing.T) {
	data, err := os.ReadFile("testdata/arrow.parquet")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = Each("arrow.parquet", bytes.NewReader(data), int64(len(data)), func(_ int, data []byte) error {
		got = append(got, string(data))
		return nil
	})
	want := []string{
		`{"hypothesis":"It is wet.","label":0,"premise":"It rains.","reason":"wet","uid":"a","votes":["e","n"]}`,
		`{"hypothesis":"It is dry.","label":2,"premise":"It rains.","reason":null,"uid":"b","votes":[]}`,
		`{"hypothesis":"It is cold.","label":-1,"premise":"It rains.","reason":"","uid":"ü","votes":["n"]}`,
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
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
		{"lz4", compressed(t, &parquet.Lz4Raw, premise{}), "read set: it is compressed with lz4"},
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
	arrow, err := os.ReadFile("testdata/arrow.parquet")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(arrow)
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
