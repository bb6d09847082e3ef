package harness_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// programs are what this binary can be. Some behave in episodes of question 1 alone, and as pair in the others.
var programs = map[string]func(words []string){
	"pair": func([]string) { once(pair) },
	"stay": func([]string) { each(pair) },
	"stay for one": func(words []string) {
		each(func(b begin) any {
			result := pair(b).(map[string]any)
			result["id"] = b.ID
			line, _ := json.Marshal(result)
			if words[0] == "half" {
				fmt.Printf("%s\nhalf", line) // in one write, as the host reads it
				return nil
			}
			fmt.Printf("%s\n", line)
			_, _ = os.Stdin.Read(make([]byte, 1)) // of the next episode, of which it says nothing
			os.Exit(3)
			return nil
		})
	},
	"environment": func([]string) {
		once(func(b begin) any {
			b.say("writer", strings.Join(os.Environ(), "\n")+"\n"+fmt.Sprint(b.Item, b.Training, b.Seed))
			return map[string]any{"answer": "x", "reward": 1}
		}, "answer")
	},
	"idle environment": func([]string) {
		each(func(b begin) any {
			b.say("writer", strings.Join(os.Environ(), "\n")+"\n")
			return map[string]any{"answer": "x"}
		})
	},
	"printing": func(words []string) {
		once(func(b begin) any {
			b.say("writer", "hello")
			fmt.Printf("\n %s\n\n", b.say("editor", words[0]))
			return nil
		})
	},
	"fault":       func(words []string) { once(func(b begin) any { return fault(words, b) }) },
	"stay, fault": func(words []string) { each(func(b begin) any { return fault(words, b) }) },
	"stubborn": func(words []string) {
		signal.Ignore(syscall.SIGTERM)
		note(words[0])
		time.Sleep(time.Hour)
	},
	"results": func(words []string) {
		once(func(b begin) any {
			b.say("writer", "one")
			b.say("editor", "two")
			var result any
			if err := json.Unmarshal([]byte(words[0]), &result); err != nil {
				fmt.Println(words[0])
				return nil
			}
			return result
		})
	},
	"credit": func([]string) {
		once(func(b begin) any {
			b.say("writer", "one")
			_, second := b.ask("editor", "two")
			b.say("writer", "three")
			b.say("editor", "four")
			return map[string]any{"reward": 1, "calls": map[string]float64{second.ID: .5}}
		})
	},
	"choices": func([]string) {
		once(func(b begin) any {
			_, r := post(b.Key, b.BaseURL+"/ask", request{Agent: "writer", Text: "three", N: 3})
			b.say("editor", "one")
			return map[string]any{"reward": 1, "calls": map[string]float64{r.ID: 1}}
		})
	},
	"chat": func([]string) {
		once(func(b begin) any {
			first := "hello" + b.say("writer", "hello")
			b.say("writer", first+"more")
			b.say("writer", "other")
			return map[string]any{"answer": "x"}
		})
	},
	"parallel": func(words []string) { once(func(b begin) any { return parallel(words[0], b) }) },
}

// once plays the episode of stdin.
func once(play func(begin) any, drop ...string) {
	var b begin
	if err := json.NewDecoder(os.Stdin).Decode(&b); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	result := play(b)
	if m, ok := result.(map[string]any); ok && b.Item["truth"] == nil {
		for range drop {
			delete(m, "reward")
		}
	}
	if result != nil {
		fmt.Println("I am done.")
		_ = json.NewEncoder(os.Stdout).Encode(result)
	}
}

// each plays one episode after the other.
func each(play func(begin) any) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var b begin
		if err := json.Unmarshal(lines.Bytes(), &b); err != nil {
			os.Exit(1)
		}
		result, _ := play(b).(map[string]any)
		if result == nil {
			continue
		}
		result["id"] = b.ID
		_ = json.NewEncoder(os.Stdout).Encode(result)
	}
}

// pair asks the writer, and then the editor.
func pair(b begin) any {
	draft := b.say("writer", fmt.Sprint(b.Item["question"]))
	return map[string]any{"answer": b.say("editor", "Better: "+draft)}
}

// fault does what its first word says.
func fault(words []string, b begin) any {
	if b.Item["question"] != "question 1" {
		return pair(b)
	}
	first := func() { b.say("writer", "first") }
	switch words[0] {
	case "exit 3":
		first()
		fmt.Fprintln(os.Stderr, "no more memory")
		os.Exit(3)
	case "exit at once":
		os.Exit(3)
	case "hang":
		first()
		time.Sleep(time.Hour)
	case "flood":
		first()
		for range 1 << 19 {
			fmt.Println("spam spam spam spam")
		}
	case "noise":
		first()
		fmt.Fprint(os.Stderr, strings.Repeat("spam\n", 4000))
		os.Exit(3)
	case "flood with a result":
		first()
		for range 1 << 18 {
			fmt.Println("spam spam spam spam")
		}
		return map[string]any{"answer": "x"}
	case "fork and stay":
		first()
		child := exec.Command(os.Args[0], "stubborn", words[1])
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			return map[string]any{"error": err.Error()}
		}
		waitFor(words[1])
		return map[string]any{"answer": "x"}
	case "report twice":
		first()
		one, _ := b.report(map[string]any{"answer": "x"})
		two, r := b.report(map[string]any{"answer": "y"})
		if one != 200 || two != 400 || r.Error != "already_reported" {
			note(words[1])
		}
		return map[string]any{"answer": "z"}
	case "not a number":
		first()
		fmt.Println(`{"answer": "x", "reward": NaN}`)
		return nil
	case "nobody":
		return map[string]any{"answer": "x"}
	case "unknown model":
		status, r := b.ask("gpt-4o", "hello")
		return map[string]any{"error": fmt.Sprint(status, " ", r.Error)}
	case "after the end":
		first()
		b.report(map[string]any{"answer": "x"})
		if status, r := b.ask("writer", "more"); status != 404 || r.Error != "the episode is over" {
			note(words[1])
		}
	case "65 calls":
		for i := range 64 {
			b.say("writer", fmt.Sprint(i))
		}
		if status, _ := b.ask("writer", "one more"); status != 403 {
			return map[string]any{"error": "it was answered"}
		}
		if len(words) > 1 {
			os.Exit(1)
		}
		return map[string]any{"answer": "x"}
	case "another's key":
		other := b
		other.BaseURL = strings.Replace(b.BaseURL, b.Episode, "t3-0-0", 1)
		status, r := other.ask("writer", "hello")
		first()
		return map[string]any{"error": fmt.Sprint(status, " ", r.Error)}
	case "own error":
		first()
		return map[string]any{"error": "the site was down"}
	case "long line":
		first()
		fmt.Printf("{\"id\": %d, \"answer\": \"%s\"}\n", b.ID, strings.Repeat("x", 1<<20))
		return nil
	case "id as text":
		first()
		fmt.Printf("{\"id\": \"%d\", \"answer\": \"x\"}\n", b.ID)
		return nil
	case "silent":
		first()
		fmt.Println("nonsense")
		return nil
	case "leaves":
		first()
		post(b.Key, b.BaseURL+"/ask", request{Agent: "writer", Text: "a", Leave: true})
		return map[string]any{"answer": "x"}
	}
	return nil
}

// note leaves a file with the process's number.
func note(name string) {
	partial := name + ".partial"
	if err := os.WriteFile(partial, []byte(fmt.Sprint(os.Getpid())), 0o600); err == nil {
		_ = os.Rename(partial, name)
	}
}

// waitFor waits for a file.
func waitFor(name string) {
	for {
		if _, err := os.Stat(name); err == nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// parallel asks 16 times at once, four times the same of each of two agents and two texts, in an order.
func parallel(order string, b begin) any {
	var wait sync.WaitGroup
	for _, at := range strings.Fields(order) {
		agent, text := []string{"writer", "editor"}[at[0]%2], "text "+string('a'+at[0]/2%2)
		wait.Go(func() { b.say(agent, text) })
	}
	wait.Wait()
	return map[string]any{"answer": b.say("editor", "sum up")}
}

// pythonFolder has a program in Python that does as pair.
func pythonFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "team.py"), []byte(pythonPair), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

const pythonPair = `
import json, os, urllib.request

EARLY = os.environ["OPENAI_BASE_URL"]

def say(agent, text):
    body = json.dumps({"agent": agent, "text": text}).encode()
    r = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/ask", body, {"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(r) as f:
        return json.load(f)["texts"][0]

def episode(e):
    print("what is printed is nobody's answer")
    assert EARLY.endswith("/e/early/v1") and json.loads(os.environ["PARLEY_EPISODE"]) == e
    draft = say("writer", e["item"]["question"])
    return {"answer": say("editor", "Better: " + draft)}
`
