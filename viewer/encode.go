package viewer

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
)

// encode is a value as JSON. JSON has no infinity, which sums of huge numbers may reach. An infinite number is written as the largest finite one, or
// as null where it may be absent. So one run with such numbers does not keep others from being shown.
func encode(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if errors.As(err, new(*json.UnsupportedValueError)) {
		return json.Marshal(finite(reflect.ValueOf(v)).Interface())
	}
	return data, err
}

// finite is a copy of a value in which every number is one that JSON can hold. It must have no pointer to itself.
func finite(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		out.SetFloat(nearest(v.Float(), v.Type().Bits()))
	case reflect.Pointer:
		if v.IsNil() {
			break
		}
		if e := v.Elem(); e.CanFloat() && nearest(e.Float(), e.Type().Bits()) != e.Float() {
			out.SetZero()
			break
		}
		out.Set(reflect.New(v.Type().Elem()))
		out.Elem().Set(finite(v.Elem()))
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(finite(v.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if out.Field(i).CanSet() {
				out.Field(i).Set(finite(v.Field(i)))
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		}
		for i := range v.Len() {
			out.Index(i).Set(finite(v.Index(i)))
		}
	case reflect.Map:
		if v.IsNil() {
			break
		}
		out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
		for at := v.MapRange(); at.Next(); {
			out.SetMapIndex(at.Key(), finite(at.Value()))
		}
	default: // it holds no number that is not whole
	}
	return out
}

// nearest is the nearest number of so many bits that is finite; 0 for what is none.
func nearest(x float64, bits int) float64 {
	most := math.MaxFloat64
	if bits == 32 {
		most = math.MaxFloat32
	}
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, -most), most)
}
