package service

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestMain is the program that the tests ask, where the first argument names a behaviour; the others are its own.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if behave, ok := behaviours[os.Args[1]]; ok {
			behave(os.Args[2:])
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// behaviours are what programs do, good and bad.
var behaviours = map[string]func(arguments []string){
	"answer": func([]string) { eachRequest(answer) },
	"never":  func([]string) { eachRequest(func(int) {}) },
	"say no": func([]string) {
		eachRequest(func(id int) { fmt.Printf("{\"id\":%d,\"error\":\"request %d is not for me\"}\n", id, id) })
	},
	"blank lines":   func([]string) { eachRequest(func(id int) { fmt.Print("\n  \n"); answer(id) }) },
	"no line break": func([]string) { answerTogether(func(ids []int) { fmt.Printf(`{"id":%d}`, ids[0]) }) },
	"backwards": func([]string) {
		answerTogether(func(ids []int) {
			for i := range ids {
				answer(ids[len(ids)-1-i])
			}
		})
	},
	"steadily":    func([]string) { eachRequest(func(id int) { time.Sleep(100 * time.Millisecond); answer(id) }) },
	"print":       func(arguments []string) { eachRequest(func(int) { fmt.Println(arguments[0]) }) },
	"twice":       func([]string) { eachRequest(func(id int) { answer(id); answer(id) }) },
	"die":         func([]string) { fmt.Fprintln(os.Stderr, "no more\nmemory"); os.Exit(3) },
	"die once":    func(arguments []string) { dieOnce(arguments[0]) },
	"answer, die": func([]string) { answerTogether(func(ids []int) { answer(ids[0]) }) },
	"die at one": func(arguments []string) {
		eachRequest(func(id int) {
			if fmt.Sprint(id) == arguments[0] {
				os.Exit(3)
			}
			answer(id)
		})
	},
	"silent at one": func(arguments []string) {
		eachRequest(func(id int) {
			if fmt.Sprint(id) == arguments[0] {
				time.Sleep(time.Hour)
			}
			answer(id)
		})
	},
	"deaf":          func([]string) { time.Sleep(time.Hour) },
	"close stdin":   func([]string) { os.Stdin.Close(); time.Sleep(time.Hour) },
	"close stdout":  func([]string) { os.Stdout.Close(); time.Sleep(time.Hour) },
	"trickle":       trickle,
	"endless line":  func([]string) { endlessLine() },
	"answer first":  func([]string) { answerFirst() },
	"leave a child": leaveChild,
}

func answer(id int) { fmt.Printf("{\"id\":%d,\"score\":%d}\n", id, 2*id) }

// eachRequest reads requests until there are no more.
func eachRequest(f func(id int)) {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		f(idOf(line))
	}
}

func idOf(line []byte) int {
	var r struct {
		ID int `json:"id"`
	}
	if err := json.Unmarshal(line, &r); err != nil {
		fmt.Fprintf(os.Stderr, "asked %q: %v\n", line, err)
		os.Exit(4)
	}
	return r.ID
}

// answerTogether reads three requests before the first answer.
func answerTogether(f func(ids []int)) {
	var ids []int
	lines := bufio.NewReader(os.Stdin)
	for range 3 {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		ids = append(ids, idOf(line))
	}
	f(ids)
}

// dieOnce answers the first request and dies, where a file is not there yet. It notes there what it is asked.
func dieOnce(file string) {
	_, err := os.Stat(file)
	f, openErr := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if openErr != nil {
		os.Exit(4)
	}
	eachRequest(func(id int) {
		fmt.Fprintln(f, id)
		answer(id)
		if err != nil {
			os.Exit(3)
		}
	})
}

// trickle writes a byte now and then, and never a line.
func trickle([]string) {
	for {
		fmt.Print(" ")
		time.Sleep(10 * time.Millisecond)
	}
}

func endlessLine() {
	for {
		fmt.Print(strings.Repeat("x", 1<<16))
	}
}

// answerFirst reads one request, and the others only when all answers have been taken: more than a pipe holds.
func answerFirst() {
	lines := bufio.NewReaderSize(os.Stdin, 16)
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return
	}
	first := idOf(line)
	for i := range manyRequests {
		fmt.Printf("{\"id\":%d,\"text\":%q}\n", first+i, strings.Repeat("x", 4096))
	}
	for {
		if _, err := lines.ReadBytes('\n'); err != nil {
			return
		}
	}
}

// manyRequests are more than what a pipe holds in either direction.
const manyRequests = 64

// leaveChild dies and leaves a child that holds its output and its stderr. It writes the child's number into a file.
func leaveChild(arguments []string) {
	child := exec.Command(os.Args[0], "deaf")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if child.Start() != nil || os.WriteFile(arguments[0], fmt.Append(nil, child.Process.Pid), 0o600) != nil {
		os.Exit(4)
	}
}
