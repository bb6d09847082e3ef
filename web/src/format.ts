// Numbers and times as people read them. U+2212 is the minus sign.

export function num(x: number | null | undefined, digits = 3): string {
  if (x === null || x === undefined || Number.isNaN(x)) return '–'
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞'
  const size = Math.abs(x)
  let text: string
  if (size === 0) text = '0'
  else if (Number.isInteger(x) && size < 1e6) text = String(size)
  else if (size >= 1e12) text = size.toExponential(1)
  else if (size >= 1e6) text = short(size)
  else if (size >= 1000) text = size.toFixed(0)
  else if (size < 0.0005) text = size.toExponential(1)
  else text = size.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : digits)
  return x < 0 ? '−' + text : text
}

export function signed(x: number | null | undefined): string {
  const text = num(x)
  return x !== null && x !== undefined && x > 0 ? '+' + text : text
}

export function short(x: number): string {
  const units: [number, string][] = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']]
  for (const [size, unit] of units) if (Math.abs(x) >= size) return (x / size).toFixed(1).replace(/\.0$/, '') + unit
  return String(Math.round(x * 1000) / 1000)
}

export function interval(ci: [number, number] | null | undefined): string {
  return ci ? `${num(ci[0])} to ${num(ci[1])}` : ''
}

export function seconds(s: number | null | undefined): string {
  if (s === null || s === undefined) return '–'
  if (s < 0.001) return (s * 1e6).toFixed(0) + ' µs'
  if (s < 1) return (s * 1000).toFixed(s < 0.01 ? 1 : 0) + ' ms'
  if (s < 90) return s.toFixed(s < 10 ? 2 : 1) + ' s'
  if (s < 5400) return (s / 60).toFixed(1) + ' min'
  return (s / 3600).toFixed(1) + ' h'
}

export function when(time: string): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return time
  return date.toISOString().slice(0, 16).replace('T', ' ')
}

export const percent = (x: number | null | undefined) => (x === null || x === undefined ? '–' : (100 * x).toFixed(x > 0 && x < 0.01 ? 1 : 0) + ' %')

export const plural = (n: number, one: string, many = one + 's') => `${n.toLocaleString('en')} ${n === 1 ? one : many}`
