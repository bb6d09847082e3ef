// A cell of the grid: what one agent answered in one turn, and its numbers.
import { getText, type Query } from '../api'
import { num } from '../format'
import { Flag, Signed, Verdict } from '../parts'
import { Answer, Said, Short, Tree, treeOf } from '../text'
import { weighed, type Board, type Call, type Cell, type Completion, type Joint } from '../types'
import { Field, fieldOf } from './board'
import type { Step } from './path'
import { programs, Results } from './results'

interface Props {
  cell: Cell
  node: number
  column: number | 'auto'
  said: number
  chosen: boolean
  path: Step[]
  unit: string // what a node is: a turn, or a call
  world: boolean // agents act in an environment: what they were shown is its state
  board?: Board | undefined
  choose: () => void
  pick: (completion: number) => void
  whole: (completion: number) => { path: string; query: Query }
}

export function CellView({ cell, node, column, said, chosen, path, unit, world, board, choose, pick, whole }: Props) {
  const one = cell.completions.find((c) => c.completion === said) ?? cell.completions[0]
  const pressed = (e: KeyboardEvent) => {
    if (e.key !== 'Enter' || e.target !== e.currentTarget) return
    e.preventDefault()
    choose()
  }
  const scored = scoredWith(path, node, cell, one)
  return (
    <article class={chosen ? 'cell at' : 'cell'} style={{ '--col': String(column) }} data-cell={`${node}:${cell.agent}`} tabIndex={0} onClick={choose} onKeyDown={pressed} aria-label={`${cell.name}, node ${node}`} aria-current={chosen ? 'true' : undefined}>
      <div class="head">
        <b><Short text={cell.name} /></b>
        {one && <Verdict correct={one.correct} />}
        {one?.answer != null && <span>answer <b><Short text={one.answer} limit={60} /></b></span>}
        <span class="dim"><Short text={cell.speaker || cell.policy} limit={40} />{cell.opponent && ` as of ${cell.opponent}`}</span>
      </div>
      <Saw cell={cell} path={path} unit={unit} />
      {world && <Shown messages={cell.messages} board={board} before={shownBefore(path, node, cell.agent)} />}
      {one && (
        <div class={scored ? 'coded' : ''}>
          <Answer text={one.text} limit={1500} more={one.cut} program={Boolean(scored)} whole={() => asText(whole(one.completion))} />
          {scored && <Results joint={scored} agent={cell.agent} />}
        </div>
      )}
      {one && <Calls calls={one.calls ?? []} />}
      {one && <Numbers one={one} />}
      {cell.completions.length > 1 && (
        <div class="siblings" role="group" aria-label={'siblings: completions of ' + cell.name}>
          {cell.completions.slice(0, 40).map((c) => (
            <button key={c.completion} type="button" aria-current={c === one ? 'true' : undefined} onClick={(e) => (e.stopPropagation(), pick(c.completion))} title={`advantage ${num(c.advantage)}`}>
              {c.completion + 1}{c.correct === true ? ' ✓' : c.correct === false ? ' ✗' : ''} <Signed x={c.advantage} />
            </button>
          ))}
        </div>
      )}
    </article>
  )
}

// scoredWith is the joint action of the path that an answer is part of, where it was scored as a program.
function scoredWith(path: Step[], node: number, cell: Cell, one: Completion | undefined): Joint | undefined {
  const step = path.find((s) => s.node === node)
  const joint = step?.at.joint.find((j) => j.action === step.action)
  return programs(joint) && joint!.completions[step!.at.cells.indexOf(cell)] === one?.completion ? joint : undefined
}

const asText = ({ path, query }: { path: string; query: Query }) => getText(path, query)

function Saw({ cell, path, unit }: { cell: Cell; path: Step[]; unit: string }) {
  const seen = cell.saw ?? []
  if (seen.length === 0) return null
  const words = seen.slice(0, 8).map((s) => {
    const step = path.find((p) => p.node === s.node)
    const name = step?.at.cells.find((c) => c.agent === s.agent)?.name ?? `agent ${s.agent + 1}`
    return step ? `${name} (${unit} ${step.at.turn + 1})` : name
  })
  return <div class="saw">saw <Short text={words.join(', ')} />{seen.length > 8 && ` and ${seen.length - 8} more`}</div>
}

// What the agent was shown when it chose: the state of the environment, as its prompt has it.
function Shown({ messages, board, before }: { messages: Cell['messages']; board: Board | undefined; before: string | undefined }) {
  const last = messages.at(-1)
  if (!last) return null
  const field = board && fieldOf(board, last.content)
  return <div class="message shown"><span class="dim">was shown</span>{field && <Field of={field} before={fieldOf(board, before)} />}<Said text={last.content} limit={400} /></div>
}

// shownTo is what an agent was shown at a node, or where it was not asked, who was.
export function shownTo(step: Step | undefined, agent: number): string | undefined {
  return (step?.at.cells.find((c) => c.agent === agent) ?? step?.at.cells[0])?.messages.at(-1)?.content
}

const shownBefore = (path: Step[], node: number, agent: number) => shownTo(path[path.findIndex((s) => s.node === node) - 1], agent)

function Numbers({ one }: { one: Completion }) {
  return (
    <div class="numbers">
      {one.score !== null && <span><span class="dim">score</span>{num(one.score)}</span>}
      <span><span class="dim">return</span>{num(one.reward)}</span>
      {weighed(one) && <span><span class="dim">advantage</span><b><Signed x={one.advantage} /></b></span>}
      <span><span class="dim">tokens</span>{one.tokens}</span>
      {one.stop === 'length' && <span class="flag">✂ truncated</span>}
      {one.masked && <span class="flag">masked</span>}
      {one.penalty !== 0 && <span><span class="dim">penalty</span>{num(one.penalty)}</span>}
      {(one.flags ?? []).map((f) => <Flag key={f} name={f} />)}
    </div>
  )
}

function Calls({ calls }: { calls: Call[] }) {
  return (
    <>
      {calls.slice(0, 20).map((call, i) => (
        <div class="message" key={i}>
          <span class="dim">called</span> <code><Short text={call.name} limit={60} />{!treeOf(call.arguments) && <>(<Short text={call.arguments} limit={200} />)</>}</code> {call.failed && <span class="wrong">failed</span>}
          {treeOf(call.arguments) && <Tree of={treeOf(call.arguments)} />}
          <Answer text={call.result} limit={400} />
        </div>
      ))}
    </>
  )
}
