// Package words declares the settings of groups, and of how their messages are credited: what a recipe may say, and what is refused, warned of or
// without effect. Package group learns by them.
//
//	section.go        group: how many completions, and what becomes of them
//	credit.go         credit and loss: what a message returns, whom it is compared with, and what losses are averaged over
//	creditsection.go  what of these is refused
//	solo.go           episodes without an agent
package words
