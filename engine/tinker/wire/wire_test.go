package wire

import (
	"bytes"
	"strings"
	"testing"
)

// TestHostileMessages: lengths, shapes and offsets that do not fit are errors.
func TestHostileMessages(t *testing.T) {
	batchOf := func(data, offsets []int64, count uint64, trailing ...int64) []byte {
		var m, record, b message
		b.bytes(1, (&Tensor{DType: Int64, Ints: data}).elements())
		b.bytes(2, (&Tensor{DType: Int64, Ints: offsets}).elements())
		b.int(3, uint64(Int64))
		b.ints(4, trailing)
		record.entry(2, "x", func(e *message) { e.bytes(2, b) })
		record.int(3, count)
		m.bytes(2, record)
		return m
	}
	two := []int64{1, 2}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"cut number":            {[]byte{0x10, 0x80}, "within a field"},
		"cut text":              {[]byte{0x0a, 5, 'a'}, "within a field"},
		"endless length":        {[]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, "within a field"},
		"field 0":               {[]byte{0, 0}, "without a valid number"},
		"group":                 {[]byte{0x0b}, "wire type 3"},
		"another type":          {[]byte{0x08, 1}, "wire type 0, expected 2"},
		"offsets past the end":  {batchOf(two, []int64{0, 24}, 1), "offsets"},
		"offsets from 8":        {batchOf(two, []int64{8, 16}, 1), "offsets"},
		"offsets backwards":     {batchOf(two, []int64{0, 16, 8, 16}, 3), "ends before it begins"},
		"offsets between":       {batchOf(two, []int64{0, 4, 16}, 2), "multiple of 8"},
		"more data than arrays": {batchOf(two, []int64{0, 16}, 2), "for 2 data"},
		"a million data":        {batchOf(nil, nil, 1<<40), "data"},
		"rows of 3":             {batchOf(two, []int64{0, 16}, 1, 3), "rows of [3]"},
		"rows of nothing":       {batchOf(two, []int64{0, 16}, 1, 0), "trailing shape"},
		"endless rows":          {batchOf(two, []int64{0, 16}, 1, 1<<40, 1<<40), "trailing shape"},
	} {
		if _, err := DecodeOutput(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	for name, data := range map[string][]byte{
		"tokens":      {0x0a, 5, 0x12, 3, 1, 2, 3},
		"stop reason": {0x0a, 2, 0x08, 7},
	} {
		if s, err := DecodeSample(data); err == nil {
			t.Errorf("%s: %+v", name, s)
		}
	}
	for name, tensor := range map[string]Tensor{
		"another shape": {DType: Int64, Ints: two, Shape: []int64{3}},
		"endless shape": {DType: Int64, Ints: two, Shape: []int64{1 << 40, 1 << 40}},
		"rows":          {DType: Int64, Ints: two, Shape: []int64{2, 2}, Rows: []int64{0, 2}, Cols: two},
		"rows backward": {DType: Int64, Ints: two, Shape: []int64{2, 3}, Rows: []int64{0, 3, 2}, Cols: two},
		"columns":       {DType: Int64, Ints: two, Shape: []int64{2, 2}, Rows: []int64{0, 1, 2}, Cols: two},
	} {
		p := Pass{Data: []Datum{{Inputs: map[string]Tensor{"x": tensor}}}}
		if _, err := DecodePass(p.Encode()); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

// TestOutputRoundTrip: what a server writes is what a client reads.
func TestOutputRoundTrip(t *testing.T) {
	o := Output{Type: "T", Metrics: map[string]float64{"loss:sum": 1.5}, Data: []map[string]Tensor{
		{"logprobs": FloatsOf([]float32{-1, -2}), "ids": IntsOf([]int64{7})}, {"logprobs": FloatsOf([]float32{-3}), "ids": IntsOf([]int64{8, 9})},
	}}
	got, err := DecodeOutput(o.Encode())
	if err != nil || !bytes.Equal(got.Encode(), o.Encode()) || got.Data[1]["logprobs"].Floats[0] != -3 || got.Data[0]["ids"].Ints[0] != 7 {
		t.Errorf("%+v, %v", got, err)
	}
}

// seeds are the messages of the shared file.
func seeds(f *testing.F) {
	for _, v := range vectors(f).Messages {
		f.Add(v.bytes(f))
	}
}

func FuzzDecodeOutput(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		o, err := DecodeOutput(data)
		if err != nil {
			return
		}
		for i, d := range o.Data {
			for name, x := range d {
				if err := x.checkShape(); err != nil {
					t.Errorf("datum %d, %q: %v", i, name, err)
				}
			}
		}
	})
}

func FuzzDecodeSample(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := DecodeSample(data)
		if err != nil {
			return
		}
		again, err := DecodeSample(s.Encode())
		if err != nil || !bytes.Equal(again.Encode(), s.Encode()) {
			t.Errorf("%+v reads as %+v, %v", s, again, err)
		}
	})
}

func FuzzDecodePass(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := DecodePass(data)
		if err != nil {
			return
		}
		again, err := DecodePass(p.Encode())
		if err != nil || !bytes.Equal(again.Encode(), p.Encode()) {
			t.Errorf("%+v reads as %+v, %v", p, again, err)
		}
	})
}

func FuzzDecodeJSON(f *testing.F) {
	for _, r := range vectors(f).Results {
		f.Add([]byte(r.Body))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if o, err := DecodeOutputJSON(data); err == nil {
			for _, d := range o.Data {
				for name, x := range d {
					if x.Len() > len(data) {
						t.Errorf("%q has %d elements from %d bytes", name, x.Len(), len(data))
					}
				}
			}
		}
		if s, err := DecodeSampleJSON(data); err == nil {
			for _, q := range s.Sequences {
				if q.Stop != StopToken && q.Stop != StopLength {
					t.Errorf("stop %d", q.Stop)
				}
			}
		}
	})
}
