package columnar

import (
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// An array is the values of a column in one batch. It has as many bytes as its length asks for; where offsets lead, [values] looks.
type array struct {
	of         *column
	length     int64
	valid      []byte // a bit for each value that is there; nil: all are
	data       []byte // values, or the bytes that offsets lead into
	offsets    []byte
	parts      [][]byte // that the places of views lead into
	children   []*array
	dictionary *array // nil: none was read yet
}

// A batch is one that is being read: its columns take what they need from lists, in their order.
type batch struct {
	*stream
	meta                  *flat
	nodes, buffers, parts queue
	body                  []byte
	unpacks               bool
}

// A queue says where the next thing in the metadata is and how many are left.
type queue struct{ at, left int64 }

// next takes one of some bytes.
func (l *queue) next(size int64) (at int64, err error) {
	if l.left <= 0 {
		return 0, errors.New("the file is damaged: its batch has less than its schema says")
	}
	at = l.at
	l.at, l.left = at+size, l.left-1
	return at, nil
}

// dictionary reads the values of a dictionary, in the place of those that it had.
func (s *stream) dictionary(t table, body []byte) error {
	id := t.integer(0, 8, 0)
	c := s.values[id]
	if c == nil {
		return fmt.Errorf("the file is damaged: no column has the dictionary %d", id)
	}
	if t.integer(2, 1, 0) != 0 {
		return fmt.Errorf("column %s: its dictionary grows, which is not read: save the data set as parquet", c.name)
	}
	a, err := s.batch(t.table(1), []*column{c}, body)
	if err != nil {
		return fmt.Errorf("dictionary %d: %w", id, err)
	}
	s.held += int64(len(body)+len(t.in.data)) + s.unpacked // what it had is in arrays that others may hold
	s.dictionaries[id] = a.children[0]
	return nil
}

// batch reads the values of some columns, as those of an object.
func (s *stream) batch(t table, columns []*column, body []byte) (*array, error) {
	b := batch{stream: s, meta: t.in, body: body}
	s.unpacked = 0
	b.nodes.at, b.nodes.left = t.list(1, 16)
	b.buffers.at, b.buffers.left = t.list(2, 16)
	b.parts.at, b.parts.left = t.list(4, 8)
	all := &array{of: &column{layout: structs, children: columns}, length: t.integer(0, 8, 0)}
	if packed := t.table(3); packed.in != nil {
		switch codec := packed.integer(0, 1, 0); codec {
		case 0:
			return nil, errors.New("it is compressed with lz4, which is not read: write it with zstd or without compression")
		case 1:
			b.unpacks = true
		default:
			return nil, fmt.Errorf("the file is damaged: its compression is %d", codec)
		}
	}
	if t.in == nil || t.in.bad || all.length < 0 {
		return nil, errors.New("the file is damaged: a batch of rows has no proper head")
	}
	for _, c := range columns {
		a, err := b.array(c)
		if err == nil && a.length != all.length {
			err = fmt.Errorf("the file is damaged: it has %d values, and its batch %d rows", a.length, all.length)
		}
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.name, err)
		}
		all.children = append(all.children, a)
	}
	if all.length > 8*(int64(len(body))+s.unpacked) { // a row takes a bit at least
		return nil, fmt.Errorf("the file is damaged: it claims %d rows and has %d bytes of them", all.length, len(body))
	}
	return all, nil
}

// mostLength is more values than any file has; products with it do not overflow.
const mostLength = 1 << 48

// array takes the next one.
func (b *batch) array(c *column) (*array, error) {
	node, err := b.nodes.next(16)
	if err != nil {
		return nil, err
	}
	a := &array{of: c, length: int64(b.meta.number(node, 8))}
	if a.length < 0 || a.length > mostLength {
		return nil, fmt.Errorf("the file is damaged: it claims %d values", a.length)
	}
	if c.layout == nothing {
		return a, nil
	}
	valid, err := b.buffer((a.length + 7) / 8 * int64(min(b.meta.number(node+8, 8), 1))) // where no value is null there may be none
	if err != nil {
		return nil, err
	}
	if b.meta.number(node+8, 8) > 0 {
		a.valid = valid
	}
	if err := b.values(a); err != nil {
		return nil, err
	}
	if c.layout < lists {
		return a, nil
	}
	for _, inner := range c.children {
		child, err := b.array(inner)
		if err == nil && (c.layout == structs && child.length < a.length || c.layout == fixedList && c.width > 0 && child.length/c.width < a.length) {
			err = fmt.Errorf("the file is damaged: it has %d values for %d of what it is in", child.length, a.length)
		}
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", inner.name, err)
		}
		a.children = append(a.children, child)
	}
	return a, nil
}

// values takes the buffers of an array that are not its children's.
func (b *batch) values(a *array) (err error) {
	c := a.of
	switch c.layout {
	case bits:
		a.data, err = b.buffer((a.length + 7) / 8)
	case fixed:
		a.data, err = b.buffer(a.length * c.width)
		if c.index != nil {
			a.dictionary = b.dictionaries[c.id]
		}
	case offset, lists, pairsList:
		a.offsets, err = b.buffer((a.length + min(a.length, 1)) * c.width)
		if err == nil && c.layout == offset {
			a.data, err = b.buffer(0)
		}
	case view:
		if a.data, err = b.buffer(a.length * c.width); err != nil {
			return err
		}
		at, err := b.parts.next(8)
		if err != nil {
			return err
		}
		for many := b.meta.number(at, 8); many > 0; many-- {
			part, err := b.buffer(0)
			if err != nil {
				return err
			}
			a.parts = append(a.parts, part)
		}
	}
	return err
}

// buffer takes the next one, which must have so many bytes at least.
func (b *batch) buffer(least int64) ([]byte, error) {
	at, err := b.buffers.next(16)
	if err != nil {
		return nil, err
	}
	begin, length := int64(b.meta.number(at, 8)), int64(b.meta.number(at+8, 8))
	if begin < 0 || length < 0 || begin > int64(len(b.body)) || length > int64(len(b.body))-begin {
		return nil, fmt.Errorf("the file is damaged: %d bytes at byte %d of a batch of %d", length, begin, len(b.body))
	}
	data := b.body[begin:][:length]
	if b.unpacks && length > 0 {
		if data, err = b.unpack(data); err != nil {
			return nil, err
		}
	}
	if int64(len(data)) < least {
		return nil, fmt.Errorf("the file is damaged: it needs %d bytes and has %d", least, len(data))
	}
	return data, nil
}

// unpack unpacks a buffer: it begins with its length, which is -1 where it is not packed.
func (b *batch) unpack(data []byte) (out []byte, err error) {
	if len(data) < 8 {
		return nil, errors.New("the file is damaged: it has a packed buffer of less than 8 bytes")
	}
	length, data := int64(little(data[:8])), data[8:]
	switch {
	case length == -1:
		return data, nil
	case length < 0:
		return nil, fmt.Errorf("the file is damaged: it has a packed buffer of %d bytes", length)
	case length > b.memory-b.held-int64(len(b.body))-b.unpacked:
		return nil, b.tooLarge(length + b.held + int64(len(b.body)) + b.unpacked)
	}
	if b.unpacker == nil {
		if b.unpacker, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true)); err != nil {
			return nil, err
		}
	}
	b.unpacked += length
	out, err = b.unpacker.DecodeAll(data, make([]byte, 0, length))
	if err == nil && int64(len(out)) != length {
		err = errors.New("the length is not what it says")
	}
	if err != nil {
		return nil, fmt.Errorf("the file is damaged: unpack a buffer of %d bytes: %w", length, err)
	}
	return out, nil
}
