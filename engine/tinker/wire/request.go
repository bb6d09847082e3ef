package wire

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// A Datum is a sequence and what a loss knows of it: arrays with an element for each token, by name.
type Datum struct {
	Tokens []int32
	Inputs map[string]Tensor
}

// A Pass asks for a forward pass, or one forward and backward.
type Pass struct {
	Model       string
	Seq         int // of the model's requests, from 1
	Data        []Datum
	Loss        string
	Config      map[string]float64 // of the loss
	ForwardOnly bool
}

// Encode writes the message ForwardBackwardRequest: one encoding of one pass.
func (p *Pass) Encode() []byte {
	var m message
	m.text(1, p.Model)
	m.int(2, uint64(p.Seq))
	for _, d := range p.Data {
		m.bytes(3, d.encode())
	}
	m.text(4, p.Loss)
	for _, key := range slices.Sorted(maps.Keys(p.Config)) {
		m.entry(5, key, func(e *message) { e.double(2, p.Config[key]) })
	}
	m.bool(6, p.ForwardOnly)
	return m
}

func (d *Datum) encode() message {
	var m, chunk, text message
	ids := Tensor{DType: Int32, Ints: make([]int64, len(d.Tokens))}
	for i, t := range d.Tokens {
		ids.Ints[i] = int64(t)
	}
	text.bytes(1, ids.elements())
	chunk.bytes(1, text)
	m.bytes(1, chunk)
	for _, key := range slices.Sorted(maps.Keys(d.Inputs)) {
		t := d.Inputs[key]
		m.entry(2, key, func(e *message) { e.bytes(2, t.encode()) })
	}
	return m
}

// DecodePass reads the message ForwardBackwardRequest.
func DecodePass(data []byte) (p Pass, err error) {
	p.Config = map[string]float64{}
	later := map[string]float64{}
	err = eachField(data, func(f field) error {
		switch f.number {
		case 1, 4:
			*map[int]*string{1: &p.Model, 4: &p.Loss}[f.number] = string(f.data)
			return f.want(delimited)
		case 2:
			if f.value > math.MaxInt32 {
				return errors.New("a sequence number out of range")
			}
			p.Seq = int(f.value)
			return f.want(varint)
		case 3:
			if err := f.want(delimited); err != nil {
				return err
			}
			d, err := readDatum(f.data)
			p.Data = append(p.Data, d)
			return err
		case 5:
			e, err := readEntry(f)
			if err == nil {
				p.Config[e.key], err = e.double()
			}
			return err
		case 6:
			p.ForwardOnly = f.value != 0
			return f.want(varint)
		case 7:
			return readLaterConfig(f, later)
		}
		return nil
	})
	maps.Copy(p.Config, later)
	return p, err
}

// readLaterConfig reads a number of the map that replaces the one of numbers alone.
func readLaterConfig(f field, into map[string]float64) error {
	key, value, err := readMessage(f)
	if err != nil {
		return err
	}
	return eachField(value, func(f field) error {
		switch f.number {
		case 1:
			into[key] = math.Float64frombits(f.value)
			return f.want(fixed64)
		case 2:
			return fmt.Errorf("loss_fn_config %.40q is a text; no loss here takes one", key)
		}
		return nil
	})
}

func readDatum(data []byte) (d Datum, err error) {
	d.Inputs = map[string]Tensor{}
	err = eachField(data, func(f field) error {
		switch f.number {
		case 1:
			if err := f.want(delimited); err != nil {
				return err
			}
			return d.readChunk(f.data)
		case 2:
			key, value, err := readMessage(f)
			if err != nil {
				return err
			}
			if d.Inputs[key], err = readTensor(value); err != nil {
				return fmt.Errorf("%.40q: %w", key, err)
			}
		}
		return nil
	})
	return d, err
}

// readChunk reads a piece of a sequence, of which only texts have tokens.
func (d *Datum) readChunk(data []byte) error {
	return eachField(data, func(f field) error {
		switch f.number {
		case 1:
			if err := f.want(delimited); err != nil {
				return err
			}
			return eachField(f.data, func(f field) error {
				if f.number != 1 {
					return nil
				}
				if err := f.want(delimited); err != nil {
					return err
				}
				ids, err := readElements(Int32, f.data)
				for _, id := range ids.Ints {
					d.Tokens = append(d.Tokens, int32(id))
				}
				return err
			})
		case 2, 3:
			return errors.New("a datum has an image or sound: only text is understood")
		}
		return nil
	})
}
