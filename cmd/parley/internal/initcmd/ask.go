package initcmd

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/cmd/parley/internal/cli"
	"parley/internal/terminal"
)

// complete fills in what flags left open, by questions where a person can answer them, and looks at the data. A program without data has none.
func (c *Cmd) complete(a *cli.App) (*look, error) {
	in, isFile := a.Stdin.(*os.File)
	asks := c.Data == "" && isFile && terminal.Is(in)
	if c.Data == "" && c.Harness != "" && !asks {
		return nil, c.shipped()
	}
	if c.Data == "" && !asks {
		return nil, cli.Usagef("--data is missing: name a file, a folder or a pulled data set; on a terminal, `parley init` asks")
	}
	if !asks {
		c.Base, c.File = cmp.Or(c.Base, usualBase), cmp.Or(c.File, usualFile(c.Data))
		return lookAt(a.Ctx, c.Data)
	}
	i := &interview{a: a, lines: make(chan line)}
	go i.read()
	return c.ask(i)
}

// A line is what a person typed.
type line struct {
	text string
	err  error
}

// An interview asks a person one question after the other, on stderr: stdout is for results.
type interview struct {
	a     *cli.App
	lines chan line
}

// read hands lines over until the input ends. An interrupt does not end a read, so it has a goroutine of its own.
func (i *interview) read() {
	scanner := bufio.NewScanner(i.a.Stdin)
	for scanner.Scan() {
		i.lines <- line{text: strings.TrimSpace(scanner.Text())}
	}
	i.lines <- line{err: cmp.Or(scanner.Err(), io.EOF)}
}

// question asks until accept has no complaint. An empty answer is the usual one.
func (i *interview) question(about, usual string, accept func(answer string) error) error {
	for {
		i.a.Sayf("%s [%s]: ", about, terminal.Printable(usual))
		select {
		case <-i.a.Ctx.Done():
			i.a.Say()
			return fmt.Errorf("interrupted; nothing is written: %w", i.a.Ctx.Err())
		case l := <-i.lines:
			if errors.Is(l.err, io.EOF) {
				i.a.Say()
				return cli.Usagef("the input ended before all was answered; nothing is written")
			}
			if l.err != nil {
				return fmt.Errorf("read the answer: %w", l.err)
			}
			err := accept(cmp.Or(l.text, usual))
			if err == nil {
				return nil
			}
			i.a.Say(" ", err)
		}
	}
}

// none is what a person types for nothing.
const none = "none"

// ask asks for what no flag says.
func (c *Cmd) ask(i *interview) (seen *look, err error) {
	err = i.question("Data: a file, a folder, or the name of a pulled data set", none, func(answer string) (err error) {
		if c.Data = answer; answer == none && c.Harness != "" {
			c.Data = ""
			return nil
		}
		seen, err = lookAt(i.a.Ctx, answer)
		return err
	})
	if err != nil {
		return nil, err
	}
	if c.Data == "" {
		return nil, c.shipped()
	}
	i.a.Sayf("  %d rows with the columns %s\n", seen.set.Rows, terminal.Printable(strings.Join(seen.columns, ", ")))
	if err := c.askKeys(i, seen); err != nil {
		return nil, err
	}
	if err := c.askTeam(i); err != nil {
		return nil, err
	}
	reward := "label"
	if c.Answer == none {
		reward = "reward.py"
	}
	if err := i.open(&c.Reward, "Reward: label, FILE.py or http://…", reward, checkReward); err != nil {
		return nil, err
	}
	if err := c.askShape(i); err != nil {
		return nil, err
	}
	return seen, i.open(&c.File, "Recipe file to write", usualFile(c.Data), func(s string) error { return Cmd{File: s}.free() })
}

// open asks for a flag that was left open.
func (i *interview) open(flag *string, about, usual string, accept func(string) error) error {
	if *flag != "" {
		return nil
	}
	return i.question(about, usual, func(answer string) error {
		*flag = ""
		err := accept(answer)
		if err == nil {
			*flag = answer
		}
		return err
	})
}

// askKeys asks for the keys of a row.
func (c *Cmd) askKeys(i *interview, seen *look) error {
	question, _ := seen.question()
	if err := i.open(&c.Question, "Key of the question", question, func(s string) error { return seen.mustHave("question", s) }); err != nil {
		return err
	}
	answer, _ := seen.answer(c.Question)
	return i.open(&c.Answer, "Key of the right answer, or none", cmp.Or(answer, none), func(s string) error {
		if s == none {
			return nil
		}
		return seen.mustHave("answer", s)
	})
}

// askShape draws the shapes that a team can have, and asks who sees whom.
func (c *Cmd) askShape(i *interview) error {
	d := &draft{agents: cmp.Or(c.Agents, len(c.Roles), 2)}
	for _, role := range c.Roles {
		d.roles = append(d.roles, strings.TrimSpace(role))
	}
	if c.Protocol != "" || d.agents == 1 {
		return nil
	}
	usual := "parallel"
	if c.Reward == label {
		usual = "debate"
	}
	width := 0
	for _, shape := range shapes {
		width = max(width, utf8.RuneCountInString(drawn(shape, d.names())))
	}
	for _, shape := range shapes {
		if checkShape(shape, d.agents) == nil {
			picture := terminal.Printable(drawn(shape, d.names()))
			i.a.Sayf("  %-8s  %s%s   %s\n", shape, picture, strings.Repeat(" ", max(0, width-utf8.RuneCountInString(picture))), sees[shape])
		}
	}
	return i.open(&c.Protocol, "Who sees whom", usual, func(s string) error { return checkShape(s, d.agents) })
}

// askTeam asks for the base and who is in the team.
func (c *Cmd) askTeam(i *interview) error {
	if err := i.open(&c.Base, "Base model", usualBase, func(s string) error { _, _, err := counter(s); return err }); err != nil {
		return err
	}
	roles := strings.Join(c.Roles, ",")
	if err := i.open(&roles, "Roles of the agents, with commas between, or none", none, func(string) error { return nil }); err != nil {
		return err
	}
	if roles != none {
		c.Roles = strings.Split(roles, ",")
	}
	if c.Agents != 0 || len(c.Roles) > 0 {
		return nil
	}
	return i.question("Agents", "2", func(answer string) (err error) {
		if c.Agents, err = strconv.Atoi(answer); err != nil || c.Agents < 1 {
			c.Agents, err = 0, fmt.Errorf("%q is no number of agents", answer)
		}
		return err
	})
}
