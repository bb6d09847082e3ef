package quant

import "math"

// Int8 is a matrix with one scale per row: x[i,j] is Q[i,j]*(Absmax[i]/127).
type Int8 struct {
	Rows, Cols int
	Q          []int8    // [Rows, Cols]
	Absmax     []float32 // [Rows] greatest magnitude of each row
}

// QuantizeInt8 rounds x [rows, cols] to int8, q = round(x*(127/absmax)) with ties to even. A row of zeros has absmax 0.
func QuantizeInt8(rows, cols int, x []float32) *Int8 {
	m := &Int8{Rows: rows, Cols: cols, Q: make([]int8, rows*cols), Absmax: make([]float32, rows)}
	for i := range rows {
		row := x[i*cols : (i+1)*cols]
		a := absmax(row)
		m.Absmax[i] = a
		if a == 0 {
			continue
		}
		scale := 127 / a
		for j, v := range row {
			q := float64(v * scale)
			if math.IsInf(float64(scale), 0) { // all values of the row are below 4e-37
				q = float64(v) / float64(a) * 127
			}
			m.Q[i*cols+j] = int8(math.RoundToEven(q))
		}
	}
	return m
}

// absmax is the greatest magnitude in x.
func absmax(x []float32) float32 {
	var a float32
	for _, v := range x {
		a = max(a, float32(math.Abs(float64(v))))
	}
	return a
}
