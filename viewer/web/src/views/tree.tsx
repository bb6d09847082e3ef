// The tree of an episode: nodes, their joint actions with rewards, and which of these went on.
import { num } from '../format'
import type { Node } from '../types'
import type { Branch, Step } from './path'

interface Props {
  nodes: Node[]
  path: Step[]
  follow: (to: Branch) => void
}

export function Tree({ nodes, path, follow }: Props) {
  const sample = path[0]?.at.sample ?? 0
  const roots = nodes.filter((n) => n.parent < 0 && n.sample === sample)
  return (
    <nav class="branches" aria-label="tree of joint actions">
      <span class="dim">joint actions; → went on</span>
      {roots.map((n) => <Branches key={n.node} node={n} nodes={nodes} path={path} follow={follow} />)}
    </nav>
  )
}

function Branches({ node, nodes, path, follow }: Props & { node: Node }) {
  const step = path.find((s) => s.node === node.node)
  const rewards = node.joint.map((j) => j.reward ?? 0)
  const best = Math.max(...rewards)
  return (
    <ul aria-label={`turn ${node.turn + 1}`}>
      {node.joint.map((j) => (
        <li key={j.action}>
          <button type="button" aria-current={step?.action === j.action ? 'true' : undefined} onClick={() => follow({ node: node.node, action: j.action })}>
            {node.turn + 1}.{j.action + 1} reward {num(j.reward)}{j.reward === best && rewards.length > 1 && Math.min(...rewards) < best ? ' best' : ''}{j.went_on ? ' →' : ''}
          </button>
          {nodes.filter((n) => n.parent === node.node && n.parent_action === j.action && n.sample === node.sample).map((n) => <Branches key={n.node} node={n} nodes={nodes} path={path} follow={follow} />)}
        </li>
      ))}
    </ul>
  )
}
