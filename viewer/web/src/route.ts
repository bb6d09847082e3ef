// Where the page is stands behind the # of its address, so that every view can be linked to: #/runs/ID/episodes?flag=any
import { useEffect, useState } from 'preact/hooks'

export interface Route {
  parts: string[]
  query: URLSearchParams
}

export function parse(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split(/\?(.*)/s)
  const parts = path.split('/').filter(Boolean).map((part) => {
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  })
  return { parts, query: new URLSearchParams(query) }
}

export function link(parts: (string | number)[], query: Record<string, string | number | undefined> = {}): string {
  const out = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined && value !== '') out.set(key, String(value))
  const text = out.toString()
  return '#/' + parts.map((part) => encodeURIComponent(part)).join('/') + (text && '?' + text)
}

// toCompare is the view of runs beside each other.
export const toCompare = (runs: string[]) => '#/compare' + (runs.length > 0 ? '?' : '') + runs.map((id) => 'run=' + encodeURIComponent(id)).join('&')

export const go = (to: string) => {
  location.hash = to
}

// setQuery changes the query of where the page is, without a step in its history.
export function setQuery(change: Record<string, string | number | undefined>) {
  const { parts, query } = parse(location.hash)
  const now: Record<string, string | number | undefined> = { ...Object.fromEntries(query), ...change }
  history.replaceState(null, '', link(parts, now))
  dispatchEvent(new HashChangeEvent('hashchange'))
}

export function useRoute(): Route {
  const [route, set] = useState(() => parse(location.hash))
  useEffect(() => {
    const changed = () => set(parse(location.hash))
    addEventListener('hashchange', changed)
    // The address may have changed between the first look at it and now.
    changed()
    return () => removeEventListener('hashchange', changed)
  }, [])
  return route
}
