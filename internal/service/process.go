package service

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// longestLine is the most bytes of a line that the program writes.
const longestLine = 1 << 20

// A process is one start of the program.
type process struct {
	cmd    *exec.Cmd
	input  io.WriteCloser
	lines  chan []byte // what it writes; closed at its end
	read   error       // why reading ended, once lines is closed
	stderr tail
	quit   chan struct{} // closed when nobody reads lines any more
	once   sync.Once
}

func start(command []string) (*process, error) {
	c := &process{cmd: exec.Command(command[0], command[1:]...), lines: make(chan []byte), quit: make(chan struct{})}
	c.cmd.Stderr, c.cmd.WaitDelay = &c.stderr, time.Second/4
	var err error
	if c.input, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start it: %w", err)
	}
	go c.listen(output)
	return c, nil
}

// listen passes on what the program writes.
func (c *process) listen(output io.Reader) {
	defer close(c.lines)
	scanner := bufio.NewScanner(output)
	scanner.Buffer(nil, longestLine)
	for scanner.Scan() {
		if len(bytes.TrimSpace(scanner.Bytes())) == 0 {
			continue
		}
		select {
		case c.lines <- bytes.Clone(scanner.Bytes()):
		case <-c.quit:
			return
		}
	}
	c.read = scanner.Err()
}

// ask writes lines while answers are read, for a program may wait with reading until its answers are taken. A program that
// does not read shows by not answering.
func (c *process) ask(lines []byte) {
	go func() { _, _ = c.input.Write(lines) }()
}

// end says why the program has stopped writing.
func (c *process) end() error {
	if c.read != nil {
		return fmt.Errorf("read what it writes: %w", c.read)
	}
	err := c.kill()
	stderr := c.stderr.String()
	if stderr != "" {
		stderr = ", after these words on stderr:\n" + stderr
	}
	if err == nil {
		return fmt.Errorf("it ended while answers were waiting%s", stderr)
	}
	return fmt.Errorf("it ended while answers were waiting (%w)%s", err, stderr)
}

// kill ends the program and returns how it ended.
func (c *process) kill() (err error) {
	c.once.Do(func() {
		close(c.quit)
		_ = c.input.Close()
		_ = c.cmd.Process.Kill() // it may have ended by itself
		err = c.cmd.Wait()
	})
	return err
}

// A tail keeps the last of what is written to it.
type tail struct {
	most int // bytes; 0: tailBytes
	mu   sync.Mutex
	text []byte
}

const tailBytes = 2000 // of errors

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-cmp.Or(t.most, tailBytes)):]
	return len(p), nil
}

// take returns the last lines, and forgets them.
func (t *tail) take() string {
	said := t.String()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = nil
	return said
}

// String returns the last lines.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.text), "\uFFFD"))
}

// Python3 is what the interpreter is called where nobody names another one.
const Python3 = "python3"

// Python is the interpreter that parley starts for files of Python: what PARLEY_PYTHON names, else python3 of the search path. The program of a command is
// what the recipe says.
func Python() string {
	named := os.Getenv("PARLEY_PYTHON")
	if !strings.ContainsRune(filepath.ToSlash(named), '/') {
		return cmp.Or(named, Python3)
	}
	if path, err := filepath.Abs(named); err == nil { // processes run in folders of their own
		return path
	}
	return named
}

//go:embed calls.py
var calls string

// PythonDriver is a driver with what the drivers of users' Python have in common in front of its own code. A driver is Python that runs beside a
// user's file: it calls the user's functions and tells the host what they return, or their errors. It defines told(name, error), what the host is
// told of an error, and, where it serves calls as a child of the host, load(name, source), what it makes of the file.
func PythonDriver(own string) string { return calls + own }

// Traced finds in what a program of Python said its exception, and the last frame of a traceback in the program's own file. Where that is not known
// it is any but those of Python and its packages. A frame that is empty: there is no traceback with one.
func Traced(said, file string) (cause, frame string) {
	lines, behind := strings.Split(strings.TrimSpace(said), "\n"), 0
	for i := 0; i < len(lines); i++ {
		place, is := strings.CutPrefix(strings.TrimLeft(lines[i], " "), `File "`)
		if !is || !strings.HasPrefix(lines[i], " ") && i > 0 {
			continue
		}
		at, _, _ := strings.Cut(place, `"`)
		if own := file == "" && !packaged(at); own || at == file {
			frame = "  " + strings.TrimSpace(lines[i])
			if i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    ") {
				frame += "\n" + strings.TrimRight(lines[i+1], " ")
			}
		}
		for behind = i + 1; behind < len(lines) && strings.HasPrefix(lines[behind], "  ") && !strings.HasPrefix(lines[behind], `  File "`); behind++ {
		}
		i = behind - 1
	}
	if frame == "" || behind == len(lines) {
		return said, ""
	}
	return strings.Join(lines[behind:], "\n"), frame
}

// packaged says that a file is of Python or of one of its packages, or is none.
func packaged(file string) bool {
	file = filepath.ToSlash(file)
	return strings.HasPrefix(file, "<") || strings.Contains(file, "/site-packages/") || strings.Contains(file, "/lib/python")
}
