package kernel

import (
	"errors"
	"strings"
	"testing"
)

func TestTilesRefused(t *testing.T) {
	if got := refusalOfTiles(nil); got != "" {
		t.Errorf("no error is %q", got)
	}
	if got := refusalOfTiles(errors.New("arch_prctl: operation not supported")); !strings.HasSuffix(got, "use the tiles of AMX: arch_prctl: operation not supported") {
		t.Errorf("the error became %q", got)
	}
	defer func(before string) { amxRefusal = before }(amxRefusal)
	Available()
	amxRefusal = "no tiles"
	if _, err := New("amx", 1); err == nil || !strings.Contains(err.Error(), `kernel set "amx": no tiles: use one of generic`) {
		t.Errorf("New is %v", err)
	}
	if Refused() != "no tiles" {
		t.Errorf("Refused is %q", Refused())
	}
}

// TestFaultOfTiles: a processor whose tiles add in another order is found out, one that adds in the right one is not.
func TestFaultOfTiles(t *testing.T) {
	if fault := faultOfTiles(genericTiles); fault != "" {
		t.Error(fault)
	}
	backwards := func(b block) {
		b.depth--
		genericTiles(b)
	}
	if fault := faultOfTiles(backwards); fault == "" {
		t.Error("tiles that leave out a pair are found right")
	}
}
