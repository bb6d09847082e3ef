package quant

// bfloat16 has 8 exponent bits and 7 mantissa bits: it is float32 with its lower half cut off. IEEE 754 binary16 has 5 and 10. Widening is exact.
// Narrowing rounds to nearest, ties to even, as the papers' training code does: truncation would move every weight towards zero.
import "math"

// FromBF16 widens a bfloat16.
func FromBF16(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

// ToBF16 rounds f to the nearest bfloat16, ties to even. NaN stays NaN (quiet), overflow becomes infinity.
func ToBF16(f float32) uint16 {
	b := math.Float32bits(f)
	if b&0x7fffffff > 0x7f800000 {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// FromF16 widens a binary16, subnormals and NaN payloads included.
func FromF16(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp := uint32(h>>10) & 0x1f
	frac := uint32(h) & 0x3ff
	switch exp {
	case 0: // zero or subnormal: frac * 2^-24, exact in float32
		f := float32(frac) * 0x1p-24
		return math.Float32frombits(sign | math.Float32bits(f))
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// ToF16 rounds f to the nearest binary16, ties to even. NaN stays NaN (quiet), overflow becomes infinity.
func ToF16(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return sign | 0x7e00 | uint16(b>>13&0x3ff)
	case b >= 0x47800000: // 2^16 and above, infinity
		return sign | 0x7c00
	case b < 0x38800000: // below 2^-14: subnormal. Adding 0.5 leaves the rounded multiple of 2^-24 in the mantissa.
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-0x3f000000)
	}
	return sign | uint16((b-0x38000000+0xfff+b>>13&1)>>13)
}
