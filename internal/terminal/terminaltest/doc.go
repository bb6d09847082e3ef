// Package terminaltest gives tests a terminal: on Linux, a pseudo-terminal and what is drawn on it.
package terminaltest
