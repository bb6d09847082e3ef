package labelled

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"parley/internal/folder"
	"parley/internal/plainfile"
	"parley/task"
	"parley/task/dataset"
)

// An index is what going through a data set has found: which rows are problems of which split, and where they are. It holds nothing of what they
// say but the names of their fields, and the first right answers that contradict others.
type index struct {
	Splits  map[task.Split]*refs
	Fields  []string
	Account string
	LeftOut int
}

// Data sets below so many bytes are gone through each time: that is as fast.
const leastIndexed = 8 << 20

// mostIndexes is how many indexes are kept; the oldest go.
const mostIndexes = 64

// indexFile is where the index of a data set is kept: under the cache folder of the user, by a hash of all that decides it, the contents of all files
// among that, and the program itself, as another build may read rows otherwise. Empty: none is kept.
func (o Options) indexFile(ctx context.Context, form Format) string {
	cache, err := os.UserCacheDir()
	program, failed := os.Executable()
	if err != nil || failed != nil || o.Reads == "" {
		return ""
	}
	hash, all := sha256.New(), int64(0)
	info, err := os.Stat(program)
	if err != nil {
		return ""
	}
	fmt.Fprintln(hash, info.Size(), info.ModTime().UnixNano(), form.Name, o.Reads, o.All, o.SkipBroken, o.Verifier, o.Notes, len(o.Train))
	for _, files := range [][]File{o.Train, o.Test} {
		for _, f := range files {
			file, ok := f.(dataset.File)
			if !ok {
				return ""
			}
			info, err := os.Stat(file.Path)
			if err != nil {
				return ""
			}
			all += info.Size()
			fmt.Fprintf(hash, "%q %d\n", file.Name, info.Size())
		}
	}
	if all < leastIndexed {
		return ""
	}
	for _, files := range [][]File{o.Train, o.Test} {
		for _, f := range files {
			if err := contents(ctx, hash, f.(dataset.File).Path); err != nil {
				return ""
			}
		}
	}
	return filepath.Join(cache, "parley", "data", hex.EncodeToString(hash.Sum(nil))+".index")
}

// contents writes a file into a hash.
func contents(ctx context.Context, to io.Writer, path string) error {
	f, err := plainfile.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(to, plainfile.While(ctx, f))
	return err
}

// loadIndex reads an index. It reports false if the index is missing or damaged; the caller then makes it anew.
func (t *Task) loadIndex(file string) bool {
	data, err := os.ReadFile(file)
	if file == "" || err != nil || len(data) < sha256.Size {
		return false
	}
	body, sum := data[sha256.Size:], sha256.Sum256(data[sha256.Size:])
	var read index
	if !bytes.Equal(sum[:], data[:sha256.Size]) || gob.NewDecoder(bytes.NewReader(body)).Decode(&read) != nil {
		return false
	}
	t.index = read
	now := time.Now()
	_ = os.Chtimes(file, now, now) // it is in use: an older one goes before it
	return true
}

// keepIndex writes the index. If the folder cannot be written, nothing is lost: the next run reads the data set again.
func (t *Task) keepIndex(file string) {
	var body bytes.Buffer
	if file == "" || gob.NewEncoder(&body).Encode(t.index) != nil {
		return
	}
	sum := sha256.Sum256(body.Bytes())
	if os.MkdirAll(filepath.Dir(file), 0o700) != nil || folder.WriteFile(file, append(sum[:], body.Bytes()...)) != nil {
		return
	}
	list, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		return
	}
	for len(list) > mostIndexes {
		oldest, at := 0, time.Time{}
		for i, e := range list {
			if info, err := e.Info(); err == nil && (at.IsZero() || info.ModTime().Before(at)) {
				oldest, at = i, info.ModTime()
			}
		}
		_ = os.Remove(filepath.Join(filepath.Dir(file), list[oldest].Name()))
		list = append(list[:oldest], list[oldest+1:]...)
	}
}
