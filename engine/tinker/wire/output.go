package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
)

// An Output is what a pass answers: arrays for each datum, by name, and metrics by `name:reduction`.
type Output struct {
	Type    string // free text
	Data    []map[string]Tensor
	Metrics map[string]float64
}

// DecodeOutput reads the message ForwardBackwardOutput.
func DecodeOutput(data []byte) (o Output, err error) {
	o.Metrics = map[string]float64{}
	err = eachField(data, func(f field) error {
		switch f.number {
		case 1:
			o.Type = string(f.data)
			return f.want(delimited)
		case 2:
			if err := f.want(delimited); err != nil {
				return err
			}
			all, err := readRecord(f.data, mostData-len(o.Data))
			o.Data = append(o.Data, all...)
			return err
		case 3:
			e, err := readEntry(f)
			if err == nil {
				o.Metrics[e.key], err = e.double()
			}
			return err
		}
		return nil
	})
	return o, err
}

// A batch is one array of all data of a record, one datum behind the other.
type batch struct {
	data, offsets []byte
	dtype         DType
	trailing      []int64
}

// mostData are more than an output has: of data without any array, there is nothing else to bound their number.
const mostData = 1 << 20

// readRecord reads the message ArrayRecord: some data, at most so many, with the same arrays each.
func readRecord(data []byte, most int) ([]map[string]Tensor, error) {
	fields, count := map[string]batch{}, int64(0)
	err := eachField(data, func(f field) error {
		switch f.number {
		case 2:
			key, value, err := readMessage(f)
			if err != nil {
				return err
			}
			fields[key], err = readBatch(value)
			return err
		case 3:
			count = int64(f.value)
			return f.want(varint)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if count == 0 { // of old servers: as many as the arrays are of
		for _, b := range fields {
			count = int64(len(b.offsets)/8) - 1
		}
	}
	if count < 0 || count > int64(most) {
		return nil, fmt.Errorf("a record of %d data", count)
	}
	out := make([]map[string]Tensor, count)
	for i := range out {
		out[i] = map[string]Tensor{}
	}
	for name, b := range fields {
		if err := b.split(name, out); err != nil {
			return nil, fmt.Errorf("%.40q: %w", name, err)
		}
	}
	return out, nil
}

func readBatch(data []byte) (b batch, err error) {
	err = eachField(data, func(f field) (err error) {
		switch f.number {
		case 1, 2:
			*map[int]*[]byte{1: &b.data, 2: &b.offsets}[f.number] = f.data
			return f.want(delimited)
		case 3:
			b.dtype = DType(f.value)
			return f.want(varint)
		case 4:
			b.trailing, err = f.ints(b.trailing)
		}
		return err
	})
	return b, err
}

// split gives every datum its part of an array.
func (b *batch) split(name string, into []map[string]Tensor) error {
	offsets, err := readElements(Int64, b.offsets)
	if err != nil {
		return err
	}
	at := offsets.Ints
	if len(at) != len(into)+1 || at[0] != 0 || at[len(into)] != int64(len(b.data)) {
		return fmt.Errorf("%d bytes with the offsets %.20v for %d data", len(b.data), at[:min(len(at), 8)], len(into))
	}
	width := int64(1)
	for _, d := range b.trailing {
		if d <= 0 || width > math.MaxInt32/d {
			return fmt.Errorf("the trailing shape %v", b.trailing)
		}
		width *= d
	}
	for i, d := range into {
		if at[i+1] < at[i] || at[i+1] > int64(len(b.data)) {
			return fmt.Errorf("the array of datum %d ends before it begins", i)
		}
		t, err := readElements(b.dtype, b.data[at[i]:at[i+1]])
		if err != nil {
			return err
		}
		if int64(t.Len())%width != 0 {
			return fmt.Errorf("datum %d has %d elements in rows of %v", i, t.Len(), b.trailing)
		}
		t.Shape = append([]int64{int64(t.Len()) / width}, b.trailing...)
		d[name] = t
	}
	return nil
}

// Encode writes the message ForwardBackwardOutput, of data whose arrays have the same names.
func (o *Output) Encode() []byte {
	var m message
	m.text(1, o.Type)
	for from := 0; from < len(o.Data); {
		to := from + 1
		for to < len(o.Data) && slices.Equal(trailing(o.Data[to]), trailing(o.Data[from])) {
			to++
		}
		m.bytes(2, o.record(o.Data[from:to]))
		from = to
	}
	for _, key := range slices.Sorted(maps.Keys(o.Metrics)) {
		m.entry(3, key, func(e *message) { e.double(2, o.Metrics[key]) })
	}
	return m
}

// trailing are the dimensions of a datum's arrays behind the first, one array after the other in the order of their names.
func trailing(d map[string]Tensor) (out []int64) {
	for _, name := range slices.Sorted(maps.Keys(d)) {
		out = append(out, rest(d[name].Shape)...)
		out = append(out, 0)
	}
	return out
}

// rest are the dimensions of a shape behind the first.
func rest(shape []int64) []int64 {
	if len(shape) < 2 {
		return nil
	}
	return shape[1:]
}

// record writes the message ArrayRecord, of data whose rows have one shape.
func (o *Output) record(data []map[string]Tensor) message {
	var record message
	record.text(1, o.Type)
	for _, name := range slices.Sorted(maps.Keys(data[0])) {
		record.entry(2, name, func(e *message) { e.bytes(2, join(data, name)) })
	}
	record.int(3, uint64(len(data)))
	return record
}

// join writes one array of all data.
func join(data []map[string]Tensor, name string) message {
	var m message
	var all []byte
	offsets := Tensor{DType: Int64, Ints: []int64{0}}
	for _, d := range data {
		t := d[name]
		all = append(all, t.elements()...)
		offsets.Ints = append(offsets.Ints, int64(len(all)))
	}
	first := data[0][name]
	m.bytes(1, all)
	m.bytes(2, offsets.elements())
	m.int(3, uint64(first.DType))
	m.ints(4, rest(first.Shape))
	return m
}

// JSON writes an output as servers do that answer in JSON. NaN and infinite numbers have no place there: such metrics are left out.
func (o *Output) JSON() ([]byte, error) {
	data := make([]map[string]any, len(o.Data))
	for i, d := range o.Data {
		data[i] = map[string]any{}
		for name, t := range d {
			data[i][name] = t.plainJSON()
		}
	}
	metrics := map[string]float64{}
	for key, x := range o.Metrics {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			metrics[key] = x
		}
	}
	return json.Marshal(map[string]any{"loss_fn_output_type": o.Type, "loss_fn_outputs": data, "metrics": metrics})
}

// plainJSON is a tensor whose elements are all there.
func (t *Tensor) plainJSON() any {
	if t.DType == Int64 || t.DType == Int32 {
		return map[string]any{"data": t.Ints, "dtype": "int64", "shape": t.Shape}
	}
	return map[string]any{"data": t.Floats, "dtype": "float32", "shape": t.Shape}
}

// jsonTensor is a tensor of a JSON server.
type jsonTensor struct {
	Data  []json.Number `json:"data"`
	DType string        `json:"dtype"`
	Shape []int64       `json:"shape"`
}

func (j *jsonTensor) tensor() (t Tensor, err error) {
	t.DType, t.Shape = map[string]DType{"float32": Float32, "int64": Int64}[j.DType], j.Shape
	for _, number := range j.Data {
		switch t.DType {
		case Float32:
			x, err := number.Float64()
			if err != nil {
				return t, err
			}
			t.Floats = append(t.Floats, float32(x))
		case Int64:
			x, err := number.Int64()
			if err != nil {
				return t, err
			}
			t.Ints = append(t.Ints, x)
		default:
			return t, fmt.Errorf("a tensor has the type %.40q", j.DType)
		}
	}
	return t, t.checkShape()
}

// DecodeOutputJSON reads an output of servers that answer in JSON.
func DecodeOutputJSON(data []byte) (o Output, err error) {
	var j struct {
		Type    string                  `json:"loss_fn_output_type"`
		Outputs []map[string]jsonTensor `json:"loss_fn_outputs"`
		Metrics map[string]float64      `json:"metrics"`
	}
	if err := json.Unmarshal(data, &j); err != nil {
		return o, err
	}
	o.Type, o.Metrics = j.Type, j.Metrics
	for _, fields := range j.Outputs {
		d := map[string]Tensor{}
		for name, t := range fields {
			if d[name], err = t.tensor(); err != nil {
				return o, fmt.Errorf("%.40q: %w", name, err)
			}
		}
		o.Data = append(o.Data, d)
	}
	return o, nil
}
