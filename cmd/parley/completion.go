package main

// The verb completion: what lets a shell complete parley's words.
//
//	completion.go   the verb: a shell's script, or what can stand at a place of a line
//	next.go         what can stand at a place: verbs, flags, values
//	shells          the scripts, which ask the program

import (
	"embed"
	"strings"

	"github.com/alecthomas/kong"

	"parley/cmd/parley/internal/cli"
)

// scripts are named after their shells.
//
//go:embed shells
var scripts embed.FS

// completionCmd is the verb completion.
type completionCmd struct {
	Shell string   `arg:"" enum:"bash,zsh,fish,powershell" help:"The shell: bash, zsh, fish or powershell."`
	Words []string `arg:"" optional:"" name:"word" help:"What a line has behind parley, behind --. Prints what can stand in the place of the last word."`
}

// Help is the rest of the help.
func (completionCmd) Help() string {
	return `Prints a script for a shell. With it the shell completes verbs, flags, values, and the names of recipes, runs, studies, tasks and models.

For bash, write source <(parley completion bash) into ~/.bashrc. For zsh, write the same with zsh into ~/.zshrc, behind compinit. For fish:

    parley completion fish > ~/.config/fish/completions/parley.fish

For PowerShell, write this into the file that $PROFILE names:

    parley completion powershell | Out-String | Invoke-Expression

The scripts ask this verb what can stand in the place of the last word:

    parley completion bash -- recipe sh

Exit codes: 0 printed; 2 there is no such shell.`
}

// Run prints the script, or a line for each word that can stand there, with a tab and what it means where that is known.
func (c *completionCmd) Run(a *cli.App, k *kong.Context) error {
	if len(c.Words) == 0 {
		script, err := scripts.ReadFile("shells/parley." + c.Shell)
		if err != nil {
			return err
		}
		return a.Printf("%s", script)
	}
	last := len(c.Words) - 1
	c.Words[last] = strings.TrimSpace(c.Words[last]) // PowerShell says a space for no word
	for _, w := range next(k.Model.Node, c.Words, named(a.Language)) {
		if err := a.Printf("%s\t%s\n", w.text, w.help); err != nil {
			return err
		}
	}
	return nil
}
