package quant

// The K formats: 256 elements in a super-block of sub-blocks, whose own scales are small integers times one binary16
// scale of the super-block.

// scaleMin unpacks the 6-bit scale and minimum of sub-block j (of 8) from the 12 bytes that Q4_K and Q5_K share. The first
// four lie in the low six bits of bytes j and j+4; the others are split, their top two bits above those.
func scaleMin(b []byte, j int) (scale, minimum float32) {
	if j < 4 {
		return float32(b[j] & 63), float32(b[j+4] & 63)
	}
	return float32(b[j+4]&15 | b[j-4]>>6<<4), float32(b[j+4]>>4 | b[j]>>6<<4)
}

// q4K: x = (d*scale)*q - dmin*minimum over sub-blocks of 32. Sub-blocks 2i and 2i+1 are the low and high halves of the same
// 32 bytes.
func q4K(dst []float32, b []byte) {
	d, dmin, scales, q := f16(b), f16(b[2:]), b[4:16], b[16:]
	for j := range 8 {
		scale, minimum := scaleMin(scales, j)
		step, offset := d*scale, dmin*minimum
		for l := range 32 {
			v := q[j/2*32+l] >> (j % 2 * 4) & 15
			dst[j*32+l] = float32(step*float32(v)) - offset
		}
	}
}

// q5K is q4K with a fifth bit: bit j of byte l for element l of sub-block j.
func q5K(dst []float32, b []byte) {
	d, dmin, scales, high, q := f16(b), f16(b[2:]), b[4:16], b[16:48], b[48:]
	for j := range 8 {
		scale, minimum := scaleMin(scales, j)
		step, offset := d*scale, dmin*minimum
		for l := range 32 {
			v := q[j/2*32+l]>>(j%2*4)&15 | high[l]>>j&1<<4
			dst[j*32+l] = float32(step*float32(v)) - offset
		}
	}
}

// q6K: x = (d*scale)*(q-32) over sub-blocks of 16 with signed 8-bit scales. In each half of 128, element 32k+l (k < 4) has
// its low four bits in half k/2 of byte l + 32*(k%2), its high two bits at 2k in byte l of the second array.
func q6K(dst []float32, b []byte) {
	low, high, scales, d := b[:128], b[128:192], b[192:208], f16(b[208:])
	for i := range dst {
		n, k, l := i/128, i/32%4, i%32
		v := low[n*64+k%2*32+l]>>(k/2*4)&15 | high[n*32+l]>>(2*k)&3<<4
		dst[i] = float32(d*float32(int8(scales[i/16]))) * float32(int(v)-32)
	}
}
