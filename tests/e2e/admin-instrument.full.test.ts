// Needs a browser: the dashboard, the real server and a vendor together; widths, and a saved file.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CONSENT_TEXT_VERSION, formatConsent } from '#contract/consent-choice.ts'
import { insertPixels } from '../support/admin-data.ts'
import { type AdminSite, startAdminSite, type Visit } from '../support/admin-site.ts'
import { atEachWidth } from '../support/at-each-width.ts'
import { findFaults } from '../support/find-faults.ts'
import { startVendorApis, type VendorApis } from '../support/vendor-apis/start-vendor-apis.ts'

/** Beside the current one; `admin-accessibility.full.test.ts` checks every screen. */
const NARROW = [375]

let apis: VendorApis
let admin: AdminSite
let visit: Visit
let page: Page
beforeAll(async () => {
  apis = await startVendorApis()
  admin = await startAdminSite({ HTTPS_PROXY: apis.proxyUrl })
  const { db } = admin.site.database
  await insertPixels(db, [{ name: 'Blog' }, { name: 'Meta Pixel Principal' }])
  const at = new Date().toISOString()
  const subscription = (email: string) => ({
    id: randomUUID(),
    email,
    delivery_key: randomUUID(),
    attempts: 0,
    last_error: null,
    delivered_at: null,
    next_attempt_at: at,
    created_at: at,
  })
  await db
    .insertInto('newsletter_subscriptions')
    .values([
      { ...subscription('marina@exemplo.com.br'), status: 'delivered', attempts: 1, delivered_at: at },
      {
        ...subscription('contato@academia.exemplo.com.br'),
        status: 'failed',
        attempts: 12,
        last_error: 'HTTP 500',
      },
      { ...subscription('jonas@exemplo.com.br'), status: 'pending' },
    ])
    .execute()
  visit = await admin.visit({ options: { viewport: { width: 1440, height: 1000 } } })
  page = visit.page
})
afterAll(async () => {
  expect(visit.complaints()).toEqual([])
  await admin.close()
  await apis.close()
})

/** On a desktop and on a phone: no axe violation, and no horizontal scrolling. */
async function check(state: string): Promise<void> {
  await atEachWidth(page, NARROW, async (width) =>
    expect.soft(await findFaults(page), `${state} at ${width}`).toEqual([]),
  )
}

test('finds, saves and erases a subscription, and the activity says who did it', async () => {
  const strip = page.getByRole('region', { name: 'Hoje' })
  await strip.getByRole('link', { name: /^Inscrições/ }).click()
  await page.getByRole('heading', { name: 'Inscrições', exact: true }).waitFor()
  await page.getByText('contato@academia.exemplo.com.br').waitFor()
  await check('Inscrições')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Baixar CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('inscricoes.csv')
  expect(
    readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n'),
  ).toHaveLength(4)
  await page.getByRole('searchbox').fill('jonas')
  await page.getByText('marina@exemplo.com.br').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Excluir: jonas@exemplo.com.br' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Excluir dados' }).click()
  await page.getByText('Nenhuma inscrição encontrada').waitFor()

  await page.getByRole('link', { name: 'Usuários Admin' }).click()
  await page.getByRole('link', { name: 'Atividade' }).click()
  await page.getByText('excluiu uma inscrição a pedido da pessoa').waitFor()
  await page.getByText('baixou a lista de inscrições').waitFor()
  await page.getByText('entrou', { exact: false }).first().waitFor()
  expect(await page.getByRole('main').textContent()).not.toContain('jonas')
  await check('Atividade')
})

test('chooses alerts, and the account says that nothing can be sent', async () => {
  await page.getByRole('link', { name: 'Minha conta', exact: true }).click()
  await page.getByRole('checkbox', { name: 'um pixel parar de funcionar' }).check()
  await page.getByText('Os avisos ainda não podem ser enviados').waitFor()
  await check('Avisos')
  await page.reload()
  await expect
    .poll(() => page.getByRole('checkbox', { name: 'um pixel parar de funcionar' }).isChecked())
    .toBe(true)
})

test('two people who edit one pixel see both versions before either is replaced', async () => {
  const other = await admin.visit({ options: { viewport: { width: 1440, height: 1000 } } })
  const edit = async (at: Page, name: string) => {
    await at.getByRole('button', { name: 'Editar: Blog' }).click()
    await at.getByLabel('Nome do Pixel').fill(name)
    await at.getByLabel('Código do Pixel').fill(`<script>\n  ${name.split(' ').at(-1)}()\n</script>`)
  }
  await page.getByRole('link', { name: /^Pixels & Tags/ }).click()
  await edit(page, 'Blog da Marina')
  await edit(other.page, 'Blog da Bia')
  await other.page.getByRole('button', { name: 'Salvar' }).click()
  await other.page.getByText('Pixel salvo: Blog da Bia').waitFor()
  await page.getByRole('button', { name: 'Salvar' }).click()
  const both = page.getByRole('region', { name: 'Comparação das duas versões' })
  await both.getByText('Versão salva: Blog da Bia').waitFor()
  await both.getByText('Sua versão: Blog da Marina').waitFor()
  await both.getByText('Só na versão salva: −  Bia()', { exact: false }).waitFor()
  await check('conflict')
  await page.getByRole('button', { name: 'Salvar a minha versão' }).click()
  await page.getByText('Pixel salvo: Blog da Marina').waitFor()
  await other.context.close()
})

test('"Envio" by the server: a refused token stops it, "Conferir" shows payload and answer, and waiting events are retried', async () => {
  const { db } = admin.site.database
  const consent = {
    id: randomUUID(),
    action: 'save',
    categories: ['marketing'],
    text_version: CONSENT_TEXT_VERSION,
  }
  const post = async (path: string, body: object) => {
    const cookie = formatConsent({
      textVersion: CONSENT_TEXT_VERSION,
      granted: ['marketing'],
      asked: ['marketing'],
      id: consent.id,
    })
    const answer = await fetch(admin.site.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `portico_consent=${cookie}` },
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(204)
  }
  const tellLead = () => post('/api/events', { name: 'lead', path: '/' })
  const queue = () => db.selectFrom('deliveries').select('id').execute()
  const putOff = () =>
    db
      .updateTable('deliveries')
      .set({ next_attempt_at: new Date(Date.now() + 3_600_000).toISOString() })
      .where('attempts', '>', 0)
      .where('leased_until', 'is', null)
      .returning('id')
      .execute()
  const sending = page.getByRole('region', { name: 'Envio pelo servidor' })

  await page.getByRole('button', { name: 'Editar: Meta Pixel Principal' }).click()
  await page.getByText('Mais opções').click()
  await page.getByRole('radio', { name: 'Pelo servidor', exact: true }).check()
  await page.getByLabel('Token de acesso').fill('bad--token')
  await page.getByRole('button', { name: 'Salvar', exact: true }).click()
  await page.getByText('Pixel salvo: Meta Pixel Principal').waitFor()
  await post('/api/consent', { ...consent, tag_set_version: '' })
  await tellLead()
  await expect.poll(() => db.selectFrom('delivery_stops').select('code').execute()).toHaveLength(1)
  await page.getByRole('link', { name: 'Meta Pixel Principal', exact: true }).click()
  await sending.getByText('A Meta recusou o token de acesso', { exact: false }).first().waitFor()
  await sending.getByText('1 evento na fila', { exact: false }).waitFor()
  await sending.getByText('HTTP 401 · 190').waitFor()

  await sending.getByRole('button', { name: 'Alterar token' }).click()
  await page.getByLabel('Token de acesso').fill('good-token')
  await page.getByLabel('Código de teste da Meta').fill('TEST48213')
  await page.getByRole('button', { name: 'Enviar teste e salvar' }).click()
  const checked = page.getByRole('region', { name: 'Teste de envio' })
  await checked.getByText('A Meta aceitou o teste', { exact: true }).waitFor()
  const sent = apis.received.find(({ body }) => body.test_event_code === 'TEST48213')
  expect(await checked.getByRole('region', { name: 'O que enviamos' }).textContent()).toContain(
    JSON.stringify(sent?.body, null, 2),
  )
  expect(await checked.getByRole('region', { name: 'O que a Meta respondeu' }).textContent()).toMatch(
    /HTTP 200\s+\{"events_received":1,/,
  )
  expect(await page.content()).not.toContain('good-token')
  // Saved once it was accepted.
  await page.getByRole('button', { name: 'Enviar teste', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  // The new token sends what waited.
  await expect.poll(queue).toEqual([])

  apis.isDown = true
  await tellLead()
  // Tried and delayed for so long that only the button can send it.
  await expect.poll(putOff).toHaveLength(1)
  await page.reload()
  await sending.getByText('1 evento na fila.').waitFor()
  await sending.getByText('Aceito', { exact: true }).waitFor()
  apis.isDown = false
  await sending.getByRole('button', { name: 'Tentar agora' }).click()
  await page.getByText('Tentando enviar de novo: 1 evento na fila').waitFor()
  await expect.poll(queue).toEqual([])
  await page.reload()
  await expect.poll(() => sending.getByText('Aceito', { exact: true }).count()).toBe(2)
  expect(await sending.getByRole('button', { name: 'Tentar agora' }).count()).toBe(0)
})
