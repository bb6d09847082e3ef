// The pictures of docs: main views in two sizes and both themes, of runs that are trained for them, or that lie in RUNS:
//
//	PARLEY=./parley node test/pictures.mjs ../../docs/pictures [RUNS]
//
// palette.py makes them small, which needs Pillow. Beside them it writes viewer.txt, what stands on the same views of runs that are kept in the repository
// and which pictures were made with it: a test compares both with the page and the pictures.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launch } from './browser.mjs'
import { eachView, said, sums, trained } from './pictured.mjs'
import { fixtures, parley, remove, serve } from './world.mjs'

const [out, given] = process.argv.slice(2)
const runs = given ?? mkdtempSync(join(tmpdir(), 'parley-pictures-'))
const command = (program, ...args) => {
  const done = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, PARLEY_RUNS: runs } })
  if (done.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${done.stderr.slice(-600)}`)
}
if (!given) {
  for (const [recipe, seed] of [['magrpo-tiny', 1], ['magrpo-tiny', 2], ['magrpo-tiny-cross', 1], ['magrpo-tiny-cross', 2], ['leader-tiny', 1], ['review-tiny', 1], ['debate-sums', 1]]) {
    command(parley, 'train', recipe, '--set', `seed=${seed}`, '--set', 'eval.every=5', '--set', 'eval.baselines=[]', '--out', join(runs, trained(recipe, seed)))
  }
  command(parley, 'run', 'contribution', 'review-tiny-s1')
}
const browser = await launch()
const server = await serve(runs, { flags: ['--read-only'] })
await eachView(browser, server.url, trained, (page, name) => page.screenshot({ path: join(out, name + '.png') }))
await server.stop()
command('python3', fileURLToPath(new URL('palette.py', import.meta.url)), out)
const known = await serve(fixtures, { flags: ['--read-only'] })
writeFileSync(join(out, 'viewer.txt'), sums(out) + (await said(browser, known.url)))
await known.stop()
await browser.close()
remove()
