// Curves: uPlot with the page's colors. Lines differ in dashes as well as in color, and everything that a curve shows stands in words below it.
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { num } from './format'

export interface Curve {
  label: string
  values: (number | null)[]
  // A band around the curve, such as an interval.
  low?: (number | null)[] | null
  high?: (number | null)[] | null
  thin?: boolean
}

const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 6], [1, 4], [10, 2, 2, 2, 2, 2]]
const colors = 8

const color = (i: number) => getComputedStyle(document.documentElement).getPropertyValue('--c' + ((i % colors) + 1)).trim()
const variable = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

// Sample is a piece of the line of curve i, for legends.
export function Sample({ i }: { i: number }) {
  return (
    <svg class="sample" width="22" height="8" aria-hidden="true">
      <line x1="1" y1="4" x2="21" y2="4" stroke={`var(--c${(i % colors) + 1})`} stroke-width="2" stroke-dasharray={dashes[i % dashes.length]!.join(' ')} />
    </svg>
  )
}

interface Built {
  data: uPlot.AlignedData
  series: uPlot.Series[]
  bands: uPlot.Band[]
}

function build(x: number[], curves: Curve[]): Built {
  const data: (number | null)[][] = [x]
  const series: uPlot.Series[] = [{}]
  const bands: uPlot.Band[] = []
  curves.forEach((curve, i) => {
    const points = x.length < 40 ? { show: true, size: 4 } : { show: false }
    series.push({ label: curve.label, stroke: color(i), width: curve.thin ? 1 : 1.6, dash: dashes[i % dashes.length]!, spanGaps: true, points })
    data.push(curve.values)
    if (!curve.low || !curve.high) return
    const edge = { stroke: 'transparent', width: 0, points: { show: false }, spanGaps: true }
    series.push({ ...edge, label: '' }, { ...edge, label: '' })
    data.push(curve.high, curve.low)
    bands.push({ series: [data.length - 2, data.length - 1], fill: color(i) + '26' })
  })
  return { data: data as uPlot.AlignedData, series, bands }
}

// A single value has no extent of its own.
const range = (_: uPlot, low: number | null, high: number | null): [number, number] => {
  if (low === null || high === null) return [0, 1]
  const pad = high > low ? (high - low) * 0.08 : Math.max(Math.abs(high) * 0.1, 0.1)
  return [low - pad, high + pad]
}

function options(width: number, height: number, x: string, built: Built, share: boolean, sync: string | undefined, hover: (i: number | null) => void): uPlot.Options {
  const axis = { stroke: variable('--dim'), grid: { stroke: variable('--line'), width: 1 }, ticks: { stroke: variable('--line'), width: 1, size: 4 }, font: '11px system-ui, sans-serif' }
  const whole = x === 'update' ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000] } : {}
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: true, y: false }, ...(sync ? { sync: { key: sync } } : {}) },
    scales: { x: { time: false, range: (_u, a, b) => (a === b ? [a - 1, b + 1] : [a, b]) }, y: { range: share ? [0, 1] : range } },
    axes: [
      { ...axis, ...whole, size: 26, values: (_u, ticks) => ticks.map((t) => num(t)) },
      { ...axis, size: 52, values: (_u, ticks) => ticks.map((t) => num(t)) },
    ],
    series: built.series,
    bands: built.bands,
    hooks: { setCursor: [(u: uPlot) => hover(u.cursor.idx ?? null)] },
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
  // Values are shares: the axis has all that they can be.
  share?: boolean
}

// upTo is the last value up to a place.
const upTo = (values: (number | null)[], where: number) => values.slice(0, where + 1).findLast((v) => v !== null)

export function Plot({ x, xName, curves, title, height = 150, sync, apart = false, share = false }: PlotProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const [seen, setSeen] = useState(false)
  const [look, setLook] = useState(0)
  const [at, setAt] = useState<number | null>(null)
  const shape = curves.map((c) => c.label + (c.low ? '±' : '')).join('\u0000')
  const built = useMemo(() => build(x, curves), [x, curves, look])

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
    const made = new uPlot(options(host.clientWidth, height, xName, built, share, sync, setAt), built.data, host)
    plot.current = made
    const resize = new ResizeObserver(() => host.clientWidth > 0 && made.setSize({ width: host.clientWidth, height }))
    resize.observe(host)
    return () => (resize.disconnect(), made.destroy(), (plot.current = null))
  }, [seen, shape, look, xName])

  useEffect(() => plot.current?.setData(built.data), [built])

  const last = x.length - 1
  const where = at ?? last
  return (
    <figure class="plot">
      <div ref={box} class="canvas" role="img" aria-label={describe(title, x, xName, curves)} style={{ height: height + 'px' }} />
      <figcaption>
        <span class="at">{xName} {num(x[where])}</span>
        {curves.map((curve, i) => (
          <span class="key" key={curve.label}>
            <Sample i={i} />
            <bdi>{curve.label}</bdi> <b>{num(apart ? upTo(curve.values, where) : curve.values[where])}</b>
            {curve.low && curve.high && curve.low[where] != null && <span class="dim"> ({num(curve.low[where])} to {num(curve.high[where])})</span>}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

// What a curve says, in words.
function describe(title: string, x: number[], xName: string, curves: Curve[]): string {
  const parts = curves.slice(0, 6).map((curve) => {
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
