// Keys of the page. Views register what their keys do; the newest registration of a key wins. A key typed into a field belongs to the field.
import { useEffect, useRef } from 'preact/hooks'

export interface Key {
  key: string
  what: string
  do: () => void
}

const layers: { current: Key[] }[] = []

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && (target as HTMLInputElement).type !== 'checkbox')

function pressed(event: KeyboardEvent) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  if (typing(event.target)) {
    if (event.key === 'Escape') (event.target as HTMLElement).blur()
    return
  }
  for (const layer of layers.toReversed()) {
    const found = layer.current.find((one) => one.key.split(' ').includes(event.key))
    if (!found) continue
    // Enter on a link or a button is theirs.
    if (event.key === 'Enter' && event.target instanceof HTMLElement && event.target.closest('a, button, summary')) return
    event.preventDefault()
    found.do()
    return
  }
}

export function useKeys(keys: Key[]) {
  const layer = useRef(keys)
  layer.current = keys
  useEffect(() => {
    if (layers.length === 0) addEventListener('keydown', pressed)
    layers.push(layer)
    return () => {
      layers.splice(layers.indexOf(layer), 1)
      if (layers.length === 0) removeEventListener('keydown', pressed)
    }
  }, [])
}

// knownKeys are those that work now, those of the innermost view first.
export function knownKeys(): Key[] {
  const seen = new Set<string>()
  return layers.toReversed().flatMap((layer) => layer.current).filter((one) => !seen.has(one.key) && seen.add(one.key))
}
