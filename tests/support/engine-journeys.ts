import { expect, vi } from 'vitest'
import { NEWSLETTER_MESSAGES } from '#contract/newsletter.ts'
import { reportTotals } from './report-totals.ts'
import { PRINCIPAL, type TestApp } from './test-app.ts'
import type { VendorStandIn } from './vendor-stand-in.ts'
import type { Visitor } from './visitor.ts'

export interface JourneyWorld {
  visitor: Visitor
  /** With one active Meta pixel, named `PIXEL_NAME`. */
  site: TestApp
  /** The visitor's address of the site: its own, or https in front of it. */
  url: string
  vendors: VendorStandIn
}

export type Journey = (world: JourneyWorld) => Promise<void>

export const PIXEL_NAME = 'Meta Pixel Principal'

export const WAIT = { timeout: 30_000, interval: 100 }
/** An odd height: centred content is on half a pixel unless that is handled. */
export const DESK = [1280, 801] as const
export const PHONE = [375, 740] as const

export async function until(visitor: Visitor, condition: () => boolean | undefined): Promise<void> {
  await vi.waitFor(async () => expect(await visitor.evaluate(condition), String(condition)).toBe(true), WAIT)
}

export const untilAsked = (visitor: Visitor) =>
  until(visitor, () => document.querySelector<HTMLElement>('.consent')?.hidden === false)

const isSolid = () => document.querySelector('header.top')?.hasAttribute('data-solid')
const isMenuOpen = () => document.getElementById('menu')?.matches(':popover-open')
const distanceOfNiches = () =>
  Math.abs((document.getElementById('niches')?.getBoundingClientRect().top ?? 0) - 72)

/** Addresses of vendors that were contacted. Firefox asks its maker for settings in between. */
export const contacts = ({ vendors }: JourneyWorld) =>
  vendors.seen().filter((address) => /facebook/.test(address))

/** A question is as high as its text, and centred. */
const isQuestionWhole = () => {
  const box = document.querySelector('[role=alertdialog]')?.getBoundingClientRect()
  if (!box) return false
  return (
    box.height < innerHeight / 2 && box.top % 1 === 0 && Math.abs(box.top - (innerHeight - box.bottom)) <= 2
  )
}

/** The form's fields are above its buttons and all inside it; only missing space hides some. */
const isFormWhole = () => {
  const dialog = document.querySelector('[role=dialog]')
  const submit = dialog?.querySelector('button[type=submit]')?.getBoundingClientRect()
  if (!dialog || !submit) return false
  const box = dialog.getBoundingClientRect()
  const [first = Number.POSITIVE_INFINITY, ...others] = Array.from(
    dialog.querySelectorAll('input, select, textarea'),
    (field) => field.getBoundingClientRect().bottom,
  )
  const isFull = box.height > innerHeight * 0.8
  if (Math.abs(box.top - (innerHeight - box.bottom)) > 2) return false
  return submit.bottom <= box.bottom && [first, ...(isFull ? [] : others)].every((end) => end <= submit.top)
}

async function opensWhole(visitor: Visitor, button: string): Promise<void> {
  await visitor.click('button', button)
  await until(visitor, isFormWhole)
  await visitor.press('Escape')
  await until(visitor, () => document.querySelector('[role=dialog]') === null)
}

/**
 * The most common actions of a visitor and an administrator, named as in `docs/reports/engines.md`. The same in every
 * engine.
 */
export const SHORT_JOURNEYS: Record<string, Journey> = {
  'the page opens at its top, at an anchor and reloaded lower down, and starts each time': async ({
    visitor,
    site,
  }) => {
    await visitor.resize(...DESK)
    await visitor.goto(site.url)
    await untilAsked(visitor)
    expect(await visitor.evaluate(isSolid)).toBe(false)
    await visitor.click('link', 'Nichos')
    await until(visitor, isSolid)
    await vi.waitFor(async () => expect(await visitor.evaluate(distanceOfNiches)).toBeLessThan(2), WAIT)
    await visitor.reload()
    await untilAsked(visitor)
    expect(await visitor.evaluate(() => scrollY)).toBeGreaterThan(500)
    await until(visitor, isSolid)
    await visitor.goto(`${site.url}/cookies`)
    await visitor.goto(`${site.url}/#niches`)
    await untilAsked(visitor)
    await until(visitor, isSolid)
    expect(await visitor.evaluate(distanceOfNiches)).toBeLessThan(2)
  },

  'on a phone the menu opens, leads to a section and closes': async ({ visitor, site }) => {
    await visitor.resize(...PHONE)
    await visitor.goto(site.url)
    await untilAsked(visitor)
    await visitor.click('button', 'Rejeitar não essenciais')
    await visitor.click('button', 'Menu')
    await until(visitor, isMenuOpen)
    await visitor.press('Escape')
    await vi.waitFor(async () => expect(await visitor.evaluate(isMenuOpen)).toBe(false), WAIT)
    await visitor.click('button', 'Menu')
    await until(visitor, isMenuOpen)
    await visitor.click('link', 'Nichos')
    await vi.waitFor(async () => expect(await visitor.evaluate(isMenuOpen)).toBe(false), WAIT)
    await vi.waitFor(async () => expect(await visitor.evaluate(distanceOfNiches)).toBeLessThan(2), WAIT)
  },

  'after consent the tag contacts its vendor, and its report arrives': async (world) => {
    const { visitor, site } = world
    await visitor.resize(...DESK)
    await visitor.goto(site.url)
    await untilAsked(visitor)
    expect(contacts(world)).toEqual([])
    await visitor.click('button', 'Aceitar todos')
    await vi.waitFor(
      () =>
        expect(contacts(world)).toEqual([
          'connect.facebook.net/en_US/fbevents.js',
          'connect.facebook.net/signals/config/123456789012345',
          'www.facebook.com/tr',
        ]),
      WAIT,
    )
    // Leaving sends at once what would be sent a little later.
    await visitor.goto(`${site.url}/cookies`)
    await vi.waitFor(async () => {
      const totals = [...(await reportTotals(site.database.db)).values()]
      expect(totals).toEqual([{ ran: 1, blocked: 0, failed: 0, last_error: null }])
    }, WAIT)
  },

  'after a refusal no vendor is contacted, now or on the next visit': async (world) => {
    const { visitor, site } = world
    await visitor.resize(...PHONE)
    await visitor.goto(site.url)
    await untilAsked(visitor)
    await visitor.click('button', 'Rejeitar não essenciais')
    await visitor.reload()
    // The newsletter's part is loaded when the browser is idle, after the tags.
    await until(visitor, () => document.querySelector('link[rel=modulepreload]') !== null)
    await until(visitor, () => document.querySelector('.later') === null)
    expect(await visitor.evaluate(() => document.querySelector<HTMLElement>('.consent')?.hidden)).toBe(true)
    expect(contacts(world)).toEqual([])
  },

  'the newsletter accepts an address and confirms it': async ({ visitor, site }) => {
    await visitor.resize(...PHONE)
    await visitor.goto(site.url)
    await untilAsked(visitor)
    await visitor.click('button', 'Rejeitar não essenciais')
    await visitor.type('Seu e-mail', 'ana@exemplo.com.br')
    await visitor.click('button', 'Inscrever')
    await vi.waitFor(
      async () =>
        expect(await visitor.evaluate(() => document.getElementById('answer')?.textContent)).toBe(
          NEWSLETTER_MESSAGES.success,
        ),
      WAIT,
    )
    const rows = await site.database.db.selectFrom('newsletter_subscriptions').select('email').execute()
    expect(rows).toEqual([{ email: 'ana@exemplo.com.br' }])
  },

  'an administrator signs in, finds every form complete, switches a pixel off and on, and signs out': async ({
    visitor,
    site,
  }) => {
    const isActive = async () =>
      (await site.database.db.selectFrom('tracking_pixels').select('is_active').executeTakeFirstOrThrow())
        .is_active
    await visitor.resize(...DESK)
    await visitor.goto(`${site.url}/admin`)
    await visitor.type('Email', PRINCIPAL.email)
    await visitor.type('Senha', PRINCIPAL.password)
    await visitor.click('button', 'Entrar')
    await opensWhole(visitor, 'Adicionar Pixel')
    await visitor.click('button', `Excluir: ${PIXEL_NAME}`)
    await until(visitor, isQuestionWhole)
    await visitor.press('Escape')
    await visitor.click('link', 'Usuários Admin')
    await opensWhole(visitor, 'Adicionar Admin')
    await visitor.click('link', 'Minha conta')
    await opensWhole(visitor, 'Alterar senha')
    await visitor.click('link', 'Pixels & Tags')
    await visitor.click('switch', `Ativo: ${PIXEL_NAME}`)
    await vi.waitFor(async () => expect(await isActive()).toBe(false), WAIT)
    await visitor.click('switch', `Ativo: ${PIXEL_NAME}`)
    await vi.waitFor(async () => expect(await isActive()).toBe(true), WAIT)
    await visitor.click('button', 'Sair')
    await until(visitor, () => document.querySelector('input[type=password]') !== null)
    await visitor.goto(`${site.url}/admin`)
    await until(visitor, () => document.querySelector('input[type=password]') !== null)
  },
}
