// Whether the pictures of docs are of the page as it is.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { said, sums } from './pictured.mjs'
import { fixtures, serve } from './world.mjs'

const dir = process.env.PICTURES ?? join(fixtures, '..', '..', '..', 'docs', 'pictures')

export const pictures = {
  async 'pictures: those of docs are of the page as it is'({ browser }) {
    const known = await serve(fixtures, { flags: ['--read-only'] })
    const now = (sums(dir) + (await said(browser, known.url))).split('\n')
    const then = readFileSync(join(dir, 'viewer.txt'), 'utf8').split('\n')
    const at = now.findIndex((line, i) => line !== then[i])
    const where = now.slice(0, at + 1).findLast((line) => line.startsWith('# '))
    assert.ok(at < 0 && now.length === then.length, `the pictures are not of this page: node test/pictures.mjs makes them again. In ${where}, line ${at + 1}, stands “${now[at]}”, and when they were made “${then[at]}”`)
    await known.stop()
  },
}
