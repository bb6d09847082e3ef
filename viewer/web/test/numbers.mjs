// The page shows numbers as a terminal does: both have the vectors of internal/table/testdata/numbers.json. It needs no browser: node test/numbers.mjs
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'

const file = (path) => fileURLToPath(new URL(path, import.meta.url))

// CI tests a copy of this folder, and says where the repository is by its runs.
const repository = process.env.FIXTURES ? join(process.env.FIXTURES, '../../..') : file('../../..')

export const numbers = {
  'numbers that are shown as 0 have no sign, and a color needs an interval that leaves 0': async () => {
    const vite = await createServer({ configFile: false, root: file('..'), logLevel: 'error', server: { middlewareMode: true, hmr: false, ws: false, watch: null }, appType: 'custom', optimizeDeps: { noDiscovery: true } })
    try {
      const { score, signed, interval, signedInterval, leavesZero, planned, student, overSeeds, verdict } = await vite.ssrLoadModule('/src/format.ts')
      const vectors = JSON.parse(readFileSync(join(repository, 'internal/table/testdata/numbers.json'), 'utf8'))
      assert.ok(vectors.numbers.length > 0 && vectors.intervals.length > 0)
      const ascii = (text) => text.replaceAll('−', '-') // the page has a real minus sign
      for (const v of vectors.numbers) assert.deepEqual([ascii(score(v.x)), ascii(signed(v.x))], [v.number, v.signed], String(v.x))
      for (const v of vectors.intervals) assert.deepEqual([ascii(interval(v.ci95)), ascii(signedInterval(v.ci95)), leavesZero(v.ci95)], [v.interval, v.signed, v.leaves_0], String(v.ci95))
      const { mean, ci } = student([0.5, 0.6, 0.7])
      assert.deepEqual([score(mean), overSeeds(ci, 3)], ['0.600', '0.352 to 0.848']) // 0.6 ± 4.303 · 0.1 / √3
      assert.equal(student([0.9, 1]).ci[1], 1, 'no interval goes beyond a share')
      assert.deepEqual([overSeeds(student([0.4, 0.4, 0.4]).ci, 3), student([0.4]).ci], ['3 equal', null])
      const d = { a: 'left', b: 'right', difference: 0.25, ci95: [0.125, 0.375], p: 0.001 }
      assert.equal(verdict(d, 'accuracy', 200), 'left is better than right by 0.250 in accuracy (95 % interval 0.125 to 0.375) over 200 problems.')
      assert.equal(verdict({ ...d, difference: -0.25, ci95: [-0.375, -0.125] }, 'accuracy', 1), 'right is better than left by 0.250 in accuracy (95 % interval 0.125 to 0.375) over 1 problem.')
      assert.equal(verdict(d, 'steps', 200, true), 'right is better than left by 0.250 in steps (95 % interval 0.125 to 0.375) over 200 problems; less is better.')
      assert.equal(ascii(verdict({ ...d, ci95: [-0.125, 0.625], p: 0.3 }, 'accuracy', 8)), 'No difference shown between left and right: +0.250 in accuracy (95 % interval -0.125 to +0.625) over 8 problems.')
      assert.equal(ascii(verdict({ ...d, p_holm: 0.06 }, 'accuracy', 8)), 'No difference shown between left and right: +0.250 in accuracy (95 % interval +0.125 to +0.375, with p = 0.0600 among all differences) over 8 problems.')
      assert.equal(planned({ updates_planned: 3 }) + planned({ updates_planned: null, tokens_planned: 300000 }) + planned({ updates_planned: null }), ' of 3, until 300k tokens')
    } finally {
      await vite.close()
    }
  },
}

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const test of Object.values(numbers)) await test()
