package jobs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"parley/internal/service"
)

// A process does one job. It writes to a file and not to a pipe, so that it can outlive this program.
type process struct {
	cmd *exec.Cmd
	log *os.File
}

// start starts a process in a group of its own: ^C for the server is not for it.
func start(program string, args []string) (*process, error) {
	log, err := os.CreateTemp("", "parley-job-*.txt")
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", args[0], err)
	}
	p := &process{exec.Command(program, args...), log} //nolint:noctx // it outlives the server
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.Env = append(os.Environ(), "PARLEY_HOST=") // the program that started the server may end before the run does
	service.Apart(p.cmd)
	if err := p.cmd.Start(); err != nil {
		p.close()
		return nil, fmt.Errorf("start %s: %w", args[0], err)
	}
	return p, nil
}

// interrupt asks a run to save its state and end. Where it cannot be asked it is ended, and goes on from its last checkpoint when it is resumed.
func (p *process) interrupt() error {
	asked, err := service.Interrupt(p.cmd.Process)
	if !asked {
		return p.cmd.Process.Kill()
	}
	return err
}

// wait returns what the process said of its end where it failed.
func (p *process) wait() error {
	defer p.close()
	err := p.cmd.Wait()
	if err == nil {
		return p.unkept()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == interrupted {
		return fmt.Errorf("%w: %s", errStopped, p.said())
	}
	if said := p.said(); said != "" {
		return fmt.Errorf("%s (%w)", said, err)
	}
	return fmt.Errorf("%w (%w)", errSilent, err)
}

// unkept is what the process found where it could not keep that with the run: a note of it comes first.
func (p *process) unkept() error {
	text := make([]byte, longestSaid)
	n, _ := p.log.ReadAt(text, 0) // of a shorter log all of it
	if _, found, unkept := bytes.Cut(text[:n], []byte("note: it is not kept with the run: ")); unkept {
		return fmt.Errorf("%w: %s", errUnkept, bytes.ToValidUTF8(found, nil))
	}
	return nil
}

// longestSaid is how much of the end of a log is looked at, in bytes.
const longestSaid = 8 << 10

// said is what the process said last, from the last line on that begins with parley's name.
func (p *process) said() string {
	info, err := p.log.Stat()
	if err != nil {
		return ""
	}
	text := make([]byte, min(info.Size(), longestSaid))
	if _, err := p.log.ReadAt(text, info.Size()-int64(len(text))); err != nil {
		return ""
	}
	text = bytes.TrimSpace(text)
	const mark = "parley: "
	if at := bytes.LastIndex(text, []byte(mark)); at >= 0 {
		return string(text[at+len(mark):])
	}
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}

func (p *process) close() {
	_ = p.log.Close() // what it says was read
	_ = os.Remove(p.log.Name())
}
