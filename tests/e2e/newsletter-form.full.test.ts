// Needs a browser: the form works before, during and after loading its script.
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { NEWSLETTER_MESSAGES } from '#contract/newsletter.ts'
import { DESKTOP, launchBrowser, PHONE, untilBooted } from '../support/browser.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

const { success, invalid, rejected, unreachable } = NEWSLETTER_MESSAGES

let site: TestApp
let browser: Browser
let visitors = 0
beforeAll(async () => {
  site = await startTestApp({ listen: true, env: { TRUST_PROXY: 'loopback' } })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await site.close()
})

interface Visit {
  page: Page
  /** Unique. */
  email: string
  address: string
  field: Locator
  button: Locator
  answer: Locator
  /** Bodies that the browser posted to us. */
  posts: (string | null)[]
}

async function visit(options: BrowserContextOptions = DESKTOP): Promise<Visit> {
  const visitor = ++visitors
  const address = `198.51.100.${visitor}`
  const context = await browser.newContext({
    ...options,
    reducedMotion: 'reduce',
    extraHTTPHeaders: { 'x-forwarded-for': address },
  })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const posts: (string | null)[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && new URL(request.url()).pathname === '/api/newsletter')
      posts.push(request.postData())
  })
  await page.goto(site.url)
  if (options.javaScriptEnabled !== false) await untilBooted(page)
  const form = page.locator('form[action^="/api/newsletter"]')
  return {
    page,
    email: `visitante${visitor}@exemplo.com.br`,
    address,
    posts,
    field: form.locator('input[type=email]'),
    button: form.getByRole('button'),
    answer: form.getByRole('status'),
  }
}

async function untilAnswer(answer: Locator, text: string): Promise<void> {
  await answer.filter({ hasText: text }).waitFor()
  expect(await answer.textContent()).toBe(text)
}

/** Whether the text is green or red. */
function hue(answer: Locator): Promise<string> {
  return answer.evaluate((element) => {
    const context = document.createElement('canvas').getContext('2d')
    if (context === null) return 'unknown'
    context.fillStyle = getComputedStyle(element).color
    context.fillRect(0, 0, 1, 1)
    const [red = 0, green = 0] = context.getImageData(0, 0, 1, 1).data
    return green > red ? 'green' : 'red'
  })
}

async function isStored(email: string): Promise<boolean> {
  const row = await site.database.db
    .selectFrom('newsletter_subscriptions')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirst()
  return row !== undefined
}

test.each([
  ['a desk', DESKTOP],
  ['a phone', PHONE],
])('at %s, stores a subscription, thanks in green, and empties the field', async (_where, options) => {
  const { email, field, button, answer, posts } = await visit(options)
  const label = await button.textContent()
  await field.fill(` ${email.toUpperCase()} `)
  await button.click()
  await untilAnswer(answer, success)
  expect(await hue(answer)).toBe('green')
  expect(await field.inputValue()).toBe('')
  expect([await button.textContent(), await button.isEnabled()]).toEqual([label, true])
  expect(posts).toHaveLength(1)
  expect(await isStored(email)).toBe(true)
})

test('does not send an invalid address, and keeps it', async () => {
  const { email, field, button, answer, posts } = await visit()
  for (const typed of ['', 'ana', 'ana@exemplo', 'ana maria@exemplo.com']) {
    await field.fill(typed)
    await button.click()
    await untilAnswer(answer, invalid)
    expect(await hue(answer)).toBe('red')
    expect(await field.inputValue()).toBe(typed)
  }
  expect(posts).toEqual([])
  await field.fill(email)
  await field.press('Enter')
  await untilAnswer(answer, success)
  expect(await isStored(email)).toBe(true)
})

test('a double click before the form answers subscribes once', async () => {
  const { page, email, field, button, answer, posts } = await visit()
  const held = Promise.withResolvers<void>()
  await page.context().route('**/assets/islands-*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  await field.fill(email)
  await button.evaluate((element: HTMLButtonElement) => {
    element.form?.requestSubmit()
    element.form?.requestSubmit()
  })
  held.resolve()
  await untilAnswer(answer, success)
  expect(posts).toHaveLength(1)
})

test('while sending, the button says so and is inactive', async () => {
  const { email, page, field, button, answer, posts } = await visit()
  const label = await button.textContent()
  const held = Promise.withResolvers<void>()
  await page.route('**/api/newsletter', async (route) => {
    await held.promise
    await route.continue()
  })
  await field.fill(email)
  await button.click()
  await button.filter({ hasText: 'Enviando...' }).waitFor()
  expect(await button.isDisabled()).toBe(true)
  await field.press('Enter')
  held.resolve()
  await untilAnswer(answer, success)
  expect([await button.textContent(), await button.isEnabled()]).toEqual([label, true])
  expect(posts).toHaveLength(1)
  expect(await isStored(email)).toBe(true)
})

test('shows an error response in red, and keeps the address', async () => {
  const { email, address, field, button, answer } = await visit()
  for (let post = 0; post < 10; post++)
    await fetch(`http://127.0.0.1:${site.config.port}/api/newsletter`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: '{}',
    })
  await field.fill(email)
  await button.click()
  await untilAnswer(answer, rejected)
  expect(await hue(answer)).toBe('red')
  expect(await field.inputValue()).toBe(email)
  expect(await button.isEnabled()).toBe(true)
  expect(await isStored(email)).toBe(false)
})

test('shows an unreachable server in red, and the next attempt works', async () => {
  const { email, page, field, button, answer } = await visit()
  await field.fill('ana')
  await button.click()
  await untilAnswer(answer, invalid)
  await page.context().setOffline(true)
  await field.fill(email)
  await button.click()
  await untilAnswer(answer, unreachable)
  expect(await hue(answer)).toBe('red')
  expect(await field.inputValue()).toBe(email)
  await page.context().setOffline(false)
  await button.click()
  await untilAnswer(answer, success)
  expect(await isStored(email)).toBe(true)
})

test.each([
  ['their address', (email: string) => email, 200, success, 'green'],
  ['something else', () => 'ana', 422, invalid, 'red'],
])(
  'without JavaScript, sending %s returns the page with the message',
  async (_what, type, status, message, color) => {
    const { email, page, field, button, answer } = await visit({ ...DESKTOP, javaScriptEnabled: false })
    await field.fill(type(email))
    const [response] = await Promise.all([
      page.waitForResponse((candidate) => candidate.request().method() === 'POST'),
      button.click(),
    ])
    expect(response.status()).toBe(status)
    await untilAnswer(answer, message)
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
    const isInView = () =>
      answer.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect()
        return top >= 0 && bottom <= innerHeight
      })
    await expect.poll(isInView, { timeout: 30_000 }).toBe(true)
    expect(await hue(answer)).toBe(color)
    expect(await isStored(email)).toBe(status === 200)
  },
)

test('a server that stays silent for ten seconds counts as unreachable', async () => {
  const { page, email, field, button, answer } = await visit()
  await page.evaluate(() => {
    AbortSignal.timeout = (ms) => {
      const controller = new AbortController()
      Object.assign(window, { patience: ms, giveUp: () => controller.abort() })
      return controller.signal
    }
  })
  await page.route('**/api/newsletter', () => {})
  await field.fill(email)
  const asked = page.waitForRequest('**/api/newsletter')
  await button.click()
  await asked
  await button.filter({ hasText: 'Enviando...' }).waitFor()
  const patience = await page.evaluate(() => {
    const { patience: ms, giveUp } = window as unknown as { patience: number; giveUp(): void }
    giveUp()
    return ms
  })
  expect(patience).toBe(10_000)
  await untilAnswer(answer, unreachable)
  expect(await button.isDisabled()).toBe(false)
  expect(await field.inputValue()).toBe(email)
})

test('a refused address marks its field as invalid', async () => {
  const { field, button, answer } = await visit()
  await field.fill('nada')
  await button.click()
  await expect.poll(() => answer.textContent()).toBe(invalid)
  expect(await field.getAttribute('aria-invalid')).toBe('true')
})
