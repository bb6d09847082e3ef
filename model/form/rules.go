package form

// Rules are automata over bytes. Each has a node where it starts and one where it ends, which nothing leads out of.
type rules struct {
	nodes []node
	ends  [][2]int32 // start and end of each rule
	least []int      // bytes from each node to the end of its rule; see measure
}

// A node is a place in a rule: what may come next.
type node struct {
	edges  []edge
	tokens []tokenEdge
	calls  []call
	empty  []int32 // nodes that nothing leads to
	end    bool
}

type edge struct {
	from, to byte // inclusive
	next     int32
}

type tokenEdge struct {
	id   int
	next int32
}

type call struct{ rule, next int32 }

func (r *rules) newNode() int32 {
	if len(r.nodes) >= maxNodes {
		refuse("", "its rules take more than %d places", maxNodes)
	}
	r.nodes = append(r.nodes, node{})
	return int32(len(r.nodes) - 1)
}

func (r *rules) newRule() int32 {
	start, end := r.newNode(), r.newNode()
	r.nodes[end].end = true
	r.ends = append(r.ends, [2]int32{start, end})
	return int32(len(r.ends) - 1)
}

func (r *rules) start(rule int32) int32 { return r.ends[rule][0] }
func (r *rules) end(rule int32) int32   { return r.ends[rule][1] }

func (r *rules) edge(at int32, from, to byte, next int32) {
	n := &r.nodes[at]
	n.edges = append(n.edges, edge{from, to, next})
}

func (r *rules) token(at int32, id int, next int32) {
	n := &r.nodes[at]
	n.tokens = append(n.tokens, tokenEdge{id, next})
}

func (r *rules) call(at, rule, next int32) {
	n := &r.nodes[at]
	n.calls = append(n.calls, call{rule, next})
}

func (r *rules) empty(at, next int32) {
	n := &r.nodes[at]
	n.empty = append(n.empty, next)
}

// separator adds a comma or a colon, and the space that may be behind it.
func (r *rules) separator(at int32, c byte) int32 {
	behind, next := r.newNode(), r.newNode()
	r.edge(at, c, c, behind)
	r.edge(behind, ' ', ' ', next)
	r.empty(behind, next)
	return next
}
