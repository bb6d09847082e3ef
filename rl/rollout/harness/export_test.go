package harness

import (
	"parley/task"
	"parley/team"
)

// MessagesOf are those that a call answers.
func MessagesOf(c *Call) []team.Message { return c.ask.Messages }

// StreamOf is the hash of what is asked, and the seed of the k-th answer to it.
func StreamOf(root uint64, purpose string, update, index, sample, agent int, a Ask, k int) (hash int64, seed uint64) {
	s := stream{agent, hashOf(a)}
	return s.hash, seedOf(root, ids{purpose, update, index, sample, task.Problem{}}, s, k)
}
