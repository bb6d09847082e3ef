// One way to ask for data: the server, or what an exported file has inside.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

const inside = document.getElementById('parley-export')
const routes: Record<string, unknown> | null = inside ? JSON.parse(inside.textContent ?? '{}').routes : null

// Whether the page is an exported file, which asks nobody.
export const exported = routes !== null

// The run that an exported file is about.
export const onlyRun = (routes?.['/api/runs'] as { runs: { id: string }[] } | undefined)?.runs[0]?.id

export type Query = Record<string, string | number | string[] | undefined>

// An address with its query in the order in which it was written; empty values are left out.
export function address(path: string, query: Query = {}): string {
  const out = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined && one !== '') out.append(key, String(one))
  }
  const text = out.toString()
  return '/api' + path + (text && '?' + text)
}

export const ofRun = (id: string, rest = '') => '/runs/' + encodeURIComponent(id) + rest

function ofFile(path: string): unknown {
  const found = routes![path] ?? routes![path.split('?')[0]!]
  if (found === undefined) throw new Refused('not_found', 'This is not in this file. Open the run with “parley ui” to see it.')
  return found
}

async function failure(response: Response): Promise<Refused> {
  const body = await response.json().catch(() => null)
  return new Refused(body?.error?.code ?? 'internal', body?.error?.message ?? `the server answered ${response.status}`)
}

async function ask(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, { credentials: 'same-origin', ...init }).catch((e: unknown) => {
    if (init.signal?.aborted) throw e
    throw new Refused('offline', 'The server does not answer. Is “parley ui” still running?')
  })
  if (!response.ok) throw await failure(response)
  return response
}

export async function get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  const full = address(path, query)
  if (routes) return ofFile(full) as T
  return (await (await ask(full, { signal: signal ?? null })).json()) as T
}

export async function getText(path: string, query?: Query): Promise<string> {
  const full = address(path, query)
  if (routes) return String(ofFile(full))
  return (await ask(full, {})).text()
}

export async function send<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method, headers: { 'X-Parley': '1', 'Content-Type': 'application/json' }, body: body === undefined ? null : JSON.stringify(body) }
  return (await (await ask('/api' + path, init)).json()) as T
}

// The address of a picture of a run.
export function picture(id: string, name: string): string {
  const path = address(ofRun(id, '/pictures/' + encodeURIComponent(name)))
  return routes ? String(routes[path] ?? '') : path
}

export interface Loaded<T> {
  data: T | null
  error: Refused | null
  loading: boolean
  again: () => void
}

// useGet asks again whenever the address changes; what was there stays until the answer has come, unless another thing is asked about.
export function useGet<T>(path: string | null, query?: Query, keep = false): Loaded<T> {
  const key = path === null ? null : address(path, query)
  const [state, set] = useState<{ key: string | null; data: T | null; error: Refused | null; loading: boolean }>({ key, data: null, error: null, loading: true })
  const [turn, setTurn] = useState(0)
  const asked = useRef(query)
  asked.current = query
  useEffect(() => {
    if (path === null) return
    const stop = new AbortController()
    set((old) => ({ key, data: keep || old.key === key ? old.data : null, error: old.key === key ? old.error : null, loading: true }))
    get<T>(path, asked.current, stop.signal).then(
      (data) => stop.signal.aborted || set({ key, data, error: null, loading: false }),
      (error: unknown) => stop.signal.aborted || set((old) => ({ key, data: old.data, error: asRefused(error), loading: false })),
    )
    return () => stop.abort()
  }, [key, turn])
  const again = useCallback(() => setTurn((n) => n + 1), [])
  const current = keep || state.key === key
  return { data: current ? state.data : null, error: current ? state.error : null, loading: state.loading, again }
}

export function asRefused(e: unknown): Refused {
  return e instanceof Refused ? e : new Refused('internal', e instanceof Error ? e.message : String(e))
}

// A browser has few connections to one server. So all parts of the page share one stream of a path, and a tab that nobody sees has none.
interface Stream {
  listeners: Set<Listener>
  source: EventSource | null
}

interface Listener {
  event: (name: string, data: never) => void
  open: (now: boolean) => void
  // The stream began again: what was sent in between is not known.
  again: () => void
}

const streams = new Map<string, Stream>()
const names = ['run', 'metrics', 'diagnostics', 'gone', 'runs', 'queue']

function connect(path: string, stream: Stream) {
  if (stream.source || document.hidden) return
  const source = new EventSource('/api' + path)
  stream.source = source
  source.onopen = () => stream.listeners.forEach((one) => one.open(true))
  source.onerror = () => stream.listeners.forEach((one) => one.open(false))
  for (const name of names) {
    source.addEventListener(name, (event) => {
      const data = JSON.parse((event as MessageEvent<string>).data) as never
      stream.listeners.forEach((one) => one.event(name, data))
    })
  }
}

function disconnect(stream: Stream) {
  stream.source?.close()
  stream.source = null
}

document.addEventListener('visibilitychange', () => {
  for (const [path, stream] of streams) {
    if (document.hidden) disconnect(stream)
    else {
      connect(path, stream)
      stream.listeners.forEach((one) => one.again())
    }
  }
})

// useEvents listens to what the server sends; the browser connects again by itself.
export function useEvents(path: string | null, handlers: Record<string, (data: never) => void>, again?: () => void): boolean {
  const [open, setOpen] = useState(false)
  const latest = useRef({ handlers, again })
  latest.current = { handlers, again }
  useEffect(() => {
    if (path === null || exported) return
    const stream = streams.get(path) ?? { listeners: new Set(), source: null }
    streams.set(path, stream)
    const one: Listener = { event: (name, data) => latest.current.handlers[name]?.(data), open: setOpen, again: () => latest.current.again?.() }
    stream.listeners.add(one)
    connect(path, stream)
    return () => {
      stream.listeners.delete(one)
      if (stream.listeners.size > 0) return
      disconnect(stream)
      streams.delete(path)
    }
  }, [path])
  return open
}
