package provenance

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"parley/internal/usererror"
	"parley/recipe"
	"parley/runs"
)

// MarkTrusted is what a run bears in its run.json: that this user made it, with this recipe, whose text there is text. A recipe that does nothing
// outside needs none, and no key is made for it. An error is no reason not to train: a run without a mark is one that was made elsewhere.
func MarkTrusted(r *recipe.Recipe, text string) (string, error) {
	list, err := Reach(r)
	if err != nil || len(list) == 0 {
		return "", err
	}
	key, err := ownKey()
	if err != nil {
		return "", fmt.Errorf(usererror.Spoken("the run is not marked as made here, and will need --trust to go on: %w"), err)
	}
	return sum(key, text), nil
}

// RenewTrust gives a run that this process writes the mark for the recipe that it has now.
func RenewTrust(run *runs.Run, r *recipe.Recipe) error {
	mark, err := MarkTrusted(r, run.Meta().Recorded())
	if err != nil || mark == run.Meta().Mark {
		return err
	}
	return run.Amend(func(m *runs.Meta) { m.Mark = mark })
}

// sum is the mark of a recipe's text. It cannot be made without the key.
func sum(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("parley run\x00" + text))
	return hex.EncodeToString(mac.Sum(nil))
}

// marked reports whether a run bears the right mark. Where the key cannot be read, no run does.
func marked(meta runs.Meta) bool {
	name, err := keyFile()
	if err != nil {
		return false
	}
	key, err := readKey(name)
	return err == nil && hmac.Equal([]byte(sum(key, meta.Recorded())), []byte(meta.Mark))
}

const keyBytes = 32

// keyFile is where the user's key lies.
func keyFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "parley", "key"), nil
}

// readKey reads a key; it wraps [fs.ErrNotExist] where there is none.
func readKey(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := make([]byte, 2*keyBytes)
	if _, err := io.ReadFull(f, text); err != nil {
		return nil, fmt.Errorf(usererror.Spoken("%s is no key: remove it; runs that were made before then need --trust"), name)
	}
	key, err := hex.DecodeString(string(text))
	if err != nil {
		return nil, fmt.Errorf(usererror.Spoken("%s is no key: remove it; runs that were made before then need --trust"), name)
	}
	return key, nil
}

// ownKey is the user's key, which is made where there is none.
func ownKey() ([]byte, error) {
	name, err := keyFile()
	if err != nil {
		return nil, err
	}
	if key, err := readKey(name); !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	if err := newKey(name); err != nil && !errors.Is(err, fs.ErrExist) { // another process may have been quicker
		return nil, err
	}
	return readKey(name)
}

// newKey makes a key under a name that nobody has, whole or not at all.
func newKey(name string) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".key-*") // for its owner only
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	key := make([]byte, keyBytes)
	if _, err := rand.Read(key); err != nil {
		return errors.Join(err, f.Close())
	}
	_, err = f.WriteString(hex.EncodeToString(key) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), name); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(f.Name(), name) // a file system without links
}
