package scalars

import (
	"encoding/binary"
	"hash/crc32"
	"math"
)

// castagnoli is the polynomial of TFRecord's checksums.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked is the checksum of data as TFRecord stores it: rotated by 15 bits and shifted by a constant, so that the checksum of data that
// hold checksums is still one.
func masked(data []byte) uint32 {
	sum := crc32.Checksum(data, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}

// appendRecord appends a TFRecord: the length of data as 8 bytes, its masked checksum, data, their masked checksum. Numbers begin with their
// least byte.
func appendRecord(b, data []byte) []byte {
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	b = append(b, length...)
	b = binary.LittleEndian.AppendUint32(b, masked(length))
	b = append(b, data...)
	return binary.LittleEndian.AppendUint32(b, masked(data))
}

// nextRecord splits the first record off b; ok is false where it is not whole.
func nextRecord(b []byte) (data, rest []byte, ok bool) {
	if len(b) < 12 || binary.LittleEndian.Uint32(b[8:]) != masked(b[:8]) {
		return nil, nil, false
	}
	n := binary.LittleEndian.Uint64(b)
	if n > math.MaxInt32 || uint64(len(b)) < 16+n {
		return nil, nil, false
	}
	data = b[12 : 12+n]
	return data, b[16+n:], binary.LittleEndian.Uint32(b[12+n:]) == masked(data)
}
