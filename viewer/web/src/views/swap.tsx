// Counterfactuals: the team plays a problem again with one agent's adapter replaced, or without one agent.
import { useState } from 'preact/hooks'
import { exported, ofRun, useGet } from '../api'
import { num, when } from '../format'
import { useSession } from '../page'
import { Left, Trouble, Wait } from '../parts'
import { link } from '../route'
import { Short } from '../text'
import type { Episode, RunDetail, RunRow, Swap } from '../types'
import { JobState, useJob } from './job'
import { Dialogue } from './problems'

type With = 'untrained' | 'checkpoint' | 'run' | 'left-out'

export function SwapForm({ id, episode }: { id: string; episode: Episode }) {
  const session = useSession()
  const [open, setOpen] = useState(false)
  if (exported || session.read_only || !session.can_run) return null
  return (
    <details class="panel swap" open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>swap: what would the team have said with another agent?</summary>
      {open && <Form id={id} episode={episode} />}
    </details>
  )
}

function Form({ id, episode }: { id: string; episode: Episode }) {
  const run = useGet<RunDetail>(ofRun(id))
  const runs = useGet<{ runs: RunRow[] }>('/runs')
  const [agent, setAgent] = useState(episode.agents[0]?.agent ?? 0)
  const [how, setHow] = useState<With>('untrained')
  const [checkpoint, setCheckpoint] = useState('')
  const [other, setOther] = useState('')
  const swaps = useGet<{ swaps: Swap[] }>(ofRun(id, '/swaps'), undefined, true)
  const refused = useGet<{ refused?: string }>(ofRun(id, '/questions')).data?.refused
  const asked = useJob(swaps.again)
  const kept = run.data?.checkpoints ?? []
  const start = (e: Event) => {
    e.preventDefault()
    const swap = { agent, with: how, ...(how === 'checkpoint' ? { checkpoint: Number(checkpoint || kept[0]) } : {}), ...(how === 'run' ? { run: other } : {}) }
    void asked.ask(ofRun(id, '/swap'), { update: episode.update, index: episode.index, swaps: [swap] })
  }
  return (
    <>
      {refused && <p class="dim">It cannot be played again: <Short text={refused} limit={800} /></p>}
      <form class="tools" onSubmit={start}>
        <label>agent <select value={agent} onChange={(e) => setAgent(Number(e.currentTarget.value))}>{episode.agents.map((a) => <option key={a.agent} value={a.agent}>{a.name}</option>)}</select></label>
        <label>
          is
          <select value={how} onChange={(e) => setHow(e.currentTarget.value as With)}>
            <option value="untrained">untrained</option>
            <option value="checkpoint" disabled={kept.length === 0}>as of an earlier update{kept.length === 0 && ': no checkpoint is kept'}</option>
            <option value="run">of another run</option>
            <option value="left-out">left out</option>
          </select>
        </label>
        {how === 'checkpoint' && <label>after update <select value={checkpoint} onChange={(e) => setCheckpoint(e.currentTarget.value)}>{kept.map((c) => <option key={c}>{c}</option>)}</select></label>}
        {how === 'run' && <label>run <select value={other} onChange={(e) => setOther(e.currentTarget.value)}><option value="">choose</option>{(runs.data?.runs ?? []).filter((r) => r.id !== id).map((r) => <option key={r.id}>{r.id}</option>)}</select></label>}
        <button disabled={!!refused || (how === 'run' && !other) || (how === 'checkpoint' && kept.length === 0)}>play again</button>
        <JobState {...asked} />
      </form>
      <Wait of={swaps}>{(data) => <>{(data.swaps ?? []).filter((s) => s.update === episode.update && s.index === episode.index).toReversed().map((s) => <SwapView key={s.id} id={id} swap={s} />)}</>}</Wait>
    </>
  )
}

function SwapView({ id, swap }: { id: string; swap: Swap }) {
  return (
    <article>
      <h3><Short text={swap.title.replace(/(^|, )(\d+): /g, '$1agent $2: ')} limit={300} /> <span class="dim">{when(swap.created)} · <a href={link(['runs', id, 'episodes', swap.update, swap.index])}>update {swap.update}, episode {swap.index}</a></span></h3>
      {swap.error ? <p class="trouble"><Short text={swap.error} limit={600} /></p> : (
        <div class="two">
          <div class="panel"><h3>as it is <span class="dim">reward {num(swap.reward)}</span></h3><Dialogue lines={swap.lines} numbers={false} /></div>
          <div class="panel"><h3>swapped <span class="dim">reward {num(swap.swapped_reward)}</span></h3><Dialogue lines={swap.swapped} before={swap.lines} numbers={false} /></div>
        </div>
      )}
    </article>
  )
}

export function SwapsTab({ id }: { id: string }) {
  const swaps = useGet<{ swaps: Swap[]; damaged?: number }>(ofRun(id, '/swaps'))
  if (swaps.error) return <Trouble error={swaps.error} />
  return (
    <Wait of={swaps}>
      {(data) => (
        <>
          <p class="dim">Problems that the team played again with an agent replaced or left out. Open an episode to make one.</p>
          <Left n={data.damaged} file="swaps.jsonl" />
          {(data.swaps ?? []).length === 0 && <p>None yet.</p>}
          {(data.swaps ?? []).toReversed().map((s) => <SwapView key={s.id} id={id} swap={s} />)}
        </>
      )}
    </Wait>
  )
}
