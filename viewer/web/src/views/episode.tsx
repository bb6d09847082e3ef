// One episode as a grid: turns down, agents across. Of a program, calls down as they came, and a lane for each agent. Every cell has the answer and what came
// of it; the chosen one says why.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ofRun, useGet } from '../api'
import { num, plural } from '../format'
import { useKeys } from '../keys'
import { Flag, Wait, Signed, scrollInto, useWide } from '../parts'
import { go, link } from '../route'
import { Said, Short } from '../text'
import type { Board, Episode, Node, Outcome, Place } from '../types'
import { Field, fieldIn, fieldOf } from './board'
import { CellView, shownTo } from './cell'
import { Lines } from './lines'
import { branchWith, completionOf, pathOf, siblings, start, type Answer, type Branch, type Step } from './path'
import { Asked } from './question'
import { Parts, programs } from './results'
import { SwapForm } from './swap'
import { Tree } from './tree'
import { Why } from './why'

interface Props {
  id: string
  update: number
  index: number
  query: URLSearchParams
}

export function EpisodeView({ id, update, index, query }: Props) {
  const episode = useGet<Episode>(ofRun(id, `/episodes/${update}/${index}`))
  return <Wait of={episode}>{(data) => <One key={`${update}/${index}`} id={id} episode={data} query={query} />}</Wait>
}

function One({ id, episode, query }: { id: string; episode: Episode; query: URLSearchParams }) {
  const [solo, setSolo] = useState(false)
  const nodes = solo ? episode.solo : episode.nodes
  const [at, setAt] = useState<Answer>(() => start(episode, query))
  const [branch, setBranch] = useState<Branch>(() => branchOf(nodes, at))
  const [tokens, setTokens] = useState(false)
  const path = useMemo(() => pathOf(nodes, branch), [nodes, branch])
  const box = useRef<HTMLDivElement>(null)

  const pick = (answer: Answer) => {
    const step = path.find((s) => s.node === answer.node)
    setAt(answer)
    if (step && completionOf(step, answer.cell) === answer.completion) return
    const node = nodes.find((n) => n.node === answer.node)!
    const like = step?.at.joint.find((j) => j.action === step.action)?.completions
    setBranch(branchWith(node, answer.cell, answer.completion, like) ?? { node: answer.node, action: step?.action ?? 0 })
  }
  const follow = (to: Branch) => {
    const node = nodes.find((n) => n.node === to.node)!
    const cell = at.node === to.node ? at.cell : 0
    setBranch(to)
    setAt({ node: to.node, cell, completion: node.joint.find((j) => j.action === to.action)?.completions[cell] ?? 0 })
  }
  const said = (step: Step, cell: number) => (at.node === step.node && at.cell === cell ? at.completion : completionOf(step, cell))
  const turn = Math.max(0, path.findIndex((s) => s.node === at.node))
  const moveTo = (step: Step | undefined, cell: number) => {
    if (!step || step.at.cells.length === 0) return
    const to = Math.max(0, Math.min(step.at.cells.length - 1, cell))
    setAt({ node: step.node, cell: to, completion: completionOf(step, to) })
  }
  const others = siblings(nodes, at)
  const sibling = (by: number) => {
    const now = others.findIndex((a) => a.node === at.node && a.cell === at.cell && a.completion === at.completion)
    const next = others[(now + by + others.length) % others.length]
    if (next) pick(next)
  }
  const toPlace = (place: Place | null) => place && go(link(['runs', id, 'episodes', place.update, place.index]))
  useKeys([
    { key: 'l ArrowRight', what: 'next agent', do: () => moveTo(path[turn], at.cell + 1) },
    { key: 'h ArrowLeft', what: 'agent before', do: () => moveTo(path[turn], at.cell - 1) },
    { key: 'j ArrowDown', what: 'next turn', do: () => moveTo(path[turn + 1], at.cell) },
    { key: 'k ArrowUp', what: 'turn before', do: () => moveTo(path[turn - 1], at.cell) },
    { key: ']', what: 'next sibling of the answer', do: () => sibling(1) },
    { key: '[', what: 'sibling before', do: () => sibling(-1) },
    { key: 't', what: 'tokens of the answer', do: () => setTokens(!tokens) },
    { key: 'n', what: 'next episode', do: () => toPlace(episode.neighbours.next) },
    { key: 'p', what: 'episode before', do: () => toPlace(episode.neighbours.previous) },
  ])
  useEffect(() => {
    const cell = box.current?.querySelector<HTMLElement>('.cell.at')
    scrollInto(cell)
    if (document.activeElement?.matches('.cell')) cell?.focus({ preventScroll: true }) // where a reader of the keyboard is, keys of arrows lead on
  }, [at.node, at.cell])

  const sample = path[0]?.at.sample
  const branching = nodes.filter((n) => n.sample === sample).length > path.length
  const wide = useWide(1100)
  const world = nodes.some((n) => n.joint.some((j) => j.outcome !== null))
  const unit = episode.program ? 'call' : 'turn'
  const columns = episode.program ? Math.max(1, ...episode.agents.map((a) => a.agent + 1)) : columnsOf(path)
  const cell = path[turn]?.at.cells[at.cell]
  const why = cell && (
    <Why
      cell={cell} completion={at.completion} siblings={others} nodes={nodes} at={at} pick={pick} note={episode.reward_note} critic={episode.critic} tokens={tokens} setTokens={setTokens}
      path={ofRun(id, `/episodes/${episode.update}/${episode.index}/tokens`)} query={place(at.node, cell.agent, at.completion, solo)}
    />
  )
  return (
    <>
      <Heading id={id} episode={episode} />
      {episode.solo.length > 0 && <p><label><input type="checkbox" checked={solo} onChange={(e) => (setSolo(e.currentTarget.checked), reset(e.currentTarget.checked))} /> the same problem without one of the agents</label></p>}
      {episode.samples > 1 && <Samples nodes={nodes} now={path[0]?.at.sample ?? 0} follow={follow} />}
      <div class={'layout' + (branching ? ' tree' : '') + (wide ? ' beside' : '')}>
        {branching && <Tree nodes={nodes} path={path} follow={follow} />}
        <div class={episode.program ? 'episode lanes' : 'episode'} ref={box} style={{ '--agents': String(columns) }}>
          {episode.program && <Lanes episode={episode} />}
          <Lines path={path} at={at} box={box} />
          {path.map((step, i) => (
            <section class="turn" key={step.node} aria-label={`${unit} ${step.at.turn + 1}`}>
              <TurnHead step={step} unit={unit} />
              <div class={columns === 'auto' ? 'cells wrap' : 'cells'} style={episode.program || columns === 'auto' ? undefined : { '--agents': String(step.at.cells.length) }}>
                {step.at.cells.map((cell, k) => (
                  <CellView
                    key={k} cell={cell} node={step.node} column={episode.program ? cell.agent + 1 : 'auto'} said={said(step, k)} chosen={at.node === step.node && at.cell === k} path={path} unit={unit} world={world} board={episode.board}
                    choose={() => moveTo(step, k)} pick={(completion) => pick({ node: step.node, cell: k, completion })}
                    whole={(completion) => ({ path: ofRun(id, `/episodes/${episode.update}/${episode.index}/text`), query: place(step.node, cell.agent, completion, solo) })}
                  />
                ))}
              </div>
              {!wide && at.node === step.node && why}
              {step.at.answers && <div class="message"><span class="dim">the program answered</span>{step.at.answers.map((text, i) => <Said key={i} text={text} limit={1500} />)}</div>}
              {(!episode.program || step.at.answers || step.at.joint.some((j) => j.reward || j.own)) && <JointOf step={step} last={path[i - 1]} follow={follow} board={episode.board} />}
            </section>
          ))}
          <End path={path} nodes={nodes} />
        </div>
        {wide && <div class="aside">{why}</div>}
      </div>
      <SwapForm id={id} episode={episode} />
    </>
  )

  function reset(toSolo: boolean) {
    const list = toSolo ? episode.solo : episode.nodes
    const answer = { node: list[0]?.node ?? 0, cell: 0, completion: 0 }
    setAt(answer)
    setBranch(branchOf(list, answer))
  }
}

const place = (node: number, agent: number, completion: number, solo: boolean) => ({ node, agent, completion, ...(solo ? { solo: 1 } : {}) })

function branchOf(nodes: Node[], answer: Answer): Branch {
  const node = nodes.find((n) => n.node === answer.node)
  return (node && branchWith(node, answer.cell, answer.completion)) ?? { node: answer.node, action: node?.joint[0]?.action ?? 0 }
}

// A column for each agent; many agents wrap.
function columnsOf(path: Step[]): number | 'auto' {
  const most = Math.max(...path.flatMap((s) => s.at.cells.map((c) => c.agent))) + 1
  const twice = path.some((s) => new Set(s.at.cells.map((c) => c.agent)).size < s.at.cells.length)
  return most > 4 || twice ? 'auto' : most
}

function Heading({ id, episode }: { id: string; episode: Episode }) {
  const { problem, neighbours } = episode
  const fields = Object.entries(problem.fields ?? {})
  return (
    <>
      <div class="tools">
        <h1>Update {episode.update}, episode {episode.index}</h1>
        {neighbours.previous && <a href={link(['runs', id, 'episodes', neighbours.previous.update, neighbours.previous.index])} title="p">← before</a>}
        {neighbours.next && <a href={link(['runs', id, 'episodes', neighbours.next.update, neighbours.next.index])} title="n">next →</a>}
        <a href={link(['runs', id, 'problems', problem.id])}>this problem through training</a>
        <a href={link(['runs', id, 'episodes'])}>list</a>
      </div>
      <div class="panel">
        <Asked question={episode.problem.question} of={episode} />
        <p>{problem.truth && <span>truth: <b><Short text={problem.truth} limit={300} /></b></span>} <span class="dim">problem <Short text={problem.id} /></span></p>
        {fields.length > 0 && <details><summary>{plural(fields.length, 'field')}</summary>{fields.map(([name, text]) => <div key={name}><b><Short text={name} /></b><Said text={text} limit={1500} /></div>)}</details>}
      </div>
      {episode.failed && <p class="trouble">This episode failed, and nothing was learned from it: <Short text={episode.failed} limit={600} /></p>}
      {Object.entries(episode.refused ?? {}).map(([sample, why]) => <p class="trouble" key={sample}>Episode {Number(sample) + 1} did not begin: <Short text={why} limit={400} /></p>)}
    </>
  )
}

function Samples({ nodes, now, follow }: { nodes: Node[]; now: number; follow: (to: Branch) => void }) {
  const roots = nodes.filter((n) => n.parent < 0)
  return (
    <div class="siblings" role="group" aria-label="episodes of the problem">
      <span class="dim">episodes of this problem:</span>
      {roots.map((n) => <button key={n.node} type="button" aria-current={n.sample === now ? 'true' : undefined} onClick={() => follow({ node: n.node, action: n.joint[0]?.action ?? 0 })}>{n.sample + 1}{n.failed && ' failed'}</button>)}
    </div>
  )
}

// The names of the agents, over their calls.
function Lanes({ episode: { agents } }: { episode: Episode }) {
  return (
    <div class="cells names" aria-hidden="true">
      {agents.map((a) => <b key={a.agent} style={{ gridColumn: a.agent + 1 }}><Short text={a.name} /></b>)}
    </div>
  )
}

function TurnHead({ step: { at }, unit }: { step: Step; unit: string }) {
  return (
    <h3>
      {unit[0]!.toUpperCase() + unit.slice(1)} {at.turn + 1}
      {at.ended && <span class="dim">the dialogue was ended here</span>}
      {at.failed && <span class="wrong">failed: <Short text={at.failed} limit={300} /></span>}
    </h3>
  )
}

// The joint action that is shown, what it earned, and what the environment answered.
interface JointProps {
  step: Step
  last: Step | undefined // the one before
  board: Board | undefined
  follow: (to: Branch) => void
}

function JointOf({ step, last, board, follow }: JointProps) {
  const { joint } = step.at
  const now = joint.find((j) => j.action === step.action)
  if (!now) return null
  return (
    <div class="joint">
      {joint.length > 1 && (
        <span class="siblings" role="group" aria-label="joint actions">
          <span class="dim">joint actions:</span>
          {joint.slice(0, 64).map((j) => (
            <button key={j.action} type="button" aria-current={j === now ? 'true' : undefined} onClick={() => follow({ node: step.node, action: j.action })} title={j.went_on ? 'went on' : 'ended here'}>
              {j.action + 1}: {num(j.reward)}{j.went_on && ' →'}
            </button>
          ))}
        </span>
      )}
      <span class="numbers">
        {joint.length > 1 && <span>joint action <b>{now.action + 1}</b> of {joint.length}</span>}
        {now.reward !== null && <span><span class="dim">reward of the team</span> <Signed x={now.reward} /></span>}
        {!programs(now) && <Parts of={now} />}
        {Object.entries(now.own ?? {}).map(([name, x]) => <span key={name}><span class="dim">own of <Short text={name} /></span> <Signed x={x} /></span>)}
        {(now.flags ?? []).map((f) => <Flag key={f} name={f} />)}
        {now.unscored && <span class="wrong">the environment failed at it: it has no score</span>}
      </span>
      {programs(now) && <Parts of={now} />}
      {!programs(now) && (now.report ?? []).some(Boolean) && <details><summary>what agents are told about it</summary>{now.report!.map((text, i) => text && <Said key={i} text={text} limit={1500} />)}</details>}
      {now.outcome && <Answers steps={now.outcome} board={board} step={step} last={last} />}
    </div>
  )
}

// What the environment answered, step by step.
function Answers({ steps, board, step, last }: Omit<JointProps, 'follow'> & { steps: Outcome[] }) {
  const agents = step.at.cells
  const infoBefore = last?.at.joint.find((j) => j.action === last.action)?.outcome?.at(-1)?.info
  const before = (i: number, agent: number, name?: string) => {
    const answered = steps[i - 1]
    return answered ? (name && answered.observations?.[name]) || answered.all : shownTo(step, agent)
  }
  const drawn = (text: string, i: number, name?: string) => {
    const field = board && fieldOf(board, text)
    return field && <Field of={field} before={fieldOf(board, before(i, agents.find((c) => c.name === name)?.agent ?? agents[0]?.agent ?? 0, name))} />
  }
  return (
    <div class="message">
      <span class="dim">the environment answered</span>
      {steps.map((s, i) => (
        <div key={i}>
          {fieldIn(s.info) && <Field of={fieldIn(s.info)!} before={fieldIn(steps[i - 1]?.info ?? infoBefore)} />}
          {s.all && <>{drawn(s.all, i)}<Said text={s.all} limit={1500} /></>}
          {Object.entries(s.observations ?? {}).map(([name, text]) => <div key={name}><b>to <Short text={name} /></b>{drawn(text, i, name)}<Said text={text} limit={1500} /></div>)}
          <span class="numbers">
            {s.team !== undefined && <span><span class="dim">paid to the team</span> <Signed x={s.team} /></span>}
            {Object.entries(s.agents ?? {}).map(([name, x]) => <span key={name}><span class="dim">to <Short text={name} /></span> <Signed x={x} /></span>)}
            {s.done && <span>done</span>}
          </span>
          {s.info !== undefined && s.info !== null && <details><summary>info</summary><Said text={JSON.stringify(s.info, null, 1)} limit={2000} /></details>}
        </div>
      ))}
    </div>
  )
}

function End({ path, nodes }: { path: Step[]; nodes: Node[] }) {
  const last = path.at(-1)
  if (!last) return <p class="dim">Nothing was said.</p>
  const deeper = nodes.some((n) => n.sample === last.at.sample && n.turn > last.at.turn)
  return deeper ? <p class="dim">This joint action did not go on; those marked → did.</p> : null
}
