// Who saw what, as lines from what was said to who read it. The cells say the same in words.
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { Answer, Step } from './path'

interface Line {
  d: string
  at: boolean
}

export function Lines({ path, at, box }: { path: Step[]; at: Answer; box: RefObject<HTMLElement | null> }) {
  const [lines, setLines] = useState<Line[]>([])
  const draw = () => box.current && setLines(measure(path, at, box.current))
  useLayoutEffect(() => void draw(), [path, at])
  useEffect(() => {
    const watch = new ResizeObserver(draw)
    watch.observe(box.current!)
    return () => watch.disconnect()
  }, [path, at])
  return <svg class="lines" aria-hidden="true">{lines.map((line, i) => <path key={i} d={line.d} class={line.at ? 'at' : ''} />)}</svg>
}

function measure(path: Step[], at: Answer, box: HTMLElement): Line[] {
  const origin = box.getBoundingClientRect()
  const cells = new Map([...box.querySelectorAll<HTMLElement>('[data-cell]')].map((cell) => [cell.dataset.cell!, cell.getBoundingClientRect()]))
  const out: Line[] = []
  for (const step of path) {
    step.at.cells.forEach((cell, i) => {
      for (const seen of cell.saw ?? []) {
        const from = cells.get(`${seen.node}:${seen.agent}`)
        const to = cells.get(`${step.node}:${cell.agent}`)
        if (!from || !to) continue
        const [x1, y1] = [from.left + from.width / 2 - origin.left, from.bottom - origin.top]
        const [x2, y2] = [to.left + to.width / 2 - origin.left, to.top - origin.top]
        const bend = Math.max(20, (y2 - y1) / 2)
        out.push({ d: `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`, at: step.node === at.node && i === at.cell })
      }
    })
  }
  return out
}
