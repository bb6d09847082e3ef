// Small parts that several views share.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Refused, type Loaded } from './api'
import { leavesZero, num, plural, shownZero, signed } from './format'
import type { State } from './types'
import { Short } from './text'

const marks: Record<State, string> = { running: '▶', finished: '✓', interrupted: '‖', failed: '✗', damaged: '⚠' }

export const StateOf = ({ state, problem }: { state: State; problem?: string }) => (
  <span class={'state ' + state} title={problem ?? ''}><span aria-hidden="true">{marks[state] ?? '?'}</span> {state}</span>
)

// Whether an answer is right, with a word and a mark.
export const Verdict = ({ correct }: { correct: boolean | null | undefined }) =>
  correct === true ? <span class="right">✓ right</span> : correct === false ? <span class="wrong">✗ wrong</span> : null

// A difference. Its color says which way it goes where that is known: where its interval leaves 0, or, of a number that has no interval, where it is not
// shown as 0.
export function Signed({ x, ci }: { x: number | null | undefined; ci?: [number, number] | null | undefined }) {
  const known = x !== null && x !== undefined && !shownZero(x) && (ci === undefined || (ci !== null && leavesZero(ci)))
  return <span class={'n ' + (known ? (x > 0 ? 'plus' : 'minus') : '')}>{signed(x)}</span>
}

export const N = ({ x }: { x: number | null | undefined }) => <span class="n">{num(x)}</span>

export function Trouble({ error, again }: { error: Refused; again?: () => void }) {
  return (
    <p class="trouble" role="alert">
      <bdi>{error.message}</bdi>
      {again && error.code !== 'not_found' && <> <button type="button" onClick={again}>try again</button></>}
    </p>
  )
}

// Left says how many lines of a file could not be read.
export const Left = ({ n, file }: { n: number | undefined; file: string }) =>
  n ? <p class="trouble">{plural(n, 'line')} of {file} {n === 1 ? 'is' : 'are'} damaged and left out.</p> : null

// Wait shows what was loaded, or why it is not there.
export function Wait<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  return (
    <>
      {of.error && <Trouble error={of.error} again={of.again} />}
      {of.data !== null ? children(of.data) : !of.error && <p class="dim" role="status">loading …</p>}
    </>
  )
}

export const Flag = ({ name }: { name: string }) => <span class="flag"><span aria-hidden="true">⚑</span> <Short text={name} /></span>

export function Copy({ text }: { text: string }) {
  const [done, set] = useState(false)
  useEffect(() => {
    if (!done) return
    const timer = setTimeout(() => set(false), 1500)
    return () => clearTimeout(timer)
  }, [done])
  if (!navigator.clipboard) return null
  return <button type="button" class="small" onClick={() => void navigator.clipboard.writeText(text).then(() => set(true))} aria-live="polite">{done ? 'copied' : 'copy'}</button>
}

// Lazy makes what is in it when somebody gets there.
export function Lazy({ children }: { children: ComponentChildren }) {
  const [seen, set] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (seen) return
    const watch = new IntersectionObserver((all) => all.some((one) => one.isIntersecting) && set(true), { rootMargin: '200px' })
    watch.observe(box.current!)
    return () => watch.disconnect()
  }, [seen])
  return <div ref={box}>{seen && children}</div>
}

// Scroll is a wide thing in a narrow page: it scrolls by itself, also with the keyboard.
export const Scroll = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <div class="scroll" tabIndex={0} role="region" aria-label={label}>{children}</div>
)

// TeamPicture shows who sees whose words.
export function TeamPicture({ agents, edges }: { agents: string[]; edges: { from: number; to: number }[] }) {
  const gap = 18
  const width = Math.max(agents.length * gap, gap)
  const at = (i: number) => gap / 2 + i * gap
  const words = edges.length === 0 ? (agents.length === 1 ? 'one agent' : `${agents.length} agents who do not see each other`) : edges.slice(0, 12).map((e) => `${agents[e.to]} sees ${agents[e.from]}`).join(', ')
  return (
    <svg class="team" width={width} height="26" viewBox={`0 0 ${width} 26`} role="img" aria-label={words}>
      <title>{words}</title>
      {edges.filter((e) => e.from !== e.to).map((e) => {
        const up = e.to > e.from
        const bend = Math.min(5 + 3 * Math.abs(e.to - e.from), 11)
        return <path key={`${e.from}-${e.to}`} d={`M${at(e.from)} 13 Q${(at(e.from) + at(e.to)) / 2} ${13 + (up ? -bend : bend) * 1.6} ${at(e.to)} 13`} fill="none" stroke="var(--dim)" stroke-width="1.2" />
      })}
      {agents.map((_, i) => <circle key={i} cx={at(i)} cy="13" r="3.6" fill="var(--accent)" />)}
    </svg>
  )
}

// useDebounced gives a value once it has been the same for a while.
export function useDebounced<T>(value: T, ms: number): T {
  const [late, set] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => set(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return late
}

// useWide says whether there is room for something beside the main column.
export function useWide(width: number): boolean {
  const media = matchMedia(`(min-width: ${width}px)`)
  const [wide, set] = useState(media.matches)
  useEffect(() => {
    const changed = () => set(media.matches)
    media.addEventListener('change', changed)
    return () => media.removeEventListener('change', changed)
  }, [width])
  return wide
}

export const scrollInto = (element: Element | null | undefined) => element?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
