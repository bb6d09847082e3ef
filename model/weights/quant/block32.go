package quant

import "encoding/binary"

// The formats with 32 elements in a block: a scale d (and for the _1 kinds a minimum m) in binary16, then the elements.
// Byte j of the 4- and 5-bit kinds holds element j in its low half and element j+16 in its high half; the fifth bits
// of all elements are bits 0 to 31 of a word before them.

// q8_0: x = d*q, q a signed byte.
func q8_0(dst []float32, b []byte) {
	d, q := f16(b), b[2:]
	for j := range dst {
		dst[j] = float32(int8(q[j])) * d
	}
}

// q4_0: x = d*(q-8).
func q4_0(dst []float32, b []byte) {
	d, q := f16(b), b[2:]
	for j := range 16 {
		dst[j] = float32(int(q[j]&15)-8) * d
		dst[j+16] = float32(int(q[j]>>4)-8) * d
	}
}

// q4_1: x = d*q + m.
func q4_1(dst []float32, b []byte) {
	d, m, q := f16(b), f16(b[2:]), b[4:]
	for j := range 16 {
		dst[j] = float32(float32(q[j]&15)*d) + m
		dst[j+16] = float32(float32(q[j]>>4)*d) + m
	}
}

// q5_0: x = d*(q-16).
func q5_0(dst []float32, b []byte) {
	d, high, q := f16(b), binary.LittleEndian.Uint32(b[2:]), b[6:]
	for j := range 16 {
		dst[j] = float32(int(q[j]&15|fifth(high, j))-16) * d
		dst[j+16] = float32(int(q[j]>>4|fifth(high, j+16))-16) * d
	}
}

// q5_1: x = d*q + m.
func q5_1(dst []float32, b []byte) {
	d, m, high, q := f16(b), f16(b[2:]), binary.LittleEndian.Uint32(b[4:]), b[8:]
	for j := range 16 {
		dst[j] = float32(float32(q[j]&15|fifth(high, j))*d) + m
		dst[j+16] = float32(float32(q[j]>>4|fifth(high, j+16))*d) + m
	}
}

// fifth is bit j of high, in the place of bit 4.
func fifth(high uint32, j int) byte { return byte(high>>j&1) << 4 }
