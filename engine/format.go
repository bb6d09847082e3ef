package engine

import (
	"fmt"
	"slices"
	"strings"
)

// A Format is how an engine holds the weights of the frozen base.
type Format int

const (
	F32  Format = iota
	BF16        // bfloat16, rounded to nearest, ties to even
	Int8        // one scale for each output: quant.Int8
	NF4         // 4-bit NormalFloat in blocks of 64 along the rows, with double quantisation: quant.NF4
)

var formatNames = []string{"f32", "bf16", "int8", "nf4"}

func (f Format) String() string { return formatNames[f] }

// ParseFormat returns the format called name: f32, bf16, int8 or nf4.
func ParseFormat(name string) (Format, error) {
	if i := slices.Index(formatNames, name); i >= 0 {
		return Format(i), nil
	}
	return 0, fmt.Errorf("weight format %q is not known; write one of %s", name, strings.Join(formatNames, ", "))
}
