package parquet

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
		return str
	case *format.JsonType:
		return embedded
	case *format.UUIDType:
		return sure(func(v parquet.Value) any { return uuid(v.Bytes()) })
	case *format.DateType:
		return sure(date)
	case *format.TimestampType:
		return sure(timestamp(unit(t.Unit), t.IsAdjustedToUTC))
	case *format.TimeType:
		return sure(clock(unit(t.Unit)))
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
		return str
	case deprecated.Json:
		return embedded
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return sure(integer(false))
	case deprecated.Date:
		return sure(date)
	case deprecated.TimestampMillis:
		return sure(timestamp(time.Millisecond, true))
	case deprecated.TimestampMicros:
		return sure(timestamp(time.Microsecond, true))
	case deprecated.TimeMillis:
		return sure(clock(time.Millisecond))
	case deprecated.TimeMicros:
		return sure(clock(time.Microsecond))
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
	return sure(func(v parquet.Value) any {
		if data := v.Bytes(); !utf8.Valid(data) {
			return data
		}
		return string(v.Bytes())
	})
}

// sure is a conversion that cannot fail.
func sure(convert func(parquet.Value) any) func(parquet.Value) (any, error) {
	return func(v parquet.Value) (any, error) { return convert(v), nil }
}

// str is a text, which must be one: a reader would put the replacement character in the place of what is none.
func str(v parquet.Value) (any, error) {
	if !utf8.Valid(v.Bytes()) {
		return nil, errors.New("its text is not UTF-8")
	}
	return string(v.Bytes()), nil
}

// embedded is a text that is itself JSON. One with an escape that could be half of a surrogate pair stays a text, as it is.
func embedded(v parquet.Value) (any, error) {
	if data := v.Bytes(); json.Valid(data) && utf8.Valid(data) && !strings.Contains(strings.ToLower(string(data)), `\ud`) {
		return json.RawMessage(append([]byte(nil), data...)), nil
	}
	return str(v)
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
	return func(v parquet.Value) (any, error) {
		if scale < 0 || scale > mostScale {
			return nil, errors.New("its decimals have " + strconv.Itoa(scale) + " places: the file is damaged")
		}
		digits := unscaled(v)
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
}

// unscaled is the integer of a decimal: bytes hold it in two's complement, the first ones first.
func unscaled(v parquet.Value) *big.Int {
	switch v.Kind() {
	case parquet.Int32:
		return big.NewInt(int64(v.Int32()))
	case parquet.Int64:
		return big.NewInt(v.Int64())
	}
	data := v.Bytes()
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
