// Talk to the team of a run: a question that somebody types, and what was answered to those before.
import { useRef, useState } from 'preact/hooks'
import { exported, ofRun, useGet } from '../api'
import { num, plural, when } from '../format'
import { useSession } from '../page'
import { Left, Trouble } from '../parts'
import { Said, Short } from '../text'
import type { Asked, Answered, RunDetail } from '../types'
import { JobState, useJob } from './job'
import { Dialogue } from './problems'

// How many questions are shown at first, and beside how many agents each has a column of its own.
const few = 5
const across = 4

export function Talk({ run }: { run: RunDetail }) {
  const session = useSession()
  const kept = useGet<{ questions: Asked[] | null; damaged?: number; refused?: string }>(ofRun(run.id, '/questions'), undefined, true)
  const [all, setAll] = useState(false)
  const may = !exported && !session.read_only && session.can_run
  const list = (kept.data?.questions ?? []).toReversed()
  if (!may && list.length === 0 && (exported || !kept.error)) return <p class="dim">Nobody has asked this team anything{exported ? ', or this file has none of it' : ''}.</p>
  return (
    <section class="talk">
      <h2>Talk to it</h2>
      {may && kept.data?.refused && <p class="dim">It cannot be asked: <Short text={kept.data.refused} limit={800} /></p>}
      {may && kept.data && !kept.data.refused && <Form run={run} again={kept.again} />}
      {kept.error && <Trouble error={kept.error} again={kept.again} />}
      <Left n={kept.data?.damaged} file="questions.jsonl" />
      {(all ? list : list.slice(0, few)).map((one, i) => <Answers key={list.length - i} asked={one} />)}
      {!all && list.length > few && <button type="button" onClick={() => setAll(true)}>show {plural(list.length - few, 'earlier question')}</button>}
    </section>
  )
}

function Form({ run, again }: { run: RunDetail; again: () => void }) {
  const [text, setText] = useState('')
  const [agent, setAgent] = useState('')
  const [update, setUpdate] = useState('')
  const [temperature, setTemperature] = useState('')
  const [seed, setSeed] = useState('')
  const form = useRef<HTMLFormElement>(null)
  const asked = useJob(again)
  const ready = text.trim() !== '' && !asked.waits
  const ask = (e: Event) => {
    e.preventDefault()
    if (!ready) return
    void asked.ask(ofRun(run.id, '/ask'), {
      question: text,
      ...(agent !== '' ? { agent: Number(agent) } : {}),
      ...(update !== '' ? { update: Number(update) } : {}),
      ...(temperature !== '' ? { temperature: Number(temperature) } : {}),
      ...(seed !== '' ? { seed: Number(seed) } : {}),
    })
  }
  const pressed = (e: KeyboardEvent) => {
    if (e.key !== 'Enter' || !(e.ctrlKey || e.metaKey)) return
    e.preventDefault()
    form.current!.requestSubmit()
  }
  return (
    <form ref={form} onSubmit={ask}>
      <label class="question">
        <span>question <span class="dim">(Ctrl+Enter or ⌘+Enter sends it)</span></span>
        <textarea rows={3} maxLength={8000} dir="auto" value={text} onInput={(e) => setText(e.currentTarget.value)} onKeyDown={pressed} aria-keyshortcuts="Control+Enter Meta+Enter" />
      </label>
      <div class="tools">
        <label>
          to
          <select value={agent} onChange={(e) => setAgent(e.currentTarget.value)}>
            <option value="">the team</option>
            {run.agents.map((name, i) => <option key={i} value={i}>{name} alone</option>)}
          </select>
        </label>
        <label>
          as it is
          <select value={update} onChange={(e) => setUpdate(e.currentTarget.value)}>
            <option value="">now</option>
            {run.checkpoints.map((c) => <option key={c} value={c}>after update {c}</option>)}
          </select>
        </label>
        <label title="empty: that of evaluation">temperature <input type="number" min="0" max="100" step="any" placeholder="default" value={temperature} onInput={(e) => setTemperature(e.currentTarget.value)} /></label>
        <label title="the same seed gives the same answers">seed <input type="number" min="0" step="1" placeholder="0" value={seed} onInput={(e) => setSeed(e.currentTarget.value)} /></label>
        <button disabled={!ready}>ask</button>
        <JobState {...asked} />
      </div>
    </form>
  )
}

function Answers({ asked }: { asked: Asked }) {
  const lines = asked.lines ?? []
  const agents = [...new Set(lines.map((line) => line.agent))].toSorted((a, b) => a - b)
  return (
    <article class="panel">
      <h3>
        <Short text={asked.agent || 'the team'} limit={90} />{' '}
        <span class="dim">
          {asked.update > 0 ? `after update ${asked.update}` : 'untrained'} · {when(asked.created)} UTC{asked.temperature !== null && ` · temperature ${num(asked.temperature)}`}{asked.seed > 0 && ` · seed ${asked.seed}`}
        </span>
      </h3>
      <Said text={asked.question} limit={1500} class="asked" />
      {turns(lines).map((turn, i) => (
        <div key={i} class={'cells' + (agents.length > across ? ' wrap' : '')} style={{ '--agents': agents.length }}>
          {turn.map((line, j) => <div key={j} style={agents.length > across ? undefined : { '--col': agents.indexOf(line.agent) + 1 }}><Dialogue lines={[line]} numbers={false} /><Notes line={line} /></div>)}
        </div>
      ))}
      {asked.answer && <div class="answer"><b>the team’s answer</b>{asked.vote && <span class="dim"> by the vote of the last turn</span>}<Said text={asked.answer} limit={3000} /></div>}
    </article>
  )
}

// turns are the lines of each turn.
function turns(lines: Answered[]): Answered[][] {
  const out: Answered[][] = []
  for (const line of lines) {
    if (out.at(-1)?.[0]?.turn === line.turn) out.at(-1)!.push(line)
    else out.push([line])
  }
  return out
}

// Notes say what is missing of a text, and what stands beside it.
const Notes = ({ line }: { line: Answered }) => (
  <>
    {line.truncated && <p class="dim">It reached the largest number of tokens.</p>}
    {line.left > 0 && <p class="dim">{line.left.toLocaleString('en')} more bytes were not kept.</p>}
    {line.beside && <Said text={line.beside} limit={2000} />}
  </>
)
