// A table of any length: only the rows in view are in the document.
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useKeys } from './keys'

export interface Column<T> {
  head: ComponentChildren
  about?: string
  class?: string
  // In pixels. Where columns have widths, they stay as they are while rows come and go, and the browser measures no cells.
  width?: number
  cell: (row: T) => ComponentChildren
  // By what the table is sorted when somebody chooses the column.
  by?: string
}

export interface Sorting {
  by: string
  down: boolean
}

interface Props<T> {
  rows: T[]
  columns: Column<T>[]
  label: string
  rowHeight?: number
  // What a row opens; also the address of its first cell.
  href: (row: T) => string
  keyOf: (row: T) => string
  onEnd?: () => void
  chosen?: (row: T) => boolean
  onChoose?: (row: T) => void
  sorting?: Sorting
  onSort?: (by: string) => void
  // What stands across all columns, in the place of the cells of a row that heads others.
  heads?: (row: T) => ComponentChildren | null
}

const spare = 12

export function VirtualTable<T>({ rows, columns, label, rowHeight = 30, href, keyOf, onEnd, chosen, onChoose, sorting, onSort, heads }: Props<T>) {
  const box = useRef<HTMLDivElement>(null)
  const [first, setFirst] = useState(0)
  const [fit, setFit] = useState(30)
  const [at, setAt] = useState(0)
  const shown = rows.slice(first, first + fit + 2 * spare)

  const measure = () => {
    if (!box.current) return
    const { scrollTop, clientHeight } = box.current
    // Steps of a few rows, so that not every pixel makes the table anew.
    const now = Math.max(0, Math.floor(scrollTop / rowHeight / 4) * 4 - spare)
    setFirst((old) => (old === now ? old : now))
    const count = Math.ceil(clientHeight / rowHeight)
    setFit((old) => (old === count ? old : count))
    if (onEnd && (rows.length - 200) * rowHeight < scrollTop + clientHeight) onEnd()
  }
  useLayoutEffect(measure)
  useEffect(() => {
    const watch = new ResizeObserver(measure)
    watch.observe(box.current!)
    return () => watch.disconnect()
  }, [])

  const move = (to: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, to))
    setAt(next)
    const host = box.current!
    const head = rowHeight
    const top = next * rowHeight
    if (top < host.scrollTop) host.scrollTop = top
    else if (top + 2 * rowHeight > host.scrollTop + host.clientHeight - head) host.scrollTop = top + 3 * rowHeight - host.clientHeight
  }
  const choose = () => rows[at] && onChoose?.(rows[at])
  useKeys([
    { key: 'j ArrowDown', what: 'next row', do: () => move(at + 1) },
    { key: 'k ArrowUp', what: 'row before', do: () => move(at - 1) },
    { key: 'PageDown', what: 'a page on', do: () => move(at + fit - 3) },
    { key: 'PageUp', what: 'a page back', do: () => move(at - fit + 3) },
    { key: 'g Home', what: 'first row', do: () => move(0) },
    { key: 'G End', what: 'last row', do: () => move(rows.length - 1) },
    { key: 'Enter', what: 'open the row', do: () => rows[at] && (location.hash = href(rows[at])) },
    ...(onChoose ? [{ key: 'x', what: 'choose the row', do: choose }] : []),
  ])

  return (
    <div class="virtual" ref={box} onScroll={measure} tabIndex={0} role="region" aria-label={label}>
      <table aria-rowcount={rows.length + 1} class={columns.some((c) => c.width) ? 'fixed' : ''}>
        <colgroup>{columns.map((c, i) => <col key={i} class={c.class} style={c.width ? { width: c.width + 'px' } : undefined} />)}</colgroup>
        <thead>
          <tr>
            {columns.map((c, i) => {
              const sorted = c.by !== undefined && sorting?.by === c.by ? (sorting.down ? 'descending' : 'ascending') : undefined
              return (
                <th key={i} scope="col" class={c.class} title={c.about} aria-sort={sorted}>
                  {c.by && onSort ? <button type="button" class="sort" onClick={() => onSort(c.by!)}>{c.head}<span aria-hidden="true">{sorted ? (sorting!.down ? ' ↓' : ' ↑') : ''}</span></button> : c.head}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <tr aria-hidden="true"><td colSpan={columns.length} class="gap" style={{ height: first * rowHeight + 'px' }} /></tr>}
          {shown.map((row, i) => (
            <tr
              key={keyOf(row)}
              aria-rowindex={first + i + 2}
              class={(first + i === at ? 'at ' : '') + (chosen?.(row) ? 'chosen' : '')}
              style={{ height: rowHeight + 'px' }}
              onClick={(e) => {
                setAt(first + i)
                if (!(e.target as Element).closest('a, input, button')) location.hash = href(row)
              }}
            >
              {heads?.(row) ? <th scope="rowgroup" colSpan={columns.length} class="group">{heads(row)}</th> : columns.map((c, k) => <td key={k} class={c.class}>{c.cell(row)}</td>)}
            </tr>
          ))}
          {first + shown.length < rows.length && (
            <tr aria-hidden="true"><td colSpan={columns.length} class="gap" style={{ height: (rows.length - first - shown.length) * rowHeight + 'px' }} /></tr>
          )}
        </tbody>
      </table>
    </div>
  )
}
