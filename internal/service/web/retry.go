package web

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

const (
	longestPause = time.Minute     // between two tries, of one's own accord
	longestAsked = 2 * time.Minute // that a server may ask for
)

// Pause is how long to wait after so many failures, from 1: it doubles from the first on, up to a bound. Chance takes up to a half of
// it, so that those who failed together do not come back together.
func Pause(first time.Duration, failures int) time.Duration {
	pause := first
	for i := 1; i < failures && pause < longestPause; i++ {
		pause *= 2
	}
	pause = min(pause, longestPause)
	return pause - rand.N(pause/2+1)
}

// Asked is how long a server asks to be left alone: its Retry-After, seconds or a date, up to a bound. 0: it does not ask.
func Asked(answer *http.Response) time.Duration {
	text := answer.Header.Get("Retry-After")
	if n, err := strconv.ParseUint(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(n, uint64(longestAsked/time.Second))) * time.Second
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(answer.Header.Get("Date")) // the server's clock, where it tells it
	if err != nil {
		now = time.Now()
	}
	return min(max(until.Sub(now), 0), longestAsked)
}
