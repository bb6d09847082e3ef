// Tests of the page in Chromium: PARLEY=./parley node test/run.mjs
// ONLY=WORD runs the tests whose names have the word; PARLEY_CI_TURN=N, from 0, every sixth.
import { launch } from './browser.mjs'
import { contribution } from './contribution.mjs'
import { makeRuns, remove, runs, serve } from './world.mjs'
import { losses } from './losses.mjs'
import { numbers } from './numbers.mjs'
import { pictures } from './stale.mjs'
import { questions } from './questions.mjs'
import { tests } from './tests.mjs'
import { together } from './together.mjs'

makeRuns()
const server = await serve(runs)
const browser = await launch()
let passed = 0
let failed = 0
const turn = process.env.PARLEY_CI_TURN
const all = { ...numbers, ...tests, ...losses, ...contribution, ...questions, ...together, ...pictures }
for (const [i, [name, test]] of Object.entries(all).entries()) {
  if (process.env.ONLY && !name.includes(process.env.ONLY)) continue
  if (turn && i % 6 !== Number(turn)) continue
  try {
    await test({ browser, server })
    passed++
    console.log('ok    ' + name)
  } catch (e) {
    failed++
    console.log('FAIL  ' + name + '\n' + (e.stack ?? e))
  }
}
await browser.close()
await server.stop()
remove()
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)
