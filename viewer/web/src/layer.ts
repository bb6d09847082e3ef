// Many curves: uPlot draws the axes, and a layer of its own the lines, some of them a frame. Until all are there, the picture that was there before is
// stretched to where its values are now. So a look closer at 64 runs keeps to the frames of the screen.
import type uPlot from 'uplot'

// How many points are drawn in a frame, and how many a line has at most: the lowest and the highest of each part of what is in view.
const aFrame = 6000
const mostOfThin = 200
const mostOfStrong = 600

// A thin line, such as a seed's, is one of many.
export const thin = 'thin'

// many says whether so much is to be drawn that it is drawn in parts.
export const many = (series: number, points: number) => series * points > 20_000

interface Place {
  x: [number, number]
  y: [number, number]
  width: number
  height: number
}

// visible are the places of what is in view, with one beyond on each side: lines go on there.
function visible(x: ArrayLike<number>, [low, high]: [number, number]): [number, number] {
  const first = (of: number) => {
    let [from, to] = [0, x.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (x[middle]! < of) from = middle + 1
      else to = middle
    }
    return from
  }
  return [Math.max(0, first(low) - 1), Math.min(x.length - 1, first(high))]
}

// thinned are the places of the lowest and the highest value of each of so many parts.
export function thinned(values: ArrayLike<number | null | undefined>, from: number, to: number, most: number): number[] {
  const out: number[] = []
  const step = Math.max(1, Math.ceil((2 * (to - from + 1)) / most))
  for (let begin = from; begin <= to; begin += step) {
    let [low, high] = [-1, -1]
    for (let i = begin; i < Math.min(begin + step, to + 1); i++) {
      if (values[i] == null) continue
      if (low < 0 || values[i]! < values[low]!) low = i
      if (high < 0 || values[i]! > values[high]!) high = i
    }
    if (low < 0) continue
    out.push(Math.min(low, high))
    if (low !== high) out.push(Math.max(low, high))
  }
  return out
}

export class Layer {
  private readonly box = document.createElement('div')
  private readonly pictures = [document.createElement('canvas'), document.createElement('canvas')] as [HTMLCanvasElement, HTMLCanvasElement] // what is seen, and what is drawn
  private drawn: Place | null = null
  private frame = 0

  constructor(
    private readonly u: uPlot,
    private readonly bands: uPlot.Band[],
  ) {
    this.box.className = 'layer'
    this.box.append(...this.pictures)
    u.over.prepend(this.box)
  }

  destroy() {
    cancelAnimationFrame(this.frame)
  }

  // draw begins anew with where the axes are now.
  draw() {
    const { x, y } = this.u.scales as { x: uPlot.Scale; y: uPlot.Scale }
    if (x.min == null || x.max == null || y.min == null || y.max == null) return
    const now: Place = { x: [x.min, x.max], y: [y.min, y.max], width: this.u.bbox.width, height: this.u.bbox.height }
    const [seen, back] = this.pictures
    if (this.drawn) seen.style.transform = stretch(this.drawn, now)
    back.width = now.width
    back.height = now.height
    const context = back.getContext('2d')!
    context.lineJoin = 'bevel'
    const parts = [...this.bands.map((band) => () => this.fill(context, now, band)), ...this.u.series.slice(1).map((_, i) => () => this.line(context, now, i + 1))]
    cancelAnimationFrame(this.frame)
    const some = () => {
      for (let points = 0; parts.length > 0 && points < aFrame; ) points += parts.shift()!()
      if (parts.length > 0) return void (this.frame = requestAnimationFrame(some))
      this.frame = requestAnimationFrame(() => {
        back.style.transform = ''
        back.style.visibility = 'visible'
        seen.style.visibility = 'hidden'
        this.pictures.reverse()
        this.drawn = now
      })
    }
    this.frame = requestAnimationFrame(some)
  }

  private line(context: CanvasRenderingContext2D, now: Place, i: number): number {
    const series = this.u.series[i]!
    const at = this.points(now, i, series.class === thin ? mostOfThin : mostOfStrong)
    const ratio = devicePixelRatio
    context.strokeStyle = String(typeof series.stroke === 'function' ? series.stroke(this.u, i) : series.stroke)
    context.lineWidth = (series.width ?? 1) * ratio
    context.setLineDash((series.dash ?? []).map((d) => d * ratio))
    context.stroke(through(at))
    return at.length
  }

  private fill(context: CanvasRenderingContext2D, now: Place, band: uPlot.Band): number {
    const [a, b] = band.series.map((i) => this.points(now, i, mostOfThin)) as [[number, number][], [number, number][]]
    context.fillStyle = String(band.fill)
    context.fill(through([...a, ...b.reverse()]))
    return a.length + b.length
  }

  // points are where the values of a series are in the picture.
  private points(now: Place, i: number, most: number): [number, number][] {
    const [x, y] = [this.u.data[0], this.u.data[i]!]
    const [from, to] = visible(x, now.x)
    const [across, up] = [now.width / (now.x[1] - now.x[0]), now.height / (now.y[1] - now.y[0])]
    return thinned(y, from, to, most).map((at) => [(x[at]! - now.x[0]) * across, (now.y[1] - y[at]!) * up])
  }
}

function through(points: [number, number][]): Path2D {
  const path = new Path2D()
  for (const [x, y] of points) path.lineTo(x, y)
  return path
}

// stretch moves a picture from where its axes were to where they are now.
function stretch(before: Place, now: Place): string {
  const [across, up] = [now.x[1] - now.x[0], now.y[1] - now.y[0]]
  const [left, top] = [(100 * (before.x[0] - now.x[0])) / across, (100 * (now.y[1] - before.y[1])) / up]
  return `translate(${left}%, ${top}%) scale(${(before.x[1] - before.x[0]) / across}, ${(before.y[1] - before.y[0]) / up})`
}
