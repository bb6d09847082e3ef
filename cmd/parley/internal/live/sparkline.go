package live

import (
	"math"
	"strings"
)

// sparkline draws a series in at most so many columns, from its least to its greatest value; each column is the mean of its part. What is not
// finite leaves its column blank.
func sparkline(series []float64, columns int) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	columns = min(columns, len(series))
	means := make([]float64, columns)
	least, most := math.Inf(1), math.Inf(-1)
	for i := range means {
		from, to := i*len(series)/columns, (i+1)*len(series)/columns
		sum := 0.0
		for _, v := range series[from:to] {
			sum += v / float64(to-from)
		}
		means[i] = sum
		if !math.IsNaN(sum) && !math.IsInf(sum, 0) {
			least, most = min(least, sum), max(most, sum)
		}
	}
	var b strings.Builder
	for _, v := range means {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			b.WriteByte(' ')
		case most == least:
			b.WriteRune(levels[0])
		default:
			b.WriteRune(levels[int((v-least)/(most-least)*float64(len(levels)-1)+0.5)])
		}
	}
	return b.String()
}
