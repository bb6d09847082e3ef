package scalars

import (
	"encoding/binary"
	"math"
)

// The fields of TensorFlow's protocol buffers Event, Summary and Summary.Value that are written, each with its number and its type on the
// wire: key = number·8 + type, where type 0 is a variable number, 1 eight bytes, 2 a length and as many bytes, 5 four bytes.
const (
	eventWallTime    = 1<<3 | 1 // seconds since 1970, double
	eventStep        = 2 << 3   // type 0
	eventFileVersion = 3<<3 | 2
	eventSummary     = 5<<3 | 2
	summaryValue     = 1<<3 | 2
	valueTag         = 1<<3 | 2
	valueSimple      = 2<<3 | 5 // float
)

// versionEvent is what a file begins with.
func versionEvent(seconds float64) []byte {
	return appendText(appendWallTime(nil, seconds), eventFileVersion, "brain.Event:2")
}

// scalarEvent holds the scalars of one step.
func scalarEvent(seconds float64, step int, list []Scalar) []byte {
	var summary []byte
	for _, s := range list {
		value := appendText(nil, valueTag, s.Name)
		value = binary.LittleEndian.AppendUint32(append(value, valueSimple), math.Float32bits(float32(s.Value)))
		summary = appendText(summary, summaryValue, string(value))
	}
	event := appendWallTime(nil, seconds)
	event = binary.AppendUvarint(append(event, eventStep), uint64(step))
	return appendText(event, eventSummary, string(summary))
}

func appendWallTime(b []byte, seconds float64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, eventWallTime), math.Float64bits(seconds))
}

func appendText(b []byte, key byte, text string) []byte {
	b = binary.AppendUvarint(append(b, key), uint64(len(text)))
	return append(b, text...)
}

// stepOf reads the step of an event that [scalarEvent] made; ok is false for another one.
func stepOf(event []byte) (step int, ok bool) {
	const wall = 9 // bytes of the wall time and its key
	if len(event) < wall+2 || event[wall] != eventStep {
		return 0, false
	}
	n, size := binary.Uvarint(event[wall+1:])
	return int(n), size > 0
}
