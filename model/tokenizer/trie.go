package tokenizer

// A byteTrie finds all keys that a text begins with.
type byteTrie struct {
	nodes []trieNode
	first [256]int32 // children of the root, which has the most of them; 0: none
}

// A trieNode's children are a list, linked by sibling.
type trieNode struct {
	child, sibling int32 // 0: none
	value          int32 // of the key that ends here; -1: none
	label          byte
}

// add puts a key in; of equal keys the last value counts.
func (t *byteTrie) add(key string, value int32) {
	if len(t.nodes) == 0 {
		t.nodes = append(t.nodes, trieNode{value: -1})
	}
	at := int32(0)
	for i := range len(key) {
		next := t.find(at, key[i])
		if next == 0 {
			next = int32(len(t.nodes))
			t.nodes = append(t.nodes, trieNode{value: -1, label: key[i], sibling: t.nodes[at].child})
			if at == 0 {
				t.first[key[i]] = next
			} else {
				t.nodes[at].child = next
			}
		}
		at = next
	}
	t.nodes[at].value = value
}

// find returns the child of a node by its label; 0: none.
func (t *byteTrie) find(at int32, label byte) int32 {
	if at == 0 {
		return t.first[label]
	}
	c := t.nodes[at].child
	for c != 0 && t.nodes[c].label != label {
		c = t.nodes[c].sibling
	}
	return c
}

// prefixes calls yield with the length and the value of each key that s begins with, shortest first.
func (t *byteTrie) prefixes(s string, yield func(n int, value int32)) {
	if len(t.nodes) == 0 {
		return
	}
	at := int32(0)
	for i := range len(s) {
		if at = t.find(at, s[i]); at == 0 {
			return
		}
		if v := t.nodes[at].value; v >= 0 {
			yield(i+1, v)
		}
	}
}
