package runs

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"parley/internal/folder"
	"parley/runs/store"
)

// Bounds on what a file of episodes may unpack to: a hostile one is an error, not a full memory.
const (
	maxEpisode  = 256 << 20 // bytes of one line
	maxEpisodes = 16 << 30  // bytes of one file
	maxWindow   = 64 << 20  // of the decompressor's memory
)

// EpisodeFile is the path in a run of the episodes of an update.
func EpisodeFile(update int) string { return store.EpisodesFile(update) }

// WriteEpisodes writes the episodes of one update: write calls enc once for each, in order. Equal episodes give equal bytes.
// An error of write leaves no file.
func (r *Run) WriteEpisodes(update int, write func(enc func(v any) error) error) error {
	return r.WriteStream(EpisodeFile(update), func(w io.Writer) error {
		sum := sha256.New()
		err := store.WriteLines(io.MultiWriter(w, sum), write)
		r.written.update, r.written.sum = update, hex.EncodeToString(sum.Sum(nil))
		return err
	})
}

// ReadEpisodes calls each with the JSON text of every episode of an update, in order. The slice is reused. It needs no lock.
func ReadEpisodes(dir string, update int, each func(episode []byte) error) error {
	return EpisodeLines(dir, update, onlyJSON(each))
}

func onlyJSON(each func(episode []byte) error) func(line []byte) error {
	return func(line []byte) error {
		if !json.Valid(line) {
			return errors.New("it is not JSON")
		}
		return each(line)
	}
}

// EpisodeLines is [ReadEpisodes] for those who go on behind an episode that is damaged: lines need not be JSON.
func EpisodeLines(dir string, update int, each func(line []byte) error) error {
	return PackedLines(dir, EpisodeFile(update), each)
}

// PackedLines calls each with every line of a packed file of the run in dir.
func PackedLines(dir, name string, each func(line []byte) error) error {
	f, err := folder.File(dir, name)
	if err != nil {
		return fmt.Errorf("read episodes: %w", err)
	}
	defer f.Close()
	if err := readEpisodes(f, maxEpisode, maxEpisodes, each); err != nil {
		return fmt.Errorf("read %s: %w", filepath.Join(dir, filepath.FromSlash(name)), err)
	}
	return nil
}

func readEpisodes(r io.Reader, maxLine int, maxTotal int64, each func(episode []byte) error) error {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		return err
	}
	defer z.Close()
	whole := &io.LimitedReader{R: z, N: maxTotal + 1}
	lines := bufio.NewScanner(whole)
	lines.Buffer(make([]byte, 0, min(64<<10, maxLine)), maxLine)
	n := 0
	for lines.Scan() {
		n++
		if err := each(lines.Bytes()); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if whole.N <= 0 {
		return fmt.Errorf("unpacks to more than %d bytes", maxTotal)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("after line %d: %w", n, err)
	}
	return nil
}

// dropEpisodes removes the files of updates after most, those of panels too.
func (r *Run) dropEpisodes(most int) error {
	answers, err := store.Answers(r.dir)
	if err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	for _, a := range answers {
		if a.System == store.PanelSystem && a.Update > most {
			if err := r.Folder.Remove(store.AnswersFile(a.System, a.Update)); err != nil {
				return fmt.Errorf("remove answers after update %d: %w", most, err)
			}
		}
	}
	entries, err := r.Folder.List("episodes")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	for _, e := range entries {
		var update int
		if _, err := fmt.Sscanf(e.Name(), "%d.", &update); err != nil || update <= most || "episodes/"+e.Name() != EpisodeFile(update) {
			continue // the name of something else too
		}
		if err := r.Folder.Remove(EpisodeFile(update)); err != nil {
			return fmt.Errorf("remove episodes after update %d: %w", most, err)
		}
	}
	return nil
}

// A Dialogue is one recorded dialogue of a system on a held-out problem, for people to read.
type Dialogue struct {
	System   string   `json:"system"`
	Question string   `json:"question"`
	Truth    string   `json:"truth,omitempty"`
	Lines    []Answer `json:"lines"`
	Answers  []string `json:"answers,omitempty"` // of the team, where a program says them
}

// An Answer is what one agent said in one turn of a dialogue.
type Answer struct {
	Turn    int      `json:"turn"`           // from 1
	Agent   int      `json:"agent"`          // from 1
	Name    string   `json:"name,omitempty"` // of the agent, where it has one
	Text    string   `json:"text"`
	Correct bool     `json:"correct"`
	Reward  float64  `json:"reward"`          // joint reward of the turn, for tasks that have one
	Calls   []string `json:"calls,omitempty"` // what it called within its turn, and what came of it
}
