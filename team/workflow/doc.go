// Package workflow is the protocol of teams of any shape: a list of steps says who is asked what, when, and how often.
//
//	workflow:
//	  - {ask: writer, prompt: "{{.Question}}"}
//	  - repeat: 3
//	    until: said("critic").text.startswith("fine")
//	    steps:
//	      - {ask: critic, prompt: "Draft: {{.Last.writer}}"}
//	      - {ask: writer, prompt: "Critique: {{.Last.critic}}", chat: continue}
//	  - {ask: editor, prompt: "Draft: {{.Last.writer}}"}
//	answer: editor
//
// A [Spec] is such a list as data. [New] checks it, all of it at once, and makes a [team.Protocol] of it: a pure function of the problem and of
// what has been said. It keeps nothing between calls. It walks the steps from the first one, taking what has been said out of the history,
// until it comes to a step whose answers are not there. So a workflow branches into trees, is replayed from a recording and resumed as any
// other protocol is.
//
// Three things decide what an agent is asked: templates (template.go), expressions in Starlark (expression.go), and, in place of steps, a
// program in Starlark (program.go). What an agent sees is what its prompts show, and nothing else: [Workflow.Visibility] measures it, by a walk
// in which every text is a marker (visibility.go).
//
// A turn is a step that asks, counted as it happens. Loops are bounded, so the most turns are known before anything runs.
//
// The teams that recipes name by a word are workflows too: package team/protocols writes each of them as steps.
package workflow
