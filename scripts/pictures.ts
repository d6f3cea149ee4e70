/**
 * `npm run pictures`: draws README's picture and the guide's from the demonstration, which is the same for every run but
 * for its dates. Labels and data come from the product itself, so run it again when either has changed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import { CHROMIUM_FLAGS, findChromium } from '../tests/support/find-chromium.ts'
import { freePort } from '../tests/support/free-port.ts'
import { untilReady, watchProcess } from '../tests/support/spawn-server.ts'

const GUIDE = 'docs/guia/imagens'

/** Narrow, so that letters are still read where the picture is shown small; high, so that nothing has to be scrolled. */
const SHEET = { width: 780, height: 3200 }

/** Twice as large as it is shown, for sharp letters; `help-screen.tsx` counts on it. */
const DENSITY = 2

/** A quarter of the file of a lossless one, and letters stay clean. */
const QUALITY = 74

/** As far back as any picture shows. */
const PAST = ['--days', '30', '--visits', '150']

const ADMINISTRATOR = { email: 'marina@portico.example', password: 'porta-aberta-de-novembro-84' }

const port = await freePort()
const url = `http://localhost:${port}`
const demo = watchProcess(
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'scripts/demo.ts', ...PAST], {
    env: {
      ...process.env,
      PORT: String(port),
      PRINCIPAL_ADMIN_EMAIL: ADMINISTRATOR.email,
      PRINCIPAL_ADMIN_PASSWORD: ADMINISTRATOR.password,
    },
  }),
)
const browser = await chromium.launch({
  executablePath: findChromium(),
  // Nothing leaves the machine.
  args: [
    ...CHROMIUM_FLAGS,
    '--lang=pt-BR',
    '--host-resolver-rules=MAP * ~NOTFOUND,EXCLUDE localhost,EXCLUDE 127.0.0.1',
  ],
})
try {
  await untilReady(demo, url)
  await drawGuide(browser)
  await drawReadme(browser)
} finally {
  await browser.close()
  demo.child.kill('SIGINT')
  if (demo.child.exitCode === null) await once(demo.child, 'exit')
}

async function drawGuide(on: Browser): Promise<void> {
  rmSync(GUIDE, { recursive: true, force: true })
  mkdirSync(GUIDE, { recursive: true })
  const look = { deviceScaleFactor: DENSITY, reducedMotion: 'reduce', locale: 'pt-BR' } as const
  const context = await on.newContext({ viewport: SHEET, ...look })
  const admin = await signIn(context)

  await open(admin, '/admin')
  await save(admin, 'lista', admin.getByRole('main'), { height: 1_200 })

  await admin.getByRole('button', { name: 'Adicionar Pixel' }).click()
  await admin.getByLabel('Nome do Pixel').fill('Meta Pixel Principal')
  await admin.getByLabel('Pixel ID').fill('482910377165024')
  await save(admin, 'formulario', admin.getByRole('dialog'), { height: 1_000 })

  await openPixel(admin, 'Hotjar')
  await save(admin, 'motivo', admin.getByRole('main'), { height: 420 })

  await openPixel(admin, 'Meta Pixel')
  await save(admin, 'conversoes', card(admin, 'conversions-heading'))

  await openPixel(admin, 'Meta Pixel (parceiros)')
  await save(admin, 'envio-pelo-servidor', card(admin, 'sending-heading'), { height: 620 })

  await open(admin, '/admin/consentimento')
  await save(admin, 'respostas', card(admin, 'choices-heading'))
  await save(admin, 'selos', card(admin, 'seals-heading'))
  await save(admin, 'dossie', card(admin, 'dossier-heading'))

  await open(admin, '/admin/inventario')
  await save(admin, 'inventario', admin.getByRole('main').getByRole('listitem').first())

  const visitor = await on.newContext({ viewport: { width: SHEET.width, height: 620 }, ...look })
  const page = await openSite(visitor)
  await page.getByRole('button', { name: 'Aceitar todos' }).waitFor()
  await save(page, 'aviso', page.locator('body'), { height: 620 })
  await visitor.close()
  await context.close()
}

async function signIn(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${url}/admin`)
  await page.getByLabel('Email').fill(ADMINISTRATOR.email)
  await page.getByLabel('Senha', { exact: true }).fill(ADMINISTRATOR.password)
  await page.getByRole('button', { name: 'Entrar', exact: true }).click()
  await page.getByRole('button', { name: 'Sair' }).waitFor()
  return page
}

/** As on a second visit: on the first the page does not wait for its typeface. */
async function openSite(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  for (const path of ['/', '/']) {
    await page.goto(url + path)
    await settle(page)
  }
  return page
}

/** By now the typeface is in the browser's cache. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(url + path)
  await page.getByRole('button', { name: 'Sair' }).waitFor()
  await settle(page)
}

async function openPixel(page: Page, name: string): Promise<void> {
  await open(page, '/admin')
  await page.getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { level: 2, name, exact: true }).waitFor()
  await settle(page)
}

/** Everything that was asked for has come, and nothing says that it is still loading. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
  await page.evaluate(() => document.fonts.ready)
}

/** The card under a heading with this ID. */
function card(page: Page, heading: string): Locator {
  return page.locator(`[aria-labelledby="${heading}"]`)
}

/** What is taller than `height` is cut off below. */
async function save(page: Page, name: string, part: Locator, { height = Infinity } = {}): Promise<void> {
  const box = await part.boundingBox()
  if (box === null) throw new Error(`there is nothing to draw for ${name}`)
  const cdp = await page.context().newCDPSession(page)
  const { data } = await cdp.send('Page.captureScreenshot', {
    format: 'webp',
    quality: QUALITY,
    clip: { ...box, height: Math.min(box.height, height), scale: DENSITY },
  })
  await cdp.detach()
  writeFileSync(`${GUIDE}/${name}.webp`, Buffer.from(data, 'base64'))
}

/** Both windows of the product, one before the other. */
async function drawReadme(on: Browser): Promise<void> {
  const look = { reducedMotion: 'reduce', deviceScaleFactor: 1.25, locale: 'pt-BR' } as const
  const site = await on.newContext({ viewport: { width: 1200, height: 750 }, ...look })
  const landing = await openSite(site)
  const dashboard = await on.newContext({ viewport: { width: 1200, height: 750 }, ...look })
  const admin = await signIn(dashboard)
  await open(admin, '/admin')
  const [behind, before] = [await landing.screenshot(), await admin.screenshot()]
  const sheet = await on.newPage({ viewport: { width: 1600, height: 760 } })
  const window = (picture: Buffer, style: string) =>
    `<img style="position:absolute;border-radius:16px;box-shadow:0 24px 60px #0b201b55;${style}" src="data:image/png;base64,${picture.toString('base64')}">`
  await sheet.setContent(
    `<body style="margin:0;background:#e9ebe2">${window(behind, 'left:60px;top:50px;width:960px')}${window(before, 'right:50px;bottom:40px;width:780px')}</body>`,
  )
  await sheet.screenshot({ path: 'docs/images/portico.png' })
}
