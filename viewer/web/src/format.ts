// Numbers and times as people read them. U+2212 is the minus sign.

export function num(x: number | null | undefined, digits = 3): string {
  if (x === null || x === undefined || Number.isNaN(x)) return '–'
  if (!Number.isFinite(x)) return x > 0 ? '∞' : '−∞'
  const size = Math.abs(x)
  let text: string
  if (size < 1e-12) return '0' // what rounding leaves of 0
  else if (Number.isInteger(x) && size < 1e6) text = String(size)
  else if (size >= 1e12) text = size.toExponential(1)
  else if (size >= 1e6) text = short(size)
  else if (size >= 1000) text = size.toFixed(0)
  else if (size < 0.0005) text = size.toExponential(1)
  else text = size.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : digits)
  return x < 0 ? '−' + text : text
}

// Scores, differences and their intervals have three digits behind the point, as on a terminal: internal/table/number.go is the twin of what follows, and
// internal/table/testdata/numbers.json holds for both. What is shown as 0 has no sign, and no color.
const digits = 3

export function score(x: number | null | undefined): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return num(x)
  const text = Math.abs(x).toFixed(digits)
  return x < 0 && !shownZero(x) ? '−' + text : text
}

export function signed(x: number | null | undefined): string {
  const text = score(x)
  return x !== null && x !== undefined && x > 0 && !shownZero(x) ? '+' + text : text
}

export const shownZero = (x: number) => Number(Math.abs(x).toFixed(digits)) === 0

// leavesZero says that an interval of a difference lies on one side of 0 as it is shown: only then a color may say which way the difference goes.
export const leavesZero = (ci: [number, number]) => ci[0] > 0 === ci[1] > 0 && !shownZero(ci[0]) && !shownZero(ci[1])

export function short(x: number): string {
  const units: [number, string][] = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']]
  for (const [size, unit] of units) if (Math.abs(x) >= size) return (x / size).toFixed(1).replace(/\.0$/, '') + unit
  return String(Math.round(x * 1000) / 1000)
}

export function interval(ci: [number, number] | null | undefined): string {
  return ci ? `${score(ci[0])} to ${score(ci[1])}` : ''
}

export function signedInterval(ci: [number, number] | null | undefined): string {
  return ci ? `${signed(ci[0])} to ${signed(ci[1])}` : ''
}

// overSeeds is an interval of a mean of n numbers: of numbers that are all equal it says so, since it then has no width.
export const overSeeds = (ci: [number, number] | null | undefined, n: number) => (ci && n > 1 && ci[0] === ci[1] ? `${n} equal` : interval(ci))

// Of Student's t distribution, what 95 % lie within, by degrees of freedom from 1.
const t95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042]

// student is the mean of scores with its 95 % interval, which ends where scores do; of one score there is none.
export function student(scores: number[]): { mean: number; ci: [number, number] | null } {
  const n = scores.length
  const mean = scores.reduce((sum, x) => sum + x, 0) / n
  if (n < 2) return { mean, ci: null }
  if (scores.every((x) => x === scores[0])) return { mean: scores[0]!, ci: [scores[0]!, scores[0]!] }
  const half = (t95[n - 2] ?? 1.96 + 2.46 / (n - 1)) * Math.sqrt(scores.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (n - 1) / n)
  const bounds = scores.every((x) => x >= 0 && x <= 1) ? [0, 1] as const : [-Infinity, Infinity] as const
  return { mean, ci: [Math.max(bounds[0], mean - half), Math.min(bounds[1], mean + half)] }
}

// verdict says in a sentence what a paired difference shows: that one of two is better, by how much, or that no difference is shown. Of several differences
// the p-value is that of Holm, and one that its interval alone shows is not shown.
export function verdict(d: { a: string; b: string; difference: number; ci95: [number, number]; p: number; p_holm?: number }, metric: string, problems: number, lower = false): string {
  const over = `over ${plural(problems, 'problem')}`
  const p = d.p_holm ?? d.p
  if (leavesZero(d.ci95) && p < 0.05) {
    const turned = d.difference < 0
    const [more, less] = turned ? [d.b, d.a] : [d.a, d.b]
    const ci: [number, number] = turned ? [-d.ci95[1], -d.ci95[0]] : d.ci95
    const by = `by ${score(Math.abs(d.difference))} in ${metric} (95 % interval ${interval(ci)}) ${over}`
    return lower ? `${less} is better than ${more} ${by}; less is better.` : `${more} is better than ${less} ${by}.`
  }
  const yet = leavesZero(d.ci95) ? `, with p = ${pValue(p)}` + (p !== d.p ? ' among all differences' : '') : ''
  return `No difference shown between ${d.a} and ${d.b}: ${signed(d.difference)} in ${metric} (95 % interval ${signedInterval(d.ci95)}${yet}) ${over}.`
}

// pValue is a p-value: none is 0.
export const pValue = (p: number | null | undefined) => (p === null || p === undefined ? '–' : p < 0.00005 ? '<0.0001' : p.toFixed(4))

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

// planned says how far a run goes behind how far it is: so many updates, or, where it ends with its tokens, so many of these.
export const planned = (run: { updates_planned: number | null; tokens_planned?: number }) =>
  run.updates_planned ? ` of ${run.updates_planned}` : run.tokens_planned ? `, until ${short(run.tokens_planned)} tokens` : ''

export const plural = (n: number, one: string, many = one + 's') => `${n.toLocaleString('en')} ${n === 1 ? one : many}`
