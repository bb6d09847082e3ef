package columnar

import (
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

const (
	wallClock = "2006-01-02T15:04:05.999999999" // of no time zone
	instant   = wallClock + "Z07:00"
)

// unit is how long one step of a time is.
func unit(u format.TimeUnit) time.Duration {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return time.Millisecond
	case *format.MicroSeconds:
		return time.Microsecond
	}
	return time.Nanosecond
}

// date counts days since 1970.
func date(days int64) any {
	return time.Unix(0, 0).UTC().AddDate(0, 0, int(days)).Format(time.DateOnly)
}

// timestamp counts steps since 1970.
func timestamp(step time.Duration, utc bool) func(int64) any {
	perSecond := int64(time.Second / step)
	form := wallClock
	if utc {
		form = instant
	}
	return func(n int64) any { return time.Unix(n/perSecond, n%perSecond*int64(step)).UTC().Format(form) }
}

// clock counts steps since midnight.
func clock(step time.Duration) func(int64) any {
	perSecond := int64(time.Second / step)
	return func(n int64) any {
		return time.Unix(n/perSecond, n%perSecond*int64(step)).UTC().Format("15:04:05.999999999")
	}
}

// steps is a conversion of what counts days or shorter steps.
func steps(convert func(int64) any) func(parquet.Value) (any, error) {
	return func(v parquet.Value) (any, error) {
		if v.Kind() == parquet.Int32 {
			return convert(int64(v.Int32())), nil
		}
		return convert(v.Int64()), nil
	}
}

// epoch is the Julian day of 1970-01-01.
const epoch = 2440588

// julian reads a time of 96 bits: nanoseconds of the day, then the Julian day.
func julian(x deprecated.Int96) string {
	nanoseconds := int64(uint64(x[1])<<32 | uint64(x[0]))
	return time.Unix((int64(x[2])-epoch)*86400, nanoseconds).UTC().Format(wallClock)
}
