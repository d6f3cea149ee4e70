// Needs a browser: one whole journey from the login to a visit that runs the tags.
import { mkdirSync } from 'node:fs'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn } from '../support/admin-site.ts'
import { atEachWidth } from '../support/at-each-width.ts'
import { UNSEEN } from '../support/browser.ts'
import { findViolations } from '../support/find-violations.ts'
import { startVendorSite, type VendorSite } from '../support/vendor-site.ts'
import { googleAnalytics4 } from '../support/vendor-stand-ins/google-analytics-4.ts'
import { googleTagManager } from '../support/vendor-stand-ins/google-tag-manager.ts'
import { metaPixel } from '../support/vendor-stand-ins/meta-pixel.ts'
import { microsoftClarity } from '../support/vendor-stand-ins/microsoft-clarity.ts'
import { tiktokPixel } from '../support/vendor-stand-ins/tiktok-pixel.ts'

/** A first afternoon in marketing: five snippets from five emails. */
const PASTED = [metaPixel, googleAnalytics4, googleTagManager, tiktokPixel, microsoftClarity]

let vendors: VendorSite
let context: BrowserContext
let page: Page

beforeAll(async () => {
  // The one journey of `npm test` on PostgreSQL.
  vendors = await startVendorSite({ engine: 'postgres' })
  context = await vendors.browser.newContext({ ...UNSEEN, locale: 'pt-BR', reducedMotion: 'reduce' })
  context.setDefaultTimeout(30_000)
  page = await context.newPage()
})
afterAll(() => vendors?.close())

/** Screenshots on request: `PICTURES=folder`. */
async function picture(name: string): Promise<void> {
  const folder = process.env.PICTURES
  if (folder !== undefined) mkdirSync(folder, { recursive: true })
  await atEachWidth(page, [375, 1440], async (width) => {
    const beyond = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
    expect(await page.evaluate(beyond), `${name} at ${width} px`).toBeLessThanOrEqual(0)
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}-${width}.png` })
  })
  expect(await findViolations(page), name).toEqual([])
}

async function paste(code: string, isFirst: boolean): Promise<string> {
  await page.getByRole('button', { name: 'Adicionar Pixel' }).first().click()
  const box = page.getByLabel('Código do Pixel')
  expect(await box.getAttribute('placeholder')).toMatch(/^Cole aqui/)
  if (isFirst) await picture('2-formulario-vazio')
  await box.fill(code)
  await page.getByText(/^Código reconhecido:/).waitFor()
  // Nothing else is required: the paste supplies the rest, and "Mais opções" stays closed.
  expect(await page.locator('details', { hasText: 'Mais opções' }).getAttribute('open')).toBeNull()
  if (isFirst) await picture('3-formulario-colado')
  const name = await page.getByLabel('Nome do Pixel').inputValue()
  await page.getByRole('button', { name: 'Salvar', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText(`Pixel salvo: ${name}`).waitFor()
  await page.getByRole('button', { name: 'Testar agora' }).first().waitFor()
  return name
}

test('a new user signs in, pastes five snippets, visits the site and reads their health', async () => {
  const { site, visit, untilPageViews, untilJudged } = vendors
  await page.goto(`${site.config.siteUrl}/admin`)
  await page.getByRole('heading', { name: 'Admin Dashboard' }).waitFor()
  await picture('0-login')
  await signIn(page)
  await page.getByText('Nenhum pixel configurado').waitFor()
  await picture('1-vazio')
  const names: string[] = []
  for (const [index, { snippet, account }] of PASTED.entries()) {
    names.push(await paste(snippet(account), index === 0))
    if (index === 0) await picture('4-salvo')
  }
  expect(new Set(names).size).toBe(5)
  await picture('5-lista')

  const visitor = await visit()
  await visitor.page.getByRole('button', { name: 'Aceitar todos' }).click()
  await untilPageViews(PASTED)
  expect(await visitor.stopped()).toEqual([])
  const rows = await site.database.db.selectFrom('tracking_pixels').select('id').execute()
  await untilJudged(rows.map(({ id }) => id))
  await visitor.context.close()

  await page.goto(`${site.config.siteUrl}/admin`)
  await page.getByRole('link', { name: names[0] ?? '', exact: true }).waitFor()
  await page
    .getByText(/^Funcionando|^Rodou/)
    .first()
    .waitFor()
  // Every row says that it ran; none has a problem or waits.
  for (const bad of ['Aguardando visita', 'Com falhas', 'Não funciona'])
    expect(await page.locator('tbody').getByText(bad, { exact: true }).count(), bad).toBe(0)
  await picture('6-depois-da-visita')
  await page.getByRole('link', { name: names[0] ?? '', exact: true }).click()
  await page.getByRole('heading', { name: names[0] ?? '', exact: true }).waitFor()
  await picture('7-pixel')
})
