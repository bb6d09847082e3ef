// The held-out curve: what a panel of held-out problems says of the team while it is trained, with the untrained score as a line.
import { useMemo } from 'preact/hooks'
import { Plot, type Curve } from '../plot'
import type { Metrics } from '../types'
import { axis, type Axis } from './curves'

const series = (metrics: Metrics, key: string) => metrics.series.find((s) => s.key === key)?.values

// measured says that a run has such a curve.
export const measured = (metrics: Metrics) => series(metrics, 'panel.score') !== undefined

export function PanelPlot({ metrics, x, height }: { metrics: Metrics; x: Axis; height?: number }) {
  const { xs, curves, problems, untrained } = useMemo(() => {
    const [score, low, high] = ['panel.score', 'panel.ci95.1', 'panel.ci95.2'].map((key) => series(metrics, key) ?? [])
    const known = score!.flatMap((value, i) => (value === null ? [] : [i]))
    const untrained = series(metrics, 'panel.untrained')?.[known[0] ?? 0] ?? null
    const at = (values: (number | null)[]) => [null, ...known.map((i) => values[i] ?? null)]
    const places = axis(metrics, x)
    const curves: Curve[] = [
      { label: 'the team', values: [untrained, ...at(score!).slice(1)], low: at(low!), high: at(high!) },
    ]
    return { untrained, xs: [0, ...known.map((i) => places[i]!)], curves, problems: series(metrics, 'panel.problems')?.[known[0] ?? 0] }
  }, [metrics.updates, x])
  return (
    <section class="metric" aria-label="held-out score">
      <h3>held-out score</h3> <span class="dim">{problems != null && `${problems} problems`}</span>
      <p>Score on the panel of held-out problems, by the measure of the report, with its 95 % interval.</p>
      <Plot x={xs} xName={x} curves={curves} title="held-out score" level={untrained === null ? undefined : { label: 'untrained', value: untrained }} {...(height ? { height } : {})} />
    </section>
  )
}
