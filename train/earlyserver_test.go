package train_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"parley/recipe"
	"parley/rl/learn"
	"parley/train/shortrun"
)

// TestRewardsOfAServerAreAskedForEarly: while the engine samples, the server is asked about what has been sampled, and the timeline says so.
func TestRewardsOfAServerAreAskedForEarly(t *testing.T) {
	var calls atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		calls.Add(1)
		_, _ = io.Copy(io.Discard, req.Body)
		_, _ = io.WriteString(w, "0.5")
	}))
	defer s.Close()
	r := shortrun.Load(t, "magrpo-tiny", append([]string{"reward.source=user", "reward.user.url=" + s.URL, "training.updates=1", "training.problems=6"}, shortrun.Small...)...)
	result, metrics := shortrun.Run(t, r)
	trace, err := os.ReadFile(filepath.Join(result.Dir, "trace.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(trace), `"cat":"judge"`) {
		t.Errorf("nothing was judged early:\n%s", trace)
	}
	if least := int32(6 * recipe.Section[learn.Group](r).Size); calls.Load() < least || shortrun.Reward(metrics) != 0.5 {
		t.Errorf("%d calls, at least %d were due; reward %v", calls.Load(), least, shortrun.Reward(metrics))
	}
}
