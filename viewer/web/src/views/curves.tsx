// Curves of everything that was measured in training.
import { useMemo, useState } from 'preact/hooks'
import type { Loaded } from '../api'
import { Wait } from '../parts'
import { boundsOf, Plot, type Level } from '../plot'
import { go, link } from '../route'
import { Short } from '../text'
import type { Metrics, RunRow, Series } from '../types'
import { NoUpdates } from './none'
import { PanelPlot } from './panel'

export type Axis = 'update' | 'tokens' | 'seconds'

const groups: [string, string][] = [['result', 'Result'], ['answers', 'Answers'], ['team', 'Team'], ['learning', 'Learning'], ['costs', 'Costs'], ['time', 'Time']]

// What one plot shows: all series of one name.
export interface Shown {
  name: string
  unit: string
  about: string
  group: string
  parts: Series[]
}

export function together(series: Series[]): Shown[] {
  const out = new Map<string, Shown>()
  for (const one of series) {
    const known = out.get(one.name)
    if (known) known.parts.push(one)
    else out.set(one.name, { name: one.name, unit: one.unit, about: one.about, group: one.group, parts: [one] })
  }
  return [...out.values()]
}

// inPanel are series that stand in the plot of the panel.
const inPanel = ['panel.ci95', 'panel.untrained']

export const axis = (metrics: Metrics, x: Axis): number[] => (x === 'update' ? metrics.updates : x === 'tokens' ? metrics.tokens : metrics.seconds.map((s) => s ?? 0))

// Damage says what of the numbers could not be read.
export const Damage = ({ of }: { of: Metrics }) => (of.damaged ? <p class="trouble"><Short text={of.damaged} limit={400} /></p> : null)

export function CurvesTab({ run, metrics }: { run: RunRow; metrics: Loaded<Metrics> }) {
  const [x, setX] = useState<Axis>('update')
  const [search, setSearch] = useState('')
  const [smoothing, setSmoothing] = useState(0)
  return (
    <Wait of={metrics}>
      {(data) => {
        const shown = together(data.series).filter((one) => !inPanel.includes(one.name) && (one.name + ' ' + one.about).toLowerCase().includes(search.toLowerCase()))
        const others = shown.filter((one) => !groups.some(([key]) => key === one.group))
        return (
          <>
            <div class="tools">
              <input type="search" placeholder="search curves" aria-label="search curves" value={search} onInput={(e) => setSearch(e.currentTarget.value)} />
              <AxisChoice x={x} set={setX} />
              <label>
                smooth
                <select value={smoothing} onChange={(e) => setSmoothing(Number(e.currentTarget.value))}>
                  <option value="0">not</option>
                  <option value="0.6">a little</option>
                  <option value="0.9">much</option>
                </select>
              </label>
              <span class="dim">click: the episodes of that update; drag: closer; double click: all</span>
            </div>
            <Damage of={data} />
            {smoothing > 0 && <p class="dim">Strong lines are smoothed: means of what came up to there, in which each update counts {smoothing} of the next one. Faint lines are what was measured.</p>}
            {x === 'seconds' && data.updates.length > 0 && data.seconds.every((s) => s === null) && <p class="dim">The run has no times: timing.jsonl lacks, or cannot be read.</p>}
            {data.updates.length === 0 && <NoUpdates run={run} />}
            {data.updates.length > 0 && [...groups, ['', 'More'] as [string, string]].map(([key, title]) => {
              const these = key === '' ? others : shown.filter((one) => one.group === key)
              return these.length > 0 && (
                <section key={key}>
                  <h2>{title}</h2>
                  <div class="plots">{these.map((one) => one.name === 'panel.score' ? <PanelPlot key={one.name} metrics={data} x={x} /> : <MetricPlot key={one.name} id={run.id} metrics={data} shown={one} x={x} smoothing={smoothing} />)}</div>
                </section>
              )
            })}
          </>
        )
      }}
    </Wait>
  )
}

export function AxisChoice({ x, set }: { x: Axis; set: (x: Axis) => void }) {
  return (
    <label>
      by
      <select value={x} onChange={(e) => set(e.currentTarget.value as Axis)}>
        <option value="update">update</option>
        <option value="tokens">generated tokens</option>
        <option value="seconds">seconds</option>
      </select>
    </label>
  )
}

interface MetricProps {
  id: string
  metrics: Metrics
  shown: Shown
  x: Axis
  smoothing?: number
  level?: Level | undefined
}

export function MetricPlot({ id, metrics, shown, x, smoothing = 0, level }: MetricProps) {
  const xs = useMemo(() => axis(metrics, x), [metrics.updates, x])
  const curves = useMemo(() => shown.parts.map((s) => ({ label: s.part || s.name, values: s.values })), [metrics.updates, shown.name, shown.parts.length])
  const pick = (i: number) => metrics.updates[i] !== undefined && go(link(['runs', id, 'episodes'], { from: metrics.updates[i], to: metrics.updates[i] }))
  return (
    <section class="metric" aria-label={shown.name}>
      <h3><Short text={shown.name} /></h3> <span class="dim">{shown.unit}</span>
      <p>{shown.about}</p>
      <Plot x={xs} xName={x} curves={curves} title={shown.name} sync={'run-' + x} bounds={boundsOf(shown.unit)} smoothing={smoothing} level={level} onPick={pick} />
    </section>
  )
}
