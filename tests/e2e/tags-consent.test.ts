// Needs a browser: which requests leave and which cookies stay, before and after a choice.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { CONSENT_TEXT_VERSION, textVersionFor } from '#contract/consent-choice.ts'
import { verifyGraph } from '#server/consent/proof/verify.ts'
import { raiseTagsVersion } from '#server/tags/serve/tag-version.ts'
import { DESKTOP, launchBrowser, PHONE, UNSEEN, watchConsole } from '../support/browser.ts'
import { findViolations } from '../support/find-violations.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { startVendors, type VendorStandIn } from '../support/vendor-stand-in.ts'

/** The text that names Meta alone. */
const META_TEXT = textVersionFor(['meta'])

const META = '123456789012345'
const GA = 'G-ABC123'
const PAGE_VIEWS = [
  'connect.facebook.net/en_US/fbevents.js',
  `connect.facebook.net/signals/config/${META}`,
  'www.facebook.com/tr',
  'www.google-analytics.com/g/collect',
  'www.googletagmanager.com/gtag/js',
]

let vendors: VendorStandIn
let browser: Browser
let site: TestApp
let context: BrowserContext
let page: Page
let console: string[]
let requests: string[]

beforeAll(async () => {
  vendors = await startVendors()
  browser = await launchBrowser({ resolve: vendors.resolve })
  site = await startTestApp({ listen: true })
  await insertPixel(site.database.db, { type: 'meta', pixel_id: META })
  await insertPixel(site.database.db, { type: 'google_analytics', pixel_id: GA })
  await vi.waitFor(
    async () => expect(await (await fetch(site.url)).text()).toContain('data-tag-kinds="dm"'),
    30_000,
  )
})
afterAll(async () => {
  await browser.close()
  await site.close()
  await vendors.close()
})
beforeEach(async () => {
  await open()
})
afterEach(() => context.close())

async function open(device: BrowserContextOptions = UNSEEN): Promise<void> {
  vendors.clear()
  context = await browser.newContext({
    ...device,
    ignoreHTTPSErrors: true,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(30_000)
  console = watchConsole(context)
  requests = []
  context.on('request', (request) => requests.push(request.url()))
  page = await context.newPage()
  await page.goto(site.url)
}
const banner = () => page.getByRole('region', { name: 'Cookies' })
const foreign = () => requests.filter((url) => new URL(url).origin !== site.url && !url.startsWith('data:'))
/** Loaded, and idle long enough for a tag to have started. */
const quiet = async () => {
  await page.waitForLoadState('networkidle')
  await page.evaluate(
    () => new Promise((done) => requestIdleCallback(() => setTimeout(done, 100), { timeout: 2000 })),
  )
}
const cookies = async () => (await context.cookies()).map((cookie) => cookie.name).sort()
const hitsOf = (path: string) => vendors.hits.filter((hit) => hit.host + hit.path === path)

test('before the choice nothing is requested from others, and Google is denied by default', async () => {
  await banner().waitFor()
  await quiet()
  expect(foreign()).toEqual([])
  expect(vendors.hits).toEqual([])
  const layer = await page.evaluate(() => window.dataLayer?.map((entry) => [...(entry as unknown[])]))
  expect(layer).toMatchObject([['consent', 'default', { ad_storage: 'denied', analytics_storage: 'denied' }]])
  expect(await page.content()).not.toMatch(/preconnect|dns-prefetch/)
  expect(await cookies()).toEqual([])
})

test.each([
  ['a phone', PHONE],
  ['a desk', DESKTOP],
])('on %s banner and preferences are equal in weight, reachable, and accessible', async (_name, device) => {
  await context.close()
  await open(device)
  await banner().waitFor()
  const stops: (string | undefined)[] = []
  for (let step = 0; step < 3; step++) {
    await page.keyboard.press('Tab')
    stops.push(await page.evaluate(() => document.activeElement?.textContent ?? undefined))
  }
  expect(stops).toEqual(['Pular para o conteúdo', 'Política de Cookies', 'Aceitar todos'])
  const choices = await banner().locator('[data-consent]').all()
  const boxes = await Promise.all(choices.map((choice) => choice.boundingBox()))
  const sizes = boxes.map((box) => [Math.round(box?.width ?? 0), Math.round(box?.height ?? 0)])
  expect(new Set(sizes.map(String)).size).toBe(1)
  expect(sizes[0]?.[1]).toBeGreaterThanOrEqual(44)
  const styles = await Promise.all(
    choices.map((choice) =>
      choice.evaluate((button) => {
        const { color, backgroundColor, fontWeight, fontSize, borderColor } = getComputedStyle(button)
        return JSON.stringify({ color, backgroundColor, fontWeight, fontSize, borderColor })
      }),
    ),
  )
  expect(new Set(styles).size).toBe(1)
  // The page's first action stays visible and clickable.
  await page.getByRole('link', { name: 'Abrir Conta' }).first().click({ trial: true })
  expect(await findViolations(page, '.consent')).toEqual([])

  await page.getByRole('button', { name: 'Preferências', exact: true }).click()
  await page.getByRole('dialog').waitFor()
  expect(await findViolations(page, 'dialog')).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await banner().isVisible()).toBe(true)
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Preferências')
  expect(console).toEqual([])
})

test('"Rejeitar" is remembered: nothing runs, now or on the next visit, and the banner stays away', async () => {
  await page.getByRole('button', { name: 'Rejeitar não essenciais' }).click()
  expect(await banner().isVisible()).toBe(false)
  await quiet()
  await page.reload()
  await quiet()
  expect(await banner().isVisible()).toBe(false)
  expect(foreign()).toEqual([])
  expect(await cookies()).toEqual(['portico_consent'])
})

test('a choice that the server cannot store is sent again from the next page, and stored once', async () => {
  await context.route('**/api/consent', (route) => route.fulfill({ status: 503 }))
  const refused = page.waitForResponse('**/api/consent')
  await page.getByRole('button', { name: 'Rejeitar não essenciais' }).click()
  await refused
  const { record_id } = (await refused.then((response) => response.request().postDataJSON())) as {
    record_id: string
  }
  await context.unroute('**/api/consent')
  const stored = page.waitForResponse('**/api/consent')
  await page.reload()
  expect((await stored).status()).toBe(204)
  const records = await site.database.db
    .selectFrom('consent_records')
    .select('id')
    .where('id', '=', record_id)
    .execute()
  expect(records).toHaveLength(1)
})

test('"Aceitar" runs each tag at once with its ID, once per page view, and withdrawing ends it and its cookies', async () => {
  // Of another site on the same domain, before any tag ran; one has a vendor's name.
  const theirs = [
    { name: 'app_theme', value: 'dark', url: site.url },
    { name: '_gcl_au', value: '1.1.1', url: site.url },
  ]
  await context.addCookies(theirs)
  await page.getByRole('button', { name: 'Aceitar todos' }).click()
  await vi.waitFor(() => expect(vendors.seen()).toEqual(PAGE_VIEWS), 30_000)
  await quiet()
  expect(hitsOf('www.facebook.com/tr').map((hit) => [hit.query.get('id'), hit.query.get('ev')])).toEqual([
    [META, 'PageView'],
  ])
  expect(
    hitsOf('www.google-analytics.com/g/collect').map((hit) => [
      hit.query.get('tid'),
      hit.query.get('en'),
      hit.query.get('gcs'),
    ]),
  ).toEqual([[GA, 'page_view', 'granted']])
  expect(await cookies()).toEqual(['_fbp', '_ga', '_ga_ABC', '_gcl_au', 'app_theme', 'portico_consent'])

  vendors.clear()
  // Cookies of an unknown vendor, each deleted in a different way.
  await page.evaluate(() => {
    // biome-ignore-start lint/suspicious/noDocumentCookie: what a tag would write.
    document.cookie = '_clck=1; Path=/; Max-Age=600'
    document.cookie = '_wide=1; Path=/; Domain=localhost'
    document.cookie = '__Secure-hj=1; Path=/; Secure'
    document.cookie = '__Host-chip=1; Path=/; Secure; Partitioned'
    // biome-ignore-end lint/suspicious/noDocumentCookie: what a tag would write.
  })
  expect(await cookies()).toHaveLength(10)
  await page.reload()
  await vi.waitFor(() => expect(vendors.seen()).toEqual(PAGE_VIEWS), 30_000)
  expect(await banner().isVisible()).toBe(false)

  vendors.clear()
  await page.getByRole('button', { name: 'Preferências de cookies' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox', { name: /Marketing/ }).waitFor()
  expect(await dialog.getByRole('checkbox', { name: /Marketing/ }).isChecked()).toBe(true)
  // The record of the choice, with the code for administrators.
  const { consent_id } = await site.database.db
    .selectFrom('consent_records')
    .select('consent_id')
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  const code = consent_id.slice(0, 13).toUpperCase()
  await dialog.getByText(`Código da sua escolha: ${code}`).waitFor()
  const downloading = page.waitForEvent('download')
  await dialog.getByRole('link', { name: 'Baixar comprovante' }).click()
  const receipt = await downloading
  expect(receipt.suggestedFilename()).toBe(`comprovante-${code}.json`)
  expect(await verifyGraph(await receipt.createReadStream())).toMatchObject({ records: 1 })
  const reloaded = page.waitForEvent('load')
  await dialog.getByRole('button', { name: 'Rejeitar não essenciais' }).click()
  await reloaded
  await quiet()
  expect(vendors.hits).toEqual([])
  expect(await cookies()).toEqual(['_gcl_au', 'app_theme', 'portico_consent'])
  const records = await site.database.db
    .selectFrom('consent_records')
    .select(['consent_id', 'action', 'categories'])
    .orderBy('created_at', 'desc')
    .limit(2)
    .execute()
  expect(records.map(({ action, categories }) => [action, categories])).toEqual([
    ['revoke', []],
    ['accept_all', ['desempenho', 'funcionalidade', 'marketing']],
  ])
  expect(new Set(records.map((record) => record.consent_id)).size).toBe(1)
  expect(console).toEqual([])
})

test('with analytics alone, Analytics runs and Meta is not even downloaded', async () => {
  await page.getByRole('button', { name: 'Preferências', exact: true }).click()
  const dialog = page.getByRole('dialog')
  for (const box of await dialog.getByRole('checkbox').all()) {
    expect(await box.isChecked()).toBe(await box.isDisabled())
  }
  await dialog.getByRole('checkbox', { name: /Desempenho/ }).check()
  await dialog.getByRole('button', { name: 'Salvar preferências' }).click()
  const analytics = ['www.google-analytics.com/g/collect', 'www.googletagmanager.com/gtag/js']
  await vi.waitFor(() => expect(vendors.seen()).toEqual(analytics), 30_000)
  await quiet()
  expect(vendors.seen()).toEqual(analytics)
  // Adding a category later needs no page load.
  await page.getByRole('button', { name: 'Preferências de cookies' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Aceitar todos' }).click()
  await vi.waitFor(() => expect(vendors.seen()).toEqual(PAGE_VIEWS), 30_000)
  expect(hitsOf('www.google-analytics.com/g/collect')).toHaveLength(1)
})

test('a new category or text asks again, and nothing runs until then, not even what was accepted', async () => {
  const id = '0b6e1c9a-8a53-4c55-9a3d-0f6a7c1b2d3e'
  const comeBackWith = async (value: string) => {
    await context.addCookies([{ name: 'portico_consent', value, url: site.url }])
    vendors.clear()
    await page.reload()
  }
  for (const value of [`${CONSENT_TEXT_VERSION}.d.d.${id}`, `1.dm.dm.${id}`, 'rubbish']) {
    await comeBackWith(value)
    await banner().waitFor()
    await quiet()
    expect(vendors.seen(), value).toEqual([])
  }
  await comeBackWith(`${CONSENT_TEXT_VERSION}..dm.${id}`)
  await quiet()
  expect(await banner().isVisible()).toBe(false)
  expect(vendors.seen()).toEqual([])
  // The same visitor and cookie with full consent: the silence above was not for lack of tags.
  await comeBackWith(`${CONSENT_TEXT_VERSION}.dm.dm.${id}`)
  await vi.waitFor(() => expect(vendors.seen()).toEqual(PAGE_VIEWS), 30_000)
})

test("while a pixel sends subscribers' addresses, the wording differs and everybody is asked again", async () => {
  const { db } = site.database
  const pixel = await insertPixel(db, { type: 'meta', pixel_id: '582910377165024' })
  const untilNamesEmail = (isNamed: boolean) =>
    vi.waitFor(
      async () =>
        expect((await (await fetch(site.url)).text()).includes(` data-text="${META_TEXT}"`)).toBe(isNamed),
      30_000,
    )
  await db
    .updateTable('tracking_pixels')
    .set({ delivery: 'server', send_hashed_email: true })
    .where('id', '=', pixel)
    .execute()
  await raiseTagsVersion(db)
  await untilNamesEmail(true)
  const value = `${CONSENT_TEXT_VERSION}.dm.dm.0b6e1c9a-8a53-4c55-9a3d-0f6a7c1b2d3e`
  await context.addCookies([{ name: 'portico_consent', value, url: site.url }])
  vendors.clear()
  await page.reload()
  await banner().getByText('também vai para a Meta em forma de código (hash).').waitFor()
  await quiet()
  expect(vendors.seen()).toEqual([])
  await banner().getByRole('button', { name: 'Preferências' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('também vai para a Meta em forma de código (hash).').waitFor()
  expect(await findViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Aceitar todos' }).click()
  await vi.waitFor(() => expect(vendors.seen()).toEqual(PAGE_VIEWS), 30_000)
  const stored = await context.cookies(site.url)
  expect(stored.find(({ name }) => name === 'portico_consent')?.value).toMatch(
    new RegExp(`^${META_TEXT}\\.dfm\\.`),
  )
  await db.deleteFrom('tracking_pixels').where('id', '=', pixel).execute()
  await raiseTagsVersion(db)
  await untilNamesEmail(false)
  vendors.clear()
  await page.reload()
  // They contained all of the ordinary text.
  await vi.waitFor(() => expect(vendors.seen()).toEqual(PAGE_VIEWS), 30_000)
  expect(await banner().isVisible()).toBe(false)
})

test('conversions reach every tag once with its own call and one id; those before the choice reach none', async () => {
  // Stay on the page: the targets of the links do not matter here.
  await page.evaluate(() =>
    addEventListener('click', (event) => {
      if ((event.target as Element).closest('a') !== null) event.preventDefault()
    }),
  )
  const lead = page.getByRole('link', { name: 'Abrir Conta' }).first()
  await lead.click()
  await page.getByRole('button', { name: 'Aceitar todos' }).click()
  await vi.waitFor(() => expect(vendors.seen()).toEqual(PAGE_VIEWS), 30_000)
  await quiet()
  vendors.clear()

  const conversions: [() => Promise<void>, string[]][] = [
    [() => lead.click(), ['Lead', 'generate_lead']],
    [
      () => page.getByRole('link', { name: 'Começar Gratuitamente' }).first().click(),
      ['Lead', 'generate_lead'],
    ],
    [
      () => page.getByRole('link', { name: 'Falar com Especialista' }).first().click(),
      ['Contact', 'contact'],
    ],
    [subscribe, ['CompleteRegistration', 'sign_up']],
  ]
  const ids = new Set<string | null>()
  for (const [happen, names] of conversions) {
    vendors.clear()
    await happen()
    await vi.waitFor(() => expect(vendors.hits.length).toBeGreaterThanOrEqual(2), 30_000)
    await quiet()
    const sent = vendors.hits.map(({ query }) => query.get('ev') ?? query.get('en'))
    expect(sent.sort()).toEqual(names)
    const [first, second] = vendors.hits.map(({ query }) => query.get('eid'))
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    expect(second).toBe(first)
    ids.add(first ?? null)
  }
  expect(ids.size).toBe(conversions.length)
})

async function subscribe(): Promise<void> {
  await page.locator('#newsletter input[type=email]').fill('ana@example.com')
  await page.locator('#newsletter').getByRole('button').click()
  await page.getByText('Inscrição realizada com sucesso!').waitFor()
}
