// Curves: uPlot with the page's colors. Lines differ in dashes as well as in color, and everything that a curve shows stands in words below it.
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { num } from './format'
import { Layer, many, thin } from './layer'

export interface Curve {
  label: string
  values: (number | null)[]
  // A band around the curve, such as an interval.
  low?: (number | null)[] | null
  high?: (number | null)[] | null
  // One of those that another curve stands for, such as a seed of a mean: thin, and not among the words below.
  thin?: boolean
  // Which of the page's colors and dashes: otherwise that of its place.
  look?: number
}

const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 6], [1, 4], [10, 2, 2, 2, 2, 2]]

// looks is how many curves can be told apart, in color and in dashes.
export const looks = 8

const color = (i: number) => variable('--c' + ((i % looks) + 1))
const variable = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

// Sample is a piece of the line of curve i, for legends.
export function Sample({ i }: { i: number }) {
  return (
    <svg class="sample" width="22" height="8" aria-hidden="true">
      <line x1="1" y1="4" x2="21" y2="4" stroke={`var(--c${(i % looks) + 1})`} stroke-width="2" stroke-dasharray={dashes[i % looks]!.join(' ')} />
    </svg>
  )
}

// A Bounds is what values can be, such as 0 to 1 for a share: bands end there, and so does the axis.
export type Bounds = [number, number]

export const boundsOf = (unit: string): Bounds | undefined => (unit === 'share' ? [0, 1] : undefined)

const clipped = (v: number | null | undefined, bounds: Bounds | undefined) => (bounds && v != null ? Math.min(bounds[1], Math.max(bounds[0], v)) : (v ?? null))

const clip = (values: (number | null)[], bounds: Bounds | undefined) => (bounds ? values.map((v) => clipped(v, bounds)) : values)

// smooth is the mean of each value and of those before it, each of which counts less by the factor weight; values that lack count for nothing.
export function smooth(values: (number | null)[], weight: number): (number | null)[] {
  let sum = 0
  let total = 0
  return values.map((v) => {
    if (v === null) return null
    sum = sum * weight + v
    total = total * weight + 1
    return sum / total
  })
}

interface Built {
  data: uPlot.AlignedData
  series: uPlot.Series[]
  bands: uPlot.Band[]
  // What a layer of its own draws with the lines of all series, where there are many.
  layered: uPlot.Band[] | null
}

function build(x: number[], curves: Curve[], bounds: Bounds | undefined, weight: number): Built {
  const data: (number | null)[][] = [x]
  const series: uPlot.Series[] = [{}]
  const bands: uPlot.Band[] = []
  const add = (label: string, values: (number | null)[], rest: uPlot.Series) => (series.push({ label, spanGaps: true, points: { show: false }, ...rest }), data.push(values))
  curves.forEach((curve, place) => {
    const i = curve.look ?? place
    const dash = dashes[i % looks]!
    if (curve.low && curve.high) {
      const edge = { stroke: color(i) + '88', width: 0.7 }
      add('', clip(curve.high, bounds), edge)
      add('', clip(curve.low, bounds), edge)
      bands.push({ series: [data.length - 2, data.length - 1], fill: color(i) + '22' })
    }
    if (weight > 0) add('', curve.values, { stroke: color(i) + '44', width: 1 })
    const points = !curve.thin && x.length < 40 ? { show: true, size: 4 } : { show: false }
    add(curve.label, smooth(curve.values, weight), { stroke: curve.thin ? color(i) + '77' : color(i), width: curve.thin ? 0.8 : 1.8, points, ...(curve.thin ? { class: thin } : { dash }) })
  })
  if (!many(series.length, x.length)) return { data: data as uPlot.AlignedData, series, bands, layered: null }
  return { data: data as uPlot.AlignedData, series: series.map((s, i) => (i === 0 ? s : { ...s, paths: () => null })), bands: [], layered: bands }
}

// rangeIn keeps an axis to what is possible, and shows all of that, unless everything lies in the lowest fifth of it. A single value has no extent of its own.
const rangeIn = (bounds: Bounds | undefined) => (_: uPlot, low: number | null, high: number | null): [number, number] => {
  if (bounds) return high !== null && high > bounds[0] && high < bounds[0] + (bounds[1] - bounds[0]) / 5 ? [bounds[0], high * 1.1] : bounds
  if (low === null || high === null) return [0, 1]
  const pad = high > low ? (high - low) * 0.08 : Math.max(Math.abs(high) * 0.1, 0.1)
  return [low - pad, high + pad]
}

// A Level is a line across the plot, such as the score of the untrained team.
export interface Level {
  label: string
  value: number
}

function drawLevel(u: uPlot, level: Level) {
  const y = u.valToPos(level.value, 'y', true)
  if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) return
  u.ctx.save()
  u.ctx.strokeStyle = variable('--dim')
  u.ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio])
  u.ctx.lineWidth = devicePixelRatio
  u.ctx.beginPath()
  u.ctx.moveTo(u.bbox.left, y)
  u.ctx.lineTo(u.bbox.left + u.bbox.width, y)
  u.ctx.stroke()
  u.ctx.restore()
}

// ticksOf writes the numbers of an axis with as many digits as its steps need.
function ticksOf(ticks: number[], step: number): string[] {
  let digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  if (Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6) digits++ // steps of 0.25
  return ticks.map((t) => (digits > 6 || Math.abs(t) >= 1e6 ? num(t) : t.toFixed(digits).replace('-', '−')))
}

interface Acts {
  hover: (i: number | null) => void
  pick: ((i: number) => void) | undefined
  zoomed: (now: boolean) => void
}

function options(width: number, height: number, x: string, built: Built, sync: string | undefined, bounds: Bounds | undefined, level: Level | undefined, acts: Acts): uPlot.Options {
  const axis = { stroke: variable('--dim'), grid: { stroke: variable('--grid'), width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif' }
  const whole = x === 'update' ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000] } : {}
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 6, show: ((_: uPlot, i: number) => built.series[i]!.label && built.series[i]!.class !== thin && document.createElement('div')) as uPlot.Cursor.Points.Show }, drag: { x: true, y: false }, ...(sync ? { sync: { key: sync } } : {}) },
    scales: { x: { time: false, range: (_u, a, b) => (a === b ? [a - 1, b + 1] : [a, b]) }, y: { range: rangeIn(bounds) } },
    axes: [
      { ...axis, ...whole, grid: { show: false }, size: 26, values: (_u, ticks) => ticks.map((t) => num(t)) },
      { ...axis, size: 46, values: (_u, ticks, _axis, _space, step) => ticksOf(ticks, step) },
    ],
    series: built.series,
    bands: built.bands,
    hooks: {
      setCursor: [(u: uPlot) => acts.hover(u.cursor.idx ?? null)],
      setSelect: [(u: uPlot) => u.select.width > 0 && acts.zoomed(true)],
      draw: level ? [(u: uPlot) => drawLevel(u, level)] : [],
      ready: [
        (u: uPlot) => {
          u.over.addEventListener('dblclick', () => acts.zoomed(false))
          let from = 0
          u.over.addEventListener('mousedown', (e) => (from = e.clientX))
          u.over.addEventListener('click', (e) => Math.abs(e.clientX - from) < 4 && u.cursor.idx != null && acts.pick?.(u.cursor.idx))
          if (acts.pick) u.over.style.cursor = 'pointer'
        },
      ],
    },
  }
}

interface PlotProps {
  x: number[]
  xName: string
  curves: Curve[]
  title: string
  height?: number
  sync?: string
  // Curves have places of their own: the words below say the last value of each up to where the reader is.
  apart?: boolean
  bounds?: Bounds | undefined
  // How much of the mean before counts in the next one, from 0, as it is, to below 1. What is smoothed lies over what is not.
  smoothing?: number
  level?: Level | undefined
  // What a click at a place opens.
  onPick?: ((i: number) => void) | undefined
}

// upTo is the last value up to a place.
function upTo(values: (number | null)[], where: number): number | null {
  while (where >= 0 && values[where] == null) where--
  return values[where] ?? null
}

export function Plot({ x, xName, curves, title, height = 150, sync, apart = false, bounds, smoothing = 0, level, onPick }: PlotProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const zoomed = useRef(false)
  const closer = useRef<{ min: number; max: number } | null>(null) // where a reader is while the plot is made again
  const drawn = useRef<Built | null>(null)
  const acts = useRef({ onPick })
  acts.current = { onPick }
  const [seen, setSeen] = useState(false)
  const [look, setLook] = useState(0)
  const hover = useRef<(i: number | null) => void>(() => undefined)
  const built = useMemo(() => build(x, curves, bounds, smoothing), [x, curves, look, smoothing, bounds?.[0], bounds?.[1]])
  const shape = curves.map((c) => c.label + (c.low ? '±' : '') + (c.look ?? '')).join('\u0000') + (smoothing > 0) + level?.value + (built.layered !== null)

  // A plot is drawn once it comes into view.
  useEffect(() => {
    const watch = new IntersectionObserver((entries) => entries.some((e) => e.isIntersecting) && setSeen(true), { rootMargin: '300px' })
    watch.observe(box.current!)
    const again = () => setLook((n) => n + 1)
    addEventListener('themechange', again)
    return () => (watch.disconnect(), removeEventListener('themechange', again))
  }, [])

  useEffect(() => {
    if (!seen) return
    const host = box.current!
    const pick = onPick && ((i: number) => acts.current.onPick?.(i))
    const made = new uPlot(options(host.clientWidth, height, xName, built, sync, bounds, level, { hover: (i) => hover.current(i), pick, zoomed: (now) => (zoomed.current = now) }), built.data, host)
    const layer = built.layered && new Layer(made, built.layered)
    if (layer) made.hooks.draw = [...(made.hooks.draw ?? []), () => layer.draw()]
    plot.current = made
    drawn.current = built
    if (zoomed.current && closer.current) made.setScale('x', closer.current)
    const resize = new ResizeObserver(() => host.clientWidth > 0 && host.clientWidth !== made.width && made.setSize({ width: host.clientWidth, height }))
    resize.observe(host)
    return () => {
      const { min, max } = made.scales.x!
      closer.current = zoomed.current && min != null && max != null ? { min, max } : null
      resize.disconnect()
      layer?.destroy()
      made.destroy()
      plot.current = null
    }
  }, [seen, shape, look, xName])
  useEffect(() => void (zoomed.current = false), [xName])

  // What a reader has come closer to stays so while a run goes on.
  useEffect(() => {
    if (drawn.current === built) return // as it was made
    drawn.current = built
    plot.current?.setData(built.data, !zoomed.current)
    if (zoomed.current) plot.current?.redraw()
  }, [built])

  return (
    <figure class="plot">
      <div ref={box} class="canvas" role="img" aria-label={describe(title, x, xName, curves)} style={{ height: height + 'px' }} />
      <Words x={x} xName={xName} curves={curves} apart={apart} bounds={bounds} level={level} hover={hover} />
    </figure>
  )
}

type WordsProps = Pick<PlotProps, 'x' | 'xName' | 'curves' | 'apart' | 'bounds' | 'level'> & { hover: { current: (i: number | null) => void } }

// Words say what the curves are where the reader is: they alone change while the pointer moves.
function Words({ x, xName, curves, apart, bounds, level, hover }: WordsProps) {
  const [at, setAt] = useState<number | null>(null)
  hover.current = setAt
  const where = at ?? x.length - 1
  return (
    <figcaption>
      <span class="at">{xName} {num(x[where])}</span>
      {curves.map((curve, i) => !curve.thin && (
        <span class="key" key={curve.label}>
          <Sample i={curve.look ?? i} />
          <bdi>{curve.label}</bdi> <b>{num(apart ? upTo(curve.values, where) : curve.values[where])}</b>
          {curve.low && curve.high && curve.low[where] != null && <span class="dim"> ({num(clipped(curve.low[where], bounds))} to {num(clipped(curve.high[where], bounds))})</span>}
        </span>
      ))}
      {level && <span class="key dim"><svg class="sample" width="22" height="8" aria-hidden="true"><line x1="1" y1="4" x2="21" y2="4" stroke="var(--dim)" stroke-dasharray="2 3" /></svg>{level.label} <b>{num(level.value)}</b></span>}
    </figcaption>
  )
}

// What a curve says, in words.
function describe(title: string, x: number[], xName: string, curves: Curve[]): string {
  const parts = curves.filter((curve) => !curve.thin).slice(0, 6).map((curve) => {
    const known = curve.values.filter((v): v is number => v !== null)
    return known.length === 0 ? `${curve.label}: no values` : `${curve.label}: from ${num(known[0])} to ${num(known.at(-1))}`
  })
  return `${title} by ${xName}, ${x.length} points. ${parts.join('; ')}`
}

// Spark is a curve as small as a word.
export function Spark({ values, width = 84, height = 18 }: { values: number[]; width?: number; height?: number }) {
  if (values.length < 2) return <span class="dim">–</span>
  const low = Math.min(...values)
  const span = Math.max(...values) - low || 1
  const points = values.map((v, i) => `${((i * (width - 4)) / (values.length - 1) + 2).toFixed(1)},${(height - 3 - ((v - low) / span) * (height - 6)).toFixed(1)}`)
  const [endX, endY] = points.at(-1)!.split(',')
  return (
    <svg class="spark" width={width} height={height} role="img" aria-label={`mean reward from ${num(values[0])} to ${num(values.at(-1))}`}>
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" stroke-width="1.3" />
      <circle cx={endX} cy={endY} r="1.8" fill="currentColor" />
    </svg>
  )
}
