// Chromium, and what the tests look at in it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium } from 'playwright-core'
import { token } from './world.mjs'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] })

// open gives a page that has the token and says nothing that it should not.
export async function open(browser, url, { width = 1280, height = 800, scheme = 'light', withToken = true } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme })
  const page = await context.newPage()
  const troubles = []
  page.on('pageerror', (e) => troubles.push(e.stack ?? e.message))
  page.on('console', (m) => m.type() === 'error' && !/Failed to load resource/.test(m.text()) && troubles.push(m.text()))
  page.on('request', (r) => !r.url().startsWith(url) && !/^(data|blob|file):/.test(r.url()) && troubles.push('asked ' + r.url()))
  if (withToken) await page.goto(`${url}/?token=${token}`)
  const close = async () => {
    await context.close()
    assert.deepEqual(troubles, [])
  }
  return { page, close, goto: (hash) => page.goto(url + '/' + hash) }
}

// reach scrolls down, as a reader does, until what is looked for is there: parts far down a page are made when somebody comes near.
export async function reach(page, selector, least = 1) {
  await page.waitForFunction(
    ([wanted, n]) => {
      if (document.querySelectorAll(wanted).length >= n) return true
      scrollBy(0, 200)
      return false
    },
    [selector, least],
    { polling: 100, timeout: 150_000 },
  )
}

// accessible runs axe, which is to find nothing serious.
export async function accessible(page, where) {
  await page.evaluate(axeSource + ';undefined')
  const { violations } = await page.evaluate(() => globalThis.axe.run())
  const serious = violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => `${where}: ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`)
  assert.deepEqual(serious, [])
}

// narrowEnough says that a page does not scroll sideways as a whole.
export async function narrowEnough(page, where) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  assert.ok(over <= 0, `${where} is ${over} pixels too wide`)
}
