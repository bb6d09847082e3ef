package columnar

import "encoding/binary"

// A flat is a FlatBuffer, in which Arrow has its metadata: tables whose fields are found by offsets. A place outside of it reads as 0 and
// makes it bad.
type flat struct {
	data []byte
	bad  bool
}

// number is an unsigned one of up to 8 bytes at a place.
func (f *flat) number(at, size int64) uint64 {
	if at < 0 || at > int64(len(f.data))-size {
		f.bad = true
		return 0
	}
	var wide [8]byte
	copy(wide[:], f.data[at:at+size])
	return binary.LittleEndian.Uint64(wide[:])
}

// table is the one that an offset at a place leads to.
func (f *flat) table(at int64) table {
	at += int64(f.number(at, 4))
	fields := at - signed(f.number(at, 4), 4)
	return table{in: f, at: at, fields: fields, size: int64(f.number(fields, 2))}
}

// signed is a number of some bytes with its sign.
func signed(x uint64, size int64) int64 {
	shift := 64 - 8*size
	return int64(x<<shift) >> shift
}

// A table is one of a FlatBuffer; the zero one has no fields.
type table struct {
	in     *flat
	at     int64
	fields int64 // where the places of its fields are
	size   int64 // of those
}

// find is where a field is; 0: it is not there.
func (t table) find(field int64) int64 {
	slot := 4 + 2*field
	if t.in == nil || slot+2 > t.size {
		return 0
	}
	if offset := t.in.number(t.fields+slot, 2); offset != 0 {
		return t.at + int64(offset)
	}
	return 0
}

// integer is a field of some bytes, or what stands for one that is not there.
func (t table) integer(field, size, missing int64) int64 {
	at := t.find(field)
	if at == 0 {
		return missing
	}
	return signed(t.in.number(at, size), size)
}

// table is a field that is one.
func (t table) table(field int64) table {
	if at := t.find(field); at != 0 {
		return t.in.table(at)
	}
	return table{}
}

// list is a field that lists what has some bytes each: where it begins and how many there are.
func (t table) list(field, size int64) (at, n int64) {
	if at = t.find(field); at == 0 {
		return 0, 0
	}
	at += int64(t.in.number(at, 4))
	n = int64(t.in.number(at, 4))
	if at += 4; n*size > int64(len(t.in.data))-at {
		t.in.bad = true
		return 0, 0
	}
	return at, n
}

// text is a field that is one.
func (t table) text(field int64) string {
	at, n := t.list(field, 1)
	if n == 0 {
		return ""
	}
	return string(t.in.data[at : at+n])
}

// tables are a field that lists some.
func (t table) tables(field int64) (all []table) {
	at, n := t.list(field, 4)
	for i := range n {
		all = append(all, t.in.table(at+4*i))
	}
	return all
}
