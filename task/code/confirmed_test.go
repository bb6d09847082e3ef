package code

import "testing"

// TestConfirmed: a main that depends on what it is answered is confirmed; one that fails every so many runs is not, wherever it begins to count.
func TestConfirmed(t *testing.T) {
	failures := make([]trial, 6)
	for i := range failures {
		failures[i].instead = &instead{constantly, i}
	}
	runs := 0
	honest := func(t trial) (bool, error) {
		runs++
		return t.instead == nil, nil
	}
	if ok, err := confirmed(failures, honest); !ok || err != nil || runs != 2*confirmations*len(failures) {
		t.Errorf("an honest main: %v, %v, in %d runs", ok, err, runs)
	}
	for every := 2; every < 5; every++ {
		for begin := range every {
			n := begin
			counting := func(t trial) (bool, error) {
				n++
				return n%every != 0, nil
			}
			if ok, err := confirmed(failures, counting); ok || err != nil {
				t.Errorf("a main that fails every %d runs, from %d on: %v, %v", every, begin, ok, err)
			}
		}
	}
}
