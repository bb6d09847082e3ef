package hub

import (
	"fmt"
	"os"
)

// checkRoom refuses a pull that the disk has no room for, before anything is downloaded. What is there already, whole or in part,
// does not count. Where the free space is not known nothing is refused: a full disk stops the pull cleanly too.
func (p *pull) checkRoom(free func(dir string) (int64, error)) error {
	if free == nil {
		return nil
	}
	if err := os.MkdirAll(p.Cache, 0o755); err != nil {
		return err
	}
	room, err := free(p.Cache)
	if err != nil {
		return nil
	}
	missing := p.progress.Total
	for _, f := range p.files {
		for _, name := range []string{p.blob(f), p.blob(f) + ".incomplete"} {
			if info, err := os.Stat(name); err == nil {
				missing -= min(info.Size(), f.Bytes)
				break
			}
		}
	}
	if missing > room {
		return fmt.Errorf("%.1f MiB are to be downloaded, but the disk of %s has only %.1f MiB free: free some space, or set HF_HOME to a folder on another disk",
			float64(missing)/(1<<20), p.Cache, float64(room)/(1<<20))
	}
	return nil
}
