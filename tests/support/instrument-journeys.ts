import { randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import { adminCall } from './admin-call.ts'
import { DESK, type Journey, PHONE, PIXEL_NAME, until, untilAsked, WAIT } from './engine-journeys.ts'
import { PRINCIPAL, type TestApp } from './test-app.ts'
import type { Visitor } from './visitor.ts'

async function signIn(
  visitor: Visitor,
  site: TestApp,
  size: readonly [number, number] = DESK,
): Promise<void> {
  await visitor.resize(...size)
  await visitor.goto(`${site.url}/admin`)
  await visitor.type('Email', PRINCIPAL.email)
  await visitor.type('Senha', PRINCIPAL.password)
  await visitor.click('button', 'Entrar')
  await reads(visitor, 'Hoje')
}

/** Waits until the page says so, wherever. */
async function reads(visitor: Visitor, text: string): Promise<void> {
  const isThere = (wanted: string) => document.body.innerText.includes(wanted)
  await vi.waitFor(async () => expect(await visitor.evaluate(isThere, text), text).toBe(true), WAIT)
}

async function doesNotRead(visitor: Visitor, text: string): Promise<void> {
  const isThere = (wanted: string) => document.body.innerText.includes(wanted)
  await vi.waitFor(async () => expect(await visitor.evaluate(isThere, text), text).toBe(false), WAIT)
}

/** Nothing scrolls sideways, and what was come for has the keyboard or can get it. */
async function fits(visitor: Visitor): Promise<void> {
  const excess = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
  expect(await visitor.evaluate(excess)).toBeLessThanOrEqual(0)
}

const spoken = () => document.querySelector('[role=slider]')?.getAttribute('aria-valuetext') ?? ''

/** Numbers of today and of yesterday, for the strip and the chart. */
async function count(site: TestApp): Promise<void> {
  const slot = new Date(Math.floor(Date.now() / 600_000) * 600_000).toISOString()
  await site.database.db
    .insertInto('site_counts')
    .values([{ slot, subject: 'choice:accepted', count: 987 }])
    .onConflict((conflict) => conflict.columns(['slot', 'subject']).doNothing())
    .execute()
}

async function subscribe(site: TestApp, email: string): Promise<void> {
  const at = new Date().toISOString()
  await site.database.db
    .insertInto('newsletter_subscriptions')
    .values({
      id: randomUUID(),
      email,
      delivery_key: randomUUID(),
      status: 'delivered',
      attempts: 1,
      last_error: null,
      delivered_at: at,
      next_attempt_at: at,
      created_at: at,
    })
    .execute()
}

/** What an administrator reads and does on the screens around the list, in the words of `docs/engines.md`. */
export const INSTRUMENT_JOURNEYS: Record<string, Journey> = {
  'Hoje leads to the subscriptions; one is found, saved and erased, and the activity says so': async ({
    visitor,
    site,
  }) => {
    await count(site)
    await subscribe(site, 'jonas@exemplo.com.br')
    await subscribe(site, 'marina@exemplo.com.br')
    await signIn(visitor, site)
    await reads(visitor, '987')
    await visitor.evaluate(() =>
      document.querySelector<HTMLElement>('main a[href="/admin/inscricoes"]')?.click(),
    )
    await reads(visitor, 'marina@exemplo.com.br')
    await visitor.click('button', 'Baixar CSV')
    await visitor.type('Buscar por e-mail', 'jonas')
    await doesNotRead(visitor, 'marina@exemplo.com.br')
    await visitor.click('button', 'Apagar: jonas@exemplo.com.br')
    await until(visitor, () => document.querySelector('[role=alertdialog]')?.contains(document.activeElement))
    await visitor.click('button', 'Apagar')
    await reads(visitor, 'Nenhuma inscrição encontrada')
    await visitor.click('link', 'Usuários Admin')
    await visitor.click('link', 'Atividade')
    await reads(visitor, 'apagou uma inscrição a pedido da pessoa')
    await reads(visitor, 'baixou a lista de inscrições')
    await fits(visitor)
  },

  'the page of a pixel: its chart by keyboard, its table, its history, and an older version restored':
    async ({ visitor, site }) => {
      const call = await adminCall(site)
      const code = '<script>a()</script>'
      const [{ id }] = await call<[{ id: string }]>('POST', '/rest/v1/tracking_pixels', {
        name: 'Loja',
        type: 'custom',
        code,
      })
      await call('PATCH', `/rest/v1/tracking_pixels?id=eq.${id}`, { name: 'Loja nova' })
      await signIn(visitor, site)
      await visitor.click('link', 'Loja nova')
      await until(visitor, () => document.activeElement?.textContent === 'Loja nova')
      await until(visitor, () => document.querySelector('[role=slider]') !== null)
      await visitor.evaluate(() => document.querySelector<HTMLElement>('[role=slider]')?.focus())
      const newest = await visitor.evaluate(spoken)
      await visitor.press('ArrowLeft')
      await vi.waitFor(async () => expect(await visitor.evaluate(spoken)).not.toBe(newest), WAIT)
      await visitor.press('Home')
      await until(
        visitor,
        () => document.querySelector('[role=slider]')?.getAttribute('aria-valuenow') === '0',
      )
      await visitor.click('button', '90 dias')
      await visitor.click('button', 'Tabela')
      await until(visitor, () => document.querySelector('main table tbody tr') !== null)
      await fits(visitor)
      const restore = () =>
        document.querySelector<HTMLElement>('button[aria-label^="Restaurar esta versão"]')?.ariaLabel ?? ''
      await vi.waitFor(async () => expect(await visitor.evaluate(restore)).not.toBe(''), WAIT)
      await visitor.click('button', await visitor.evaluate(restore))
      await reads(visitor, 'Versão restaurada')
      await until(visitor, () => document.querySelector('h2')?.textContent === 'Loja')
      await call('DELETE', `/rest/v1/tracking_pixels?id=eq.${id}`)
    },

  'a deleted pixel comes back by its message, and from the trash on a phone': async ({ visitor, site }) => {
    const call = await adminCall(site)
    const [{ id }] = await call<[{ id: string }]>('POST', '/rest/v1/tracking_pixels', {
      name: 'Blog',
      type: 'custom',
      code: '<script>b()</script>',
    })
    const isThere = async () =>
      (await call<unknown[]>('GET', `/rest/v1/tracking_pixels?id=eq.${id}&select=id`)).length === 1
    const remove = async () => {
      await visitor.click('button', 'Excluir: Blog')
      await until(visitor, () =>
        document.querySelector('[role=alertdialog]')?.contains(document.activeElement),
      )
      await visitor.click('button', 'Excluir')
      await reads(visitor, 'Pixel excluído: Blog')
    }
    await signIn(visitor, site)
    await remove()
    expect(await isThere()).toBe(false)
    await visitor.click('button', 'Desfazer')
    await vi.waitFor(async () => expect(await isThere()).toBe(true), WAIT)
    await visitor.click('link', 'Blog')
    await remove()
    await visitor.resize(...PHONE)
    await visitor.goto(`${site.url}/admin/lixeira`)
    await reads(visitor, 'mais 30 dias')
    await fits(visitor)
    await visitor.click('button', 'Restaurar: Blog')
    await reads(visitor, 'A lixeira está vazia')
    expect(await isThere()).toBe(true)
    await call('DELETE', `/rest/v1/tracking_pixels?id=eq.${id}`)
  },

  'Testar agora opens the site with its link, and tells what became of the visit': async ({
    visitor,
    site,
  }) => {
    await signIn(visitor, site)
    await visitor.click('link', PIXEL_NAME)
    // One tab for the journey: what would open in another is kept.
    await visitor.evaluate(() => {
      window.open = (url) => {
        document.documentElement.dataset.opened = String(url)
        return null
      }
    })
    await visitor.click('button', 'Testar agora')
    await until(visitor, () => document.documentElement.dataset.opened !== undefined)
    await reads(visitor, 'Esperando o site abrir')
    const [opened, address] = await visitor.evaluate(() => [
      document.documentElement.dataset.opened ?? '',
      location.href,
    ])
    await visitor.goto(opened ?? '')
    await untilAsked(visitor)
    await visitor.click('button', 'Aceitar todos')
    const [, pixelId = '', testId = ''] = /pixels\/([\w-]+)\/testes\/([\w-]+)/.exec(address ?? '') ?? []
    const call = await adminCall(site)
    await vi.waitFor(async () => {
      const test = await call<{ state: string }>('GET', `/admin/api/pixels/${pixelId}/tests/${testId}`)
      expect(test.state).toBe('done')
    }, WAIT)
    await visitor.goto(address ?? '')
    await until(visitor, () => document.querySelector('[aria-label="Caminho da visita"]') !== null)
    await doesNotRead(visitor, 'Esperando')
    await fits(visitor)
  },

  'consent and inventory say what was chosen and what runs, on a phone too': async ({ visitor, site }) => {
    await signIn(visitor, site)
    for (const [width, height] of [DESK, PHONE]) {
      await visitor.resize(width, height)
      await visitor.goto(`${site.url}/admin/consentimento`)
      await reads(visitor, 'Dossiê')
      await fits(visitor)
      await visitor.goto(`${site.url}/admin/inventario`)
      await reads(visitor, PIXEL_NAME)
      await reads(visitor, 'Na página como está desde')
      await fits(visitor)
    }
    await visitor.click('button', `Anotar o motivo: ${PIXEL_NAME}`)
    await visitor.type('Por que esta tag está no site?', 'Medir a campanha')
    await visitor.click('button', 'Guardar')
    await reads(visitor, 'Motivo anotado')
    await visitor.reload()
    await reads(visitor, 'Medir a campanha')
  },
}
