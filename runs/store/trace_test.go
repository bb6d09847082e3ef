package store

import (
	"encoding/json"
	"testing"
)

// FuzzTrace checks that what is kept of any file is the start of an array: closed, it is JSON.
func FuzzTrace(f *testing.F) {
	for _, s := range []string{"[\n{}\n]\n", "[\n{},\n{\"args\":{\"update\":9}}\n]\n", "[\n{},\n{}", "{}\n", "[\n{}\n{}", "[\n{},", "[\n{},,\n{}"} {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, data []byte, most int) {
		size := wholeEvents(data, most)
		if size == 0 {
			return
		}
		var events []traceEvent
		if err := json.Unmarshal(append(data[:size:size], "\n]\n"...), &events); err != nil {
			t.Fatalf("%v in %q", err, data[:size])
		}
		for _, e := range events {
			if e.Args.Update > most {
				t.Errorf("an event of update %d was kept, most is %d", e.Args.Update, most)
			}
		}
	})
}
