package columnar

import (
	"errors"
	"fmt"
)

// values makes what JSON is made of out of the values of arrays. It knows how many bytes may still come.
type values struct{ left int64 }

// takes counts bytes. Every value takes some, whatever it is.
func (v *values) takes(n int) error {
	if v.left -= int64(n); v.left < 0 {
		return errors.New("the row is too long to be held: save the data set without its long columns")
	}
	return nil
}

// of is the i-th value of an array; depth is how many it is in.
func (v *values) of(a *array, i int64, depth int) (any, error) {
	if err := v.takes(16); err != nil {
		return nil, err
	}
	switch {
	case depth > 4*mostNested:
		return nil, errors.New("the file is damaged: its dictionaries nest without end")
	case i < 0 || i >= a.length:
		return nil, fmt.Errorf("the file is damaged: value %d of %d is asked for", i, a.length)
	case a.of.layout == nothing || a.valid != nil && !bit(a.valid, i):
		return nil, nil
	case a.of.index != nil:
		return v.indexed(a, i, depth)
	}
	switch a.of.layout {
	case bits:
		return bit(a.data, i), nil
	case fixed:
		return v.convert(a, a.data[i*a.of.width:][:a.of.width])
	case offset:
		begin, end, err := a.between(i, int64(len(a.data)))
		if err != nil {
			return nil, err
		}
		return v.convert(a, a.data[begin:end])
	case view:
		data, err := a.view(i)
		if err != nil {
			return nil, err
		}
		return v.convert(a, data)
	case structs:
		return v.object(a, i, depth)
	case fixedList:
		return v.list(a.children[0], i*a.of.width, (i+1)*a.of.width, depth)
	}
	begin, end, err := a.between(i, a.children[0].length)
	switch {
	case err != nil:
		return nil, err
	case a.of.layout == pairsList:
		return v.lookup(a.children[0], begin, end, depth)
	}
	return v.list(a.children[0], begin, end, depth)
}

func bit(data []byte, i int64) bool { return data[i/8]>>(i%8)&1 == 1 }

func (v *values) convert(a *array, data []byte) (any, error) {
	if err := v.takes(len(data)); err != nil {
		return nil, err
	}
	return a.of.convert(data)
}

// indexed is a value that stands in a dictionary.
func (v *values) indexed(a *array, i int64, depth int) (any, error) {
	if a.dictionary == nil {
		return nil, fmt.Errorf("the file is damaged: its dictionary %d is missing", a.of.id)
	}
	width := a.of.width
	at := little(a.data[i*width:][:width])
	if at >= uint64(a.dictionary.length) { // less than 0 is more than any length
		return nil, fmt.Errorf("the file is damaged: its dictionary has %d values, and number %d is asked for", a.dictionary.length, at)
	}
	return v.of(a.dictionary, int64(at), depth+1)
}

// between is what the offsets of a value say, of bytes or elements.
func (a *array) between(i, most int64) (begin, end int64, err error) {
	width := a.of.width
	begin, end = signed(little(a.offsets[i*width:][:width]), width), signed(little(a.offsets[(i+1)*width:][:width]), width)
	if begin < 0 || end < begin || end > most {
		return 0, 0, fmt.Errorf("the file is damaged: it goes from %d to %d of %d", begin, end, most)
	}
	return begin, end, nil
}

// view is the bytes of a value: up to 12 stand behind their number, more at a place.
func (a *array) view(i int64) ([]byte, error) {
	data := a.data[i*16:][:16]
	n, part, begin := int64(int32(little(data[:4]))), little(data[8:12]), int64(int32(little(data[12:])))
	switch {
	case n >= 0 && n <= 12:
		return data[4:][:n], nil
	case n < 0 || part >= uint64(len(a.parts)) || begin < 0 || n > int64(len(a.parts[part]))-begin:
		return nil, fmt.Errorf("the file is damaged: %d bytes are at byte %d of part %d", n, begin, part)
	}
	return a.parts[part][begin:][:n], nil
}

func (v *values) object(a *array, i int64, depth int) (any, error) {
	out := fields{}
	for _, child := range a.children {
		err := v.takes(len(child.of.name))
		if err == nil {
			var value any
			value, err = v.of(child, i, depth+1)
			out = append(out, field{child.of.name, value})
		}
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", child.of.name, err)
		}
	}
	return out, nil
}

func (v *values) list(elements *array, begin, end int64, depth int) (any, error) {
	out := []any{}
	for i := begin; i < end; i++ {
		value, err := v.of(elements, i, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, value)
	}
	return out, nil
}

// lookup is a map as an object.
func (v *values) lookup(pairs *array, begin, end int64, depth int) (any, error) {
	out := fields{}
	for i := begin; i < end; i++ {
		key, err := v.of(pairs.children[0], i, depth+1)
		if err != nil {
			return nil, err
		}
		value, err := v.of(pairs.children[1], i, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, field{fmt.Sprint(key), value})
	}
	return out, nil
}
