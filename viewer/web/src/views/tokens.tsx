// The tokens of one answer: exact text, special tokens visible, shaded by what was measured of each.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { exported, useGet } from '../api'
import { num, signed, when } from '../format'
import { useSession } from '../page'
import { Trouble } from '../parts'
import { Short } from '../text'
import { visible } from '../text'
import type { Token, Tokens } from '../types'
import { JobState, useJob } from './job'

type Measure = 'logprob' | 'entropy' | 'kl' | 'advantage' | 'ratio'

const measures: Record<Measure, { name: string; about: string; share: (x: number) => number }> = {
  logprob: { name: 'log-probability', about: 'natural log of the probability that the token was drawn with; the darker, the less likely', share: (x) => Math.min(1, -x / 4) },
  entropy: { name: 'entropy', about: 'of the distribution that the token was drawn from, −Σ p·log p, exact, in nats: with the temperature, masks and cuts of sampling; the darker, the more open the choice', share: (x) => Math.min(1, x / 2.5) },
  kl: { name: 'KL', about: 'the token’s term of the estimate of the distance from the base, in nats, before its coefficient', share: (x) => Math.min(1, Math.abs(x) / 0.5) },
  advantage: { name: 'advantage', about: 'credit minus baseline: its sign says whether the token becomes more or less probable', share: (x) => Math.min(1, Math.abs(x) / 2) },
  ratio: { name: 'ratio', about: 'probability under the policy after the update over that which the token was drawn with', share: (x) => Math.min(1, Math.abs(Math.log(x || 1e-9)) / 0.7) },
}
const clip = 'whether the bound on the ratio, clip or cap, makes a difference to the loss at the ratio after the update'

const limit = 1500

// exact shows blanks as marks, so that the text of a token is seen whole.
function exact(token: Token) {
  if (token.text === null) return <>#{token.id}</>
  if (token.special) return <>{visible(token.text)}</>
  return token.text.split(/( |\n|\t|\r)/).filter(Boolean).map((part, i) =>
    part === ' ' ? <span key={i} class="ws">·</span> : part === '\n' ? <span key={i} class="ws">↵{'\n'}</span> : part === '\t' ? <span key={i} class="ws">⇥</span> : part === '\r' ? <span key={i} class="ws">␍</span> : <span key={i}>{visible(part)}</span>,
  )
}

interface Props {
  path: string // of the episode's tokens
  query: Record<string, string | number | undefined>
}

export function TokenStrip({ path, query }: Props) {
  const tokens = useGet<Tokens>(path, query)
  const [measure, setMeasure] = useState<Measure>('logprob')
  const [at, setAt] = useState(0)
  const [all, setAll] = useState(false)
  const [table, setTable] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const data = tokens.data
  const has = useMemo(() => (Object.keys(measures) as Measure[]).filter((m) => data?.tokens.some((t) => t[m] !== null)), [data])
  useEffect(() => setAt(0), [path, query.completion, query.agent, query.node])
  if (tokens.error) return <Trouble error={tokens.error} />
  if (!data) return <p class="dim" role="status">loading …</p>
  if (data.tokens.length === 0) return <p class="dim">No tokens: {data.missing[0]?.why ?? 'no model wrote this.'}</p>
  const shown = all ? data.tokens : data.tokens.slice(0, limit)
  const used = has.includes(measure) ? measure : has[0]
  const move = (e: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key]
    if (!step) return
    e.preventDefault()
    e.stopPropagation()
    setAt(Math.max(0, Math.min(shown.length - 1, at + step)))
  }
  return (
    <div>
      <div class="tools">
        {has.map((m) => <button key={m} type="button" class="pick" aria-pressed={m === used} title={measures[m].about} onClick={() => setMeasure(m)}>{measures[m].name}</button>)}
        <button type="button" class="pick" aria-pressed={table} onClick={() => setTable(!table)}>as a table</button>
        <span class="dim">{data.tokens.length} tokens, stop: {data.stop || '–'}{!has.includes('advantage') && <>, advantage of the answer <b>{signed(data.advantage)}</b></>}</span>
      </div>
      {used && <p class="dim">{measures[used].name}: {measures[used].about}.</p>}
      {!table && <Facts token={shown[at]} i={at} />}
      {table ? <TokenTable tokens={shown} /> : (
        <div class="tokens" ref={box} tabIndex={0} role="group" aria-label="tokens; the arrow keys go from one to the next" onKeyDown={move}>
          {shown.map((t, i) => (
            <span
              key={i}
              class={'token' + (i === at ? ' at' : '') + (t.special ? ' special' : '') + (t.inserted ? ' inserted' : '') + (t.clipped ? ' clipped' : '')}
              style={used && t[used] !== null ? { '--share': Math.round(55 * measures[used].share(t[used]!)) + '%', '--heat': (t.advantage ?? data.advantage) < 0 ? 'var(--c2)' : 'var(--c1)' } : undefined}
              onMouseEnter={() => setAt(i)}
              onClick={() => setAt(i)}
            >{exact(t)}</span>
          ))}
        </div>
      )}
      {shown.length < data.tokens.length && <button type="button" onClick={() => setAll(true)}>show all, {data.tokens.length - shown.length} more tokens</button>}
      {data.computed ? <How of={data.computed} /> : <Compute path={path} again={tokens.again} />}
      {data.missing.length > 0 && <p class="dim">Not known: {data.missing.map((m, i) => <span key={m.field}>{i > 0 && '; '}{m.field} (<Short text={m.why} limit={160} />)</span>)}</p>}
    </div>
  )
}

// Compute asks for what the run does not record; the server keeps it with the run.
function Compute({ path, again }: { path: string; again: () => void }) {
  const session = useSession()
  const asked = useJob(again)
  const [, id, update, index] = path.match(/^\/runs\/([^/]+)\/episodes\/(\d+)\/(\d+)\/tokens$/) ?? []
  if (exported || session.read_only || !session.can_run || !id) return null
  return (
    <p class="tools">
      <button type="button" disabled={asked.waits} onClick={() => void asked.ask(`/runs/${id}/tokens`, { update: Number(update), index: Number(index) })}>compute entropy, KL, ratio and clip</button>
      <JobState {...asked} />
    </p>
  )
}

function How({ of }: { of: NonNullable<Tokens['computed']> }) {
  return (
    <p class="dim">
      Computed {when(of.created)} from the checkpoint before the update; ratios are those after it, by {of.after || 'nothing'}. KL: <Short text={of.penalty.estimator} />, coefficient {num(of.penalty.coefficient)}. Clip: {clip}.
    </p>
  )
}

function Facts({ token, i }: { token: Token | undefined; i: number }) {
  if (!token) return null
  const parts: [string, number | null][] = [['log-probability', token.logprob], ['entropy', token.entropy], ['under the base', token.reference], ['KL', token.kl], ['advantage', token.advantage], ['after the update', token.after], ['ratio', token.ratio]]
  return (
    <p class="tokenfacts">
      token {i + 1}, id {token.id}: {token.text === null ? '' : <span class="token special">{exact(token)}</span>}{' '}
      {parts.filter(([, x]) => x !== null).map(([name, x]) => <span key={name}><span class="dim">{name}</span> {num(x)} </span>)}
      {token.logprob !== null && <span><span class="dim">probability</span> {num(Math.exp(token.logprob))} </span>}
      {token.clipped !== null && <span><span class="dim">clip</span> {token.clipped ? 'active' : 'no'} </span>}
      {token.special && <span class="dim">special </span>}
      {token.inserted && <span class="dim">read, not written: the result of a tool</span>}
    </p>
  )
}

function TokenTable({ tokens }: { tokens: Token[] }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="tokens as a table" style={{ maxHeight: '50vh', overflow: 'auto' }}>
      <table>
        <thead><tr><th class="num">no.</th><th class="num">id</th><th>text</th><th class="num">log-probability</th><th class="num">entropy</th><th class="num">KL</th><th class="num">advantage</th><th class="num">ratio</th><th title={clip}>clip</th></tr></thead>
        <tbody>
          {tokens.map((t, i) => (
            <tr key={i}>
              <td class="num">{i + 1}</td><td class="num">{t.id}</td><td class="mono">{exact(t)}{t.special && <span class="dim"> special</span>}{t.inserted && <span class="dim"> read</span>}</td>
              <td class="num">{num(t.logprob)}</td><td class="num">{num(t.entropy)}</td><td class="num">{num(t.kl)}</td><td class="num">{num(t.advantage)}</td><td class="num">{num(t.ratio)}</td><td>{t.clipped === null ? '–' : t.clipped ? 'active' : 'no'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
