package modelcmd

import (
	"os"
	"path/filepath"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/model/weights/peft"
)

// wholeModel says that a folder holds a model, such as a full copy that a run trained, and no adapter.
func wholeModel(dir string) bool {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	return has("config.json") && !has(peft.ConfigFile)
}

// noteBase says on stderr that an adapter, whose shapes fit, names another base. Names are compared by their last part, and one may
// go on where the other ends: a quantised file of a model is that model.
func noteBase(a *cli.App, dir, model string) error {
	adapter, err := peft.Open(dir)
	if err != nil {
		return err
	}
	defer adapter.Close()
	last := func(name string) string { return strings.ToLower(filepath.Base(filepath.ToSlash(name))) }
	made, used := last(adapter.Base), last(model)
	if adapter.Base != "" && !strings.HasPrefix(made, used) && !strings.HasPrefix(used, made) {
		a.Sayf("note: the adapter %s was made for %s; its shapes fit %s as well\n", dir, adapter.Base, model)
	}
	return nil
}
