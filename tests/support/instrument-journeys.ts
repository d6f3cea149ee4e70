import { randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import { storeSiteCounts } from '#tests/support/stored-counts.ts'
import { adminCall } from './admin-call.ts'
import {
  DESK,
  type Journey,
  type JourneyWorld,
  PHONE,
  PIXEL_NAME,
  until,
  untilAsked,
  WAIT,
} from './engine-journeys.ts'
import { startsOfDays } from './site-days.ts'
import { PRINCIPAL, type TestApp } from './test-app.ts'
import type { Visitor } from './visitor.ts'

async function signIn({ visitor, url }: JourneyWorld): Promise<void> {
  await visitor.resize(...DESK)
  await visitor.goto(`${url}/admin`)
  await visitor.type('Email', PRINCIPAL.email)
  await visitor.type('Senha', PRINCIPAL.password)
  await visitor.click('button', 'Entrar')
  await reads(visitor, 'Hoje')
}

/** Waits until the page contains the text. */
async function reads(visitor: Visitor, text: string): Promise<void> {
  const isThere = (wanted: string) => document.body.innerText.includes(wanted)
  await vi.waitFor(async () => expect(await visitor.evaluate(isThere, text), text).toBe(true), WAIT)
}

async function doesNotRead(visitor: Visitor, text: string): Promise<void> {
  const isThere = (wanted: string) => document.body.innerText.includes(wanted)
  await vi.waitFor(async () => expect(await visitor.evaluate(isThere, text), text).toBe(false), WAIT)
}

/** Checks that nothing scrolls sideways. */
async function fits(visitor: Visitor): Promise<void> {
  const excess = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
  expect(await visitor.evaluate(excess)).toBeLessThanOrEqual(0)
}

const spoken = () => document.querySelector('[role=slider]')?.getAttribute('aria-valuetext') ?? ''

const focusUndo = () => {
  const buttons = Array.from(document.querySelectorAll('button'))
  const undo = buttons.find(({ textContent }) => textContent.startsWith('Desfazer'))
  undo?.focus()
  return undo !== undefined && document.activeElement === undo
}

const verdict = () => document.getElementById('verdict-heading')?.textContent
/** Browsers differ in what they report of a request. */
const WORKED =
  /^(A tag rodou sem erro e sem bloqueio|A visita foi enviada a Meta Pixel|Meta Pixel respondeu)$/

/** Stores this many accepted choices of today. */
async function countChoices(site: TestApp, count: number): Promise<void> {
  const rows = startsOfDays().map((slot) => ({ slot, subject: 'choice:accepted', count }))
  await storeSiteCounts(site.database.db, rows)
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

/** What an administrator reads and does on the screens around the list, named as in `docs/reports/engines.md`. */
export const INSTRUMENT_JOURNEYS: Record<string, Journey> = {
  'a sign-out counts even if the page is left in the same moment': async (world) => {
    // Each browser decides when it sends a request that it no longer needs: once proves little.
    for (let time = 0; time < 3; time++) {
      await signIn(world)
      await world.visitor.evaluate(() => {
        const buttons = Array.from(document.querySelectorAll('button'))
        buttons.find(({ textContent }) => textContent.trim() === 'Sair')?.click()
        document.documentElement.dataset.left = ''
        location.assign('/admin')
      })
      // On the next page: a visit that begins before would meet the one that is under way.
      await until(
        world.visitor,
        () =>
          document.documentElement.dataset.left === undefined &&
          document.querySelector('input[type=password]') !== null,
      )
      await world.visitor.goto(`${world.url}/admin`)
      await until(world.visitor, () => document.querySelector('input[type=password]') !== null)
    }
  },

  '"Hoje" leads to the subscriptions; one is found, saved and erased, and the activity shows it': async (
    world,
  ) => {
    const { visitor, site } = world
    await countChoices(site, 987)
    await subscribe(site, 'jonas@exemplo.com.br')
    await subscribe(site, 'marina@exemplo.com.br')
    await signIn(world)
    await reads(visitor, '987')
    await visitor.evaluate(() =>
      document.querySelector<HTMLElement>('main a[href="/admin/inscricoes"]')?.click(),
    )
    await reads(visitor, 'marina@exemplo.com.br')
    await visitor.click('button', 'Baixar CSV')
    await visitor.type('Buscar por e-mail', 'jonas')
    await doesNotRead(visitor, 'marina@exemplo.com.br')
    await visitor.click('button', 'Excluir: jonas@exemplo.com.br')
    await until(visitor, () => document.querySelector('[role=alertdialog]')?.contains(document.activeElement))
    // The card behind the question has a button of the same name.
    await visitor.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('[role=alertdialog] button')]
        .find(({ textContent }) => textContent === 'Excluir dados')
        ?.click(),
    )
    await reads(visitor, 'Nenhuma inscrição encontrada')
    await visitor.click('link', 'Usuários Admin')
    await visitor.click('link', 'Atividade')
    await reads(visitor, 'excluiu uma inscrição a pedido da pessoa')
    await reads(visitor, 'baixou a lista de inscrições')
    await fits(visitor)
  },

  'the page of a pixel: its chart by keyboard, its table, its history, and an older version restored': async (
    world,
  ) => {
    const { visitor, site } = world
    const call = await adminCall(site)
    const code = '<script>a()</script>'
    const [{ id }] = await call<[{ id: string }]>('POST', '/rest/v1/tracking_pixels', {
      name: 'Loja',
      type: 'custom',
      code,
    })
    await call('PATCH', `/rest/v1/tracking_pixels?id=eq.${id}`, { name: 'Loja nova' })
    await signIn(world)
    await visitor.click('link', 'Loja nova')
    await until(visitor, () => document.activeElement?.textContent === 'Loja nova')
    await until(visitor, () => document.querySelector('[role=slider]') !== null)
    await visitor.evaluate(() => document.querySelector<HTMLElement>('[role=slider]')?.focus())
    const newest = await visitor.evaluate(spoken)
    await visitor.press('ArrowLeft')
    await vi.waitFor(async () => expect(await visitor.evaluate(spoken)).not.toBe(newest), WAIT)
    await visitor.press('Home')
    await until(visitor, () => document.querySelector('[role=slider]')?.getAttribute('aria-valuenow') === '0')
    await visitor.click('button', '90 dias')
    await visitor.click('button', 'Tabela')
    await until(visitor, () => document.querySelector('main table tbody tr') !== null)
    await fits(visitor)
    const restore = () =>
      document.querySelector<HTMLElement>('button[aria-label^="Restaurar esta versão"]')?.ariaLabel ?? ''
    await vi.waitFor(async () => expect(await visitor.evaluate(restore)).not.toBe(''), WAIT)
    await visitor.click('button', await visitor.evaluate(restore))
    await reads(visitor, 'Versão restaurada')
    await until(visitor, () => document.querySelector('main h2')?.textContent === 'Loja')
  },

  'a deleted pixel is restored from its message, and from the trash on a phone': async (world) => {
    const { visitor, site, url } = world
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
      await vi.waitFor(async () => expect(await isThere()).toBe(false), WAIT)
    }
    await signIn(world)
    await remove()
    // By keyboard: a message slides in, and a pointer would aim at its old place.
    await until(visitor, focusUndo)
    await visitor.press('Enter')
    await vi.waitFor(async () => expect(await isThere()).toBe(true), WAIT)
    await visitor.click('link', 'Blog')
    await remove()
    await visitor.resize(...PHONE)
    await visitor.goto(`${url}/admin/lixeira`)
    await reads(visitor, 'restam 30 dias')
    await fits(visitor)
    await visitor.click('button', 'Restaurar: Blog')
    await reads(visitor, 'Pixel restaurado: Blog')
    await until(visitor, () => document.querySelector('[aria-label="Restaurar: Blog"]') === null)
    expect(await isThere()).toBe(true)
  },

  '"Testar agora" opens the site with its link and shows the result of the visit': async (world) => {
    const { visitor, site } = world
    await signIn(world)
    await visitor.click('link', PIXEL_NAME)
    // One tab for the journey: other tabs are prevented.
    await visitor.evaluate(() => {
      window.open = (url) => {
        document.documentElement.dataset.opened = String(url)
        return null
      }
    })
    await visitor.click('button', 'Testar agora')
    await until(visitor, () => document.documentElement.dataset.opened !== undefined)
    await reads(visitor, 'Aguardando você abrir o site')
    const [opened, address] = await visitor.evaluate(() => [
      document.documentElement.dataset.opened ?? '',
      location.href,
    ])
    await visitor.goto(opened ?? '')
    await untilAsked(visitor)
    await visitor.click('button', 'Aceitar todos')
    const testId = address?.split('/').at(-1) ?? ''
    await vi.waitFor(async () => {
      const { steps } = await site.database.db
        .selectFrom('tag_tests')
        .select('steps')
        .where('id', '=', testId)
        .executeTakeFirstOrThrow()
      expect(steps.map(({ kind }) => kind)).toContain('settled')
    }, WAIT)
    await visitor.goto(address ?? '')
    await vi.waitFor(async () => expect(await visitor.evaluate(verdict)).toMatch(WORKED), WAIT)
    await reads(visitor, 'connect.facebook.net')
    await doesNotRead(visitor, 'Aguardando')
    await fits(visitor)
  },

  'consent and inventory show what was chosen and what runs, also on a phone': async (world) => {
    const { visitor, url } = world
    await signIn(world)
    for (const [width, height] of [DESK, PHONE]) {
      await visitor.resize(width, height)
      await visitor.goto(`${url}/admin/consentimento`)
      await reads(visitor, 'Dossiê para auditoria')
      await fits(visitor)
      await visitor.goto(`${url}/admin/inventario`)
      await reads(visitor, PIXEL_NAME)
      await reads(visitor, 'Na página desde')
      await fits(visitor)
    }
    await visitor.click('button', `Adicionar motivo: ${PIXEL_NAME}`)
    await visitor.type('Por que esta tag está no site?', 'Medir a campanha')
    await visitor.click('button', 'Salvar')
    await reads(visitor, 'Motivo salvo')
    await visitor.reload()
    await reads(visitor, 'Medir a campanha')
  },
}
