// Ways through an episode: a tree of nodes, each with joint actions, of which some went on.
import type { Completion, Episode, Node } from '../types'

// A Branch is a joint action of a node; with what is above it and what followed it, it is a path.
export interface Branch {
  node: number
  action: number
}

export interface Step extends Branch {
  at: Node
}

// An Answer is a place in an episode: a completion of a cell of a node.
export interface Answer {
  node: number
  cell: number
  completion: number
}

const first = (node: Node) => node.joint.find((j) => j.went_on)?.action ?? node.joint[0]?.action ?? 0

const find = (nodes: Node[], node: number) => nodes.find((n) => n.node === node)

// pathOf is the dialogue that a branch belongs to: its ancestors, itself, and what followed by default.
export function pathOf(nodes: Node[], branch: Branch): Step[] {
  const path: Step[] = []
  const start = find(nodes, branch.node) ?? nodes[0]
  if (!start) return path
  for (let node: Node | undefined = start, action = branch.action; node; action = node.parent_action, node = find(nodes, node.parent)) {
    path.unshift({ node: node.node, action, at: node })
    if (node.parent < 0) break
  }
  for (let last = path.at(-1)!; ; ) {
    const next = nodes.find((n) => n.parent === last.node && n.parent_action === last.action && n.sample === last.at.sample)
    if (!next) return path
    last = { node: next.node, action: first(next), at: next }
    path.push(last)
  }
}

// completionOf is the completion that a cell gave to the joint action.
export function completionOf(step: Step, cell: number): number {
  const joint = step.at.joint.find((j) => j.action === step.action)
  return joint?.completions[cell] ?? 0
}

// branchWith is a joint action of the node that has the completion, if there is one; the one that shares most with another comes first.
export function branchWith(node: Node, cell: number, completion: number, like?: number[]): Branch | null {
  const shared = (completions: number[]) => completions.filter((c, i) => c === like?.[i]).length
  const found = node.joint.filter((j) => j.completions[cell] === completion).sort((a, b) => shared(b.completions) - shared(a.completions) || Number(b.went_on) - Number(a.went_on))
  return found[0] ? { node: node.node, action: found[0].action } : null
}

// siblings are the alternatives to an answer: the other completions of its cell, and what the same agent said at that place in other episodes of the problem.
export function siblings(nodes: Node[], answer: Answer): Answer[] {
  const node = find(nodes, answer.node)
  if (!node) return []
  const agent = node.cells[answer.cell]!.agent
  return nodes
    .filter((n) => n === node || (n.turn === node.turn && (n.sample !== node.sample || (n.parent === node.parent && n.parent_action === node.parent_action))))
    .flatMap((n) => n.cells.flatMap((cell, i) => (cell.agent === agent && (n !== node || i === answer.cell) ? cell.completions.map((c) => ({ node: n.node, cell: i, completion: c.completion })) : [])))
}

export function answers(nodes: Node[]): (Answer & { said: Completion; agent: number })[] {
  return nodes.flatMap((n) => n.cells.flatMap((cell, i) => cell.completions.map((said) => ({ node: n.node, cell: i, completion: said.completion, said, agent: cell.agent }))))
}

// start is where an episode opens: at the evidence of a finding, at the answer that was punished or rewarded most, or at the beginning.
export function start(episode: Episode, query: URLSearchParams): Answer {
  const all = answers(episode.nodes)
  const blank = { node: episode.nodes[0]?.node ?? 0, cell: 0, completion: 0 }
  if (all.length === 0) return blank
  const number = (key: string) => (query.get(key) === null ? null : Number(query.get(key)))
  const by = (value: (c: Completion) => number) => all.reduce((best, one) => (value(one.said) < value(best.said) ? one : best))
  switch (query.get('pick')) {
    case 'lowest':
      return by((c) => c.advantage)
    case 'highest':
      return by((c) => -c.advantage)
    case 'poorest':
      return by((c) => c.reward)
    case 'richest':
      return by((c) => -c.reward)
    case 'moved':
      return all.findLast((a) => a.said.correct === false) ?? blank
  }
  const [node, action, agent] = [number('node'), number('action'), number('agent')]
  if (node === null) return blank
  const at = find(episode.nodes, node)
  const cell = Math.max(0, at?.cells.findIndex((c) => c.agent === agent) ?? 0)
  const joint = at?.joint.find((j) => j.action === action)
  return at ? { node, cell, completion: number('completion') ?? joint?.completions[cell] ?? 0 } : blank
}
