// Where the time of every update went.
import { useState } from 'preact/hooks'
import { ofRun, useGet } from '../api'
import { percent, seconds } from '../format'
import { Scroll, Wait } from '../parts'
import type { RunRow, Span, Timeline } from '../types'

const order = ['sample', 'score', 'train', 'save']
const paint = (name: string) => `var(--c${(order.indexOf(name) + 1 || (name.length % 4) + 5).toString()})`

export function TimelineTab({ run: { id, updates } }: { run: RunRow }) {
  const [last, setLast] = useState<number | null>(null)
  const to = last ?? updates
  const line = useGet<Timeline>(ofRun(id, '/timeline'), last === null ? {} : { from: Math.max(1, to - 49), to }, true)
  return (
    <Wait of={line}>
      {(data) =>
        data.updates.length === 0 ? <p class="dim">Nothing was timed.</p> : (
          <>
            <div class="tools">
              <button type="button" disabled={data.updates[0]!.update <= data.first} onClick={() => setLast(data.updates[0]!.update - 1)}>before</button>
              <button type="button" disabled={data.updates.at(-1)!.update >= data.last} onClick={() => setLast(Math.min(data.last, to + 50))}>after</button>
              <span class="dim">updates {data.updates[0]!.update} to {data.updates.at(-1)!.update} of {data.last}</span>
              <span>{(data.updates.some((u) => u.phases.some((p) => p.name === 'panel')) ? [...order, 'panel'] : order).map((name) => <Key key={name} name={name} fill={paint(name)} height={10} />)}<Key name="an engine computes" fill="var(--dim)" height={4} /><Key name="meanwhile" fill="var(--c5)" height={4} /></span>
            </div>
            <Bars data={data} />
            <Totals data={data} />
          </>
        )
      }
    </Wait>
  )
}

const Key = ({ name, fill, height }: { name: string; fill: string; height: number }) => (
  <span style={{ marginRight: '10px', whiteSpace: 'nowrap' }}><svg width="10" height="10" aria-hidden="true"><rect width="10" height={height} y={10 - height} fill={fill} /></svg> {name}</span>
)

function Bars({ data }: { data: Timeline }) {
  const longest = Math.max(...data.updates.map((u) => u.seconds))
  return (
    <div class="timeline">
      {data.updates.map((u) => (
        <div key={u.update} style={{ display: 'grid', gridTemplateColumns: '100px 1fr 60px', gap: '8px', alignItems: 'center' }}>
          <span class="n dim">update {u.update}</span>
          <svg viewBox="0 0 1000 18" preserveAspectRatio="none" height="18" role="img" aria-label={words(u.update, u.phases)}>
            {u.phases.map((p, i) => <rect key={i} x={(1000 * p.start) / longest} width={Math.max(0.5, (1000 * p.seconds) / longest)} y="1" height="9" fill={paint(p.name)}><title>{p.name} {seconds(p.seconds)}</title></rect>)}
            {u.engine.map((p, i) => <rect key={i} x={(1000 * p.start) / longest} width={Math.max(0.5, (1000 * p.seconds) / longest)} y="11" height="3" fill="var(--dim)"><title>engine: {p.name} {seconds(p.seconds)}</title></rect>)}
            {u.aside.map((p, i) => <rect key={i} x={(1000 * p.start) / longest} width={Math.max(0.5, (1000 * p.seconds) / longest)} y="15" height="3" fill="var(--c5)"><title>meanwhile: {p.name} {seconds(p.seconds)}</title></rect>)}
          </svg>
          <span class="n">{seconds(u.seconds)}</span>
        </div>
      ))}
    </div>
  )
}

const words = (update: number, phases: Span[]) => `update ${update}: ` + [...sums(phases)].map(([name, s]) => `${name} ${seconds(s)}`).join(', ')

function sums(spans: Span[]): Map<string, number> {
  const out = new Map<string, number>()
  for (const span of spans) out.set(span.name, (out.get(span.name) ?? 0) + span.seconds)
  return out
}

function Totals({ data }: { data: Timeline }) {
  const all = data.updates.reduce((sum, u) => sum + u.seconds, 0)
  const rows: [string, [string, number][]][] = [
    ['phase', [...sums(data.updates.flatMap((u) => u.phases))]],
    ['engine', [...sums(data.updates.flatMap((u) => u.engine))]],
    ['meanwhile', [...sums(data.updates.flatMap((u) => u.aside))]],
  ]
  return (
    <Scroll label="times">
      <h2>Together</h2>
      <table>
        <thead><tr><th>kind</th><th>what</th><th class="num">time</th><th class="num">share</th></tr></thead>
        <tbody>{rows.flatMap(([kind, list]) => list.map(([name, s]) => <tr key={kind + name}><td class="dim">{kind}</td><th scope="row">{name}</th><td class="num">{seconds(s)}</td><td class="num">{percent(s / all)}</td></tr>))}</tbody>
      </table>
    </Scroll>
  )
}
