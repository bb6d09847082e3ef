package columnar

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// converter returns what makes JSON of the values of a leaf. Numbers are written so that they say what they are: an unsigned integer as
// such, a decimal with all its digits, a float with a point. NaN and the infinities, which JSON has not, are null. Dates and times are in
// ISO 8601. Bytes are a text where they are UTF-8, else in base64.
func converter(e *format.SchemaElement) func(parquet.Value) (any, error) {
	switch t := e.LogicalType.Value.(type) {
	case *format.DecimalType:
		return decimal(int(t.Scale))
	case *format.Float16Type:
		return sure(func(v parquet.Value) any { return number(float64(half(v.Bytes())), 32) })
	case *format.IntType:
		return sure(integer(t.IsSigned))
	case *format.StringType, *format.EnumType:
		return onBytes(text)
	case *format.JsonType:
		return onBytes(embedded)
	case *format.UUIDType:
		return sure(func(v parquet.Value) any { return uuid(v.Bytes()) })
	case *format.DateType:
		return steps(date)
	case *format.TimestampType:
		return steps(timestamp(unit(t.Unit), t.IsAdjustedToUTC))
	case *format.TimeType:
		return steps(clock(unit(t.Unit)))
	}
	if e.ConvertedType.Valid {
		if c := converted(e); c != nil {
			return c
		}
	}
	return physical(e.Type.V)
}

// converted is [converter] for files that annotate columns in the old way alone.
func converted(e *format.SchemaElement) func(parquet.Value) (any, error) {
	switch e.ConvertedType.V {
	case deprecated.Decimal:
		return decimal(int(e.Scale.V))
	case deprecated.UTF8, deprecated.Enum:
		return onBytes(text)
	case deprecated.Json:
		return onBytes(embedded)
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return sure(integer(false))
	case deprecated.Date:
		return steps(date)
	case deprecated.TimestampMillis:
		return steps(timestamp(time.Millisecond, true))
	case deprecated.TimestampMicros:
		return steps(timestamp(time.Microsecond, true))
	case deprecated.TimeMillis:
		return steps(clock(time.Millisecond))
	case deprecated.TimeMicros:
		return steps(clock(time.Microsecond))
	}
	return nil
}

// physical converts what has no annotation.
func physical(t format.Type) func(parquet.Value) (any, error) {
	switch t {
	case format.Boolean:
		return sure(func(v parquet.Value) any { return v.Boolean() })
	case format.Int32, format.Int64:
		return sure(integer(true))
	case format.Int96:
		return sure(func(v parquet.Value) any { return julian(v.Int96()) })
	case format.Float:
		return sure(func(v parquet.Value) any { return number(float64(v.Float()), 32) })
	case format.Double:
		return sure(func(v parquet.Value) any { return number(v.Double(), 64) })
	}
	return onBytes(octets)
}

// sure is a conversion that cannot fail.
func sure(convert func(parquet.Value) any) func(parquet.Value) (any, error) {
	return func(v parquet.Value) (any, error) { return convert(v), nil }
}

// onBytes is a conversion of bytes.
func onBytes(convert func(data []byte) (any, error)) func(parquet.Value) (any, error) {
	return func(v parquet.Value) (any, error) { return convert(v.Bytes()) }
}

// text must be one: a reader would put the replacement character in the place of what is none.
func text(data []byte) (any, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("its text is not UTF-8")
	}
	return string(data), nil
}

// octets are a text where they can be one.
func octets(data []byte) (any, error) {
	if !utf8.Valid(data) {
		return data, nil
	}
	return string(data), nil
}

// embedded is a text that is itself JSON. One with an escape that could be half of a surrogate pair stays a text, as it is.
func embedded(data []byte) (any, error) {
	if json.Valid(data) && utf8.Valid(data) && !strings.Contains(strings.ToLower(string(data)), `\ud`) {
		return json.RawMessage(append([]byte(nil), data...)), nil
	}
	return text(data)
}

func integer(signed bool) func(parquet.Value) any {
	return func(v parquet.Value) any {
		switch narrow := v.Kind() == parquet.Int32; {
		case narrow && signed:
			return v.Int32()
		case narrow:
			return v.Uint32()
		case signed:
			return v.Int64()
		}
		return v.Uint64()
	}
}

// number is a float as Python writes it: 2.0, not 2.
func number(x float64, bits int) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	form := byte('f')
	if a := math.Abs(x); a != 0 && (a < 1e-4 || a >= 1e16) {
		form = 'e'
	}
	text := strconv.FormatFloat(x, form, -1, bits)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return json.Number(text)
}

// half reads a float of 16 bits: a sign, 5 bits of exponent, 10 of fraction.
func half(data []byte) float32 {
	if len(data) != 2 {
		return float32(math.NaN())
	}
	bits := binary.LittleEndian.Uint16(data)
	exponent, fraction := int(bits>>10&0x1f), float64(bits&0x3ff)
	var x float64
	switch exponent {
	case 0:
		x = math.Ldexp(fraction, -24)
	case 0x1f:
		x = math.Inf(1)
		if fraction > 0 {
			x = math.NaN()
		}
	default:
		x = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 == 1 {
		x = -x
	}
	return float32(x)
}

// mostScale bounds the places behind the point, which a damaged file could claim without end.
const mostScale = 1000

// decimal writes integers as multiples of 10 to the power of −scale.
func decimal(scale int) func(parquet.Value) (any, error) {
	return func(v parquet.Value) (any, error) { return scaled(unscaled(v), scale) }
}

func scaled(digits *big.Int, scale int) (any, error) {
	if scale < 0 || scale > mostScale {
		return nil, errors.New("its decimals have " + strconv.Itoa(scale) + " places: the file is damaged")
	}
	sign := ""
	if digits.Sign() < 0 {
		sign = "-"
		digits.Neg(digits)
	}
	text := digits.String()
	if missing := scale + 1 - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	if scale > 0 {
		text = text[:len(text)-scale] + "." + text[len(text)-scale:]
	}
	return json.Number(sign + text), nil
}

// unscaled is the integer of a decimal: bytes hold it in two's complement, the first ones first.
func unscaled(v parquet.Value) *big.Int {
	switch v.Kind() {
	case parquet.Int32:
		return big.NewInt(int64(v.Int32()))
	case parquet.Int64:
		return big.NewInt(v.Int64())
	}
	return twosComplement(v.Bytes())
}

func twosComplement(data []byte) *big.Int {
	n := new(big.Int).SetBytes(data)
	if len(data) > 0 && data[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(data))))
	}
	return n
}

func uuid(data []byte) string {
	if len(data) != 16 {
		return hex.EncodeToString(data)
	}
	return hex.EncodeToString(data[:4]) + "-" + hex.EncodeToString(data[4:6]) + "-" + hex.EncodeToString(data[6:8]) + "-" +
		hex.EncodeToString(data[8:10]) + "-" + hex.EncodeToString(data[10:])
}
