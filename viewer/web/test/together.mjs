// Numbers over several plays: pass^k of a team, and how agents of several runs play together.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { accessible, narrowEnough, open, reach } from './browser.mjs'
import { text } from './tests.mjs'
import { parley, runs, serve, train } from './world.mjs'

// The runs of these tests have a folder of their own, so that lists of others stay as they are.
const names = ['hanabi-s1', 'hanabi-s2', 'hanabi-s3']
const compare = '#/compare?' + names.map((name) => 'run=' + name).join('&')
let folder

// hanabi trains them once, and lets all play together. They are measured by pass^k too.
function hanabi() {
  if (folder) return folder
  const sets = ['--set', 'eval.temperature=1', '--set', 'eval.pass_hat=[1, 2, 4]']
  for (const [i, name] of names.entries()) train('tiny-hanabi-tiny', join('together', name), '--seed', String(i + 1), ...sets)
  folder = join(runs, 'together')
  return folder
}

// crossplay is what the command says about runs.
function crossplay(...dirs) {
  const done = spawnSync(parley, ['run', 'crossplay', ...dirs.map((name) => join(hanabi(), name)), '--json'], { encoding: 'utf8' })
  assert.equal(done.status, 0, done.stderr)
  return JSON.parse(done.stdout)
}

// cells are the texts of a table by row.
const cells = (table) => table.locator('tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.innerText.trim())))

// same is whether a text of the page is a number, up to the digits that it shows.
const same = (shown, x) => Math.abs(Number(shown.replaceAll('−', '-')) - x) <= 0.00051 * Math.max(1, Math.abs(x))

export const together = {
  async 'pass^k: the run page has the table of report.json'({ browser }) {
    const server = await serve(hanabi())
    const { pass_hat } = JSON.parse(readFileSync(join(folder, names[0], 'report.json'), 'utf8'))
    assert.deepEqual([...new Set(pass_hat.map((p) => p.k))], [1, 2, 4])
    for (const [width, scheme] of [[1280, 'light'], [390, 'dark']]) {
      const { page, goto, close } = await open(browser, server.url, { width, scheme })
      await goto('#/runs/' + names[0])
      await page.waitForSelector('h3:text-is("All of k plays reach the greatest score")')
      const [head, ...rows] = await cells(page.getByRole('region', { name: 'pass hat k' }))
      assert.deepEqual(head, ['system', 'k', 'pass^k', '95 % interval'])
      assert.equal(rows.length, pass_hat.length)
      for (const [i, { system, k, value, ci95 }] of pass_hat.entries()) {
        const [shownSystem, shownK, shownValue, shownInterval] = rows[i]
        assert.deepEqual([shownSystem, shownK], [system, String(k)])
        assert.ok(same(shownValue, value), `${system}, ${k}: ${shownValue} is not ${value}`)
        assert.ok(shownInterval.split(' to ').every((x, side) => same(x, ci95[side])), `${shownInterval} is not ${ci95}`)
      }
      await narrowEnough(page, 'pass^k at ' + width)
      await accessible(page, `pass^k at ${width}, ${scheme}`)
      await close()
    }
    await server.stop()
  },

  async 'cross-play: who plays with whom among the runs that are compared, once they have played'({ browser }) {
    const server = await serve(hanabi())
    const before = await open(browser, server.url)
    await before.goto(compare)
    await before.page.waitForSelector('h2:text-is("What differs in the recipes")')
    assert.equal(await before.page.locator('.strangers').count(), 0)
    const two = crossplay(names[0], names[1])
    await before.goto('#/')
    await before.goto(compare)
    await reach(before.page, '.strangers')
    assert.match(await text(before.page, '.strangers'), /Intervals over runs take 3 runs/)
    assert.match(await text(before.page, '.strangers'), /1 of the 3 runs has not played with all of these/)
    assert.deepEqual((await cells(before.page.locator('.strangers table').first()))[0], ['first agent', ...two.runs.map((r) => r.run)])
    await before.close()

    const { scores, exact } = crossplay(...names)
    assert.ok(exact)
    for (const [width, scheme] of [[1280, 'light'], [1280, 'dark'], [390, 'light'], [390, 'dark']]) {
      const { page, goto, close } = await open(browser, server.url, { width, scheme })
      await goto(compare)
      await reach(page, '.strangers table', scores.length)
      assert.match(await text(page, '.strangers'), /Computed exactly/)
      const sentences = await page.locator('.strangers .sentence').allInnerTexts()
      for (const [n, s] of scores.entries()) {
        const [head, ...rows] = await cells(page.locator('.strangers table').nth(n))
        assert.deepEqual(head, ['first agent', ...names])
        for (const [i, row] of rows.entries()) {
          assert.ok(row[0].startsWith(names[i] + ' update 2'), row[0])
          for (const [j, shown] of row.slice(1).entries()) assert.ok(same(shown, s.values[i][j]), `${s.score}, ${i} with ${j}: ${shown} is not ${s.values[i][j]}`)
        }
        const said = sentences[n].match(/^self-play (\S+) (\S+) to (\S+), cross-play (\S+) (\S+) to (\S+), difference (\S+) (\S+) to (\S+)$/)
        assert.ok(said, sentences[n])
        const numbers = [s.self_play, s.cross_play, s.difference].flatMap((c) => [c.mean, ...c.ci95])
        for (const [k, x] of numbers.entries()) assert.ok(same(said[k + 1], x), `${s.score}: ${said[k + 1]} is not ${x}`)
      }
      await narrowEnough(page, 'cross-play at ' + width)
      await accessible(page, `cross-play at ${width}, ${scheme}`)
      await close()
    }
    await server.stop()
  },
}
