import { expect, vi } from 'vitest'
import type { CreatedTest, TagTest } from '#contract/tag-test.ts'
import { adminCall } from './admin-call.ts'
import {
  contacts,
  DESK,
  type Journey,
  PHONE,
  SHORT_JOURNEYS,
  until,
  untilAsked,
  WAIT,
} from './engine-journeys.ts'

const isDialogOpen = () => document.querySelector('dialog[open]') !== null
const isDialogClosed = () => document.querySelector('dialog[open]') === null

/** Everything that `npm run engines` runs: the short set, and what differs most between engines. */
export const JOURNEYS: Record<string, Journey> = {
  ...SHORT_JOURNEYS,

  'Tab cycles through header and menu': async ({ visitor, site }) => {
    await visitor.resize(...PHONE)
    await visitor.goto(site.url)
    await untilAsked(visitor)
    await visitor.click('button', 'Rejeitar não essenciais')
    await visitor.click('button', 'Menu')
    await until(visitor, () => document.getElementById('menu')?.matches(':popover-open'))
    const stops = new Set<string>()
    for (let step = 0; step < 10; step++) {
      await visitor.press('Tab')
      stops.add(
        await visitor.evaluate(() => {
          const { activeElement } = document
          return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? ''
        }),
      )
    }
    for (const label of ['Menu', 'Início', 'Sobre', 'Serviços', 'Nichos', 'Contato', 'Acessar Conta']) {
      expect([...stops]).toContain(label)
    }
  },

  'the preferences open, and the choice is kept': async ({ visitor, site }) => {
    await visitor.resize(...PHONE)
    await visitor.goto(site.url)
    await untilAsked(visitor)
    await visitor.click('button', 'Preferências')
    await until(visitor, isDialogOpen)
    await visitor.click('button', 'Salvar preferências')
    await until(visitor, isDialogClosed)
    await visitor.reload()
    await until(visitor, () => document.querySelector('a[data-legal][role=button]') !== null)
    expect(await visitor.evaluate(() => document.querySelector<HTMLElement>('.consent')?.hidden)).toBe(true)
  },

  'a legal text opens as a dialog, closes, and is a page as well': async ({ visitor, site }) => {
    await visitor.resize(...DESK)
    await visitor.goto(site.url)
    await untilAsked(visitor)
    await visitor.click('button', 'Rejeitar não essenciais')
    await visitor.click('button', 'Termos de Uso')
    await until(visitor, isDialogOpen)
    await visitor.press('Escape')
    await until(visitor, isDialogClosed)
    await visitor.goto(`${site.url}/termos`)
    expect(await visitor.evaluate(() => document.querySelector('h1')?.textContent)).toBe('Termos de Uso')
  },

  'the tab gets its icon, and the policy blocks nothing of the site itself': async ({ visitor, site }) => {
    const asked: string[] = []
    const note = ({ url = '' }: { url?: string | undefined }) => void asked.push(url)
    site.app.server.on('request', note)
    await visitor.resize(...DESK)
    await visitor.goto(site.url)
    await untilAsked(visitor)
    await vi.waitFor(
      async () =>
        expect(
          await visitor.evaluate(() => document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href),
        ).toMatch(/\/assets\/.+\.ico$/),
      WAIT,
    )
    // Leaving lets a browser send what is left.
    await visitor.goto(`${site.url}/cookies`)
    site.app.server.off('request', note)
    expect(asked.filter((url) => url.startsWith('/api/csp-report'))).toEqual([])
  },

  'a test visit asks for consent, runs the tag, reports its steps, and leaves nothing behind': async (
    world,
  ) => {
    const { visitor, site, vendors } = world
    await visitor.resize(...DESK)
    const call = await adminCall(site)
    const [{ id }] = await call<[{ id: string }]>('GET', '/rest/v1/tracking_pixels?select=id')
    const made = await call<CreatedTest>('POST', `/admin/api/pixels/${id}/tests`)
    await visitor.goto(made.url)
    await untilAsked(visitor)
    expect(await visitor.evaluate(() => location.href)).toBe(`${site.url}/`)
    expect(contacts(world)).toEqual([])
    await visitor.click('button', 'Aceitar todos')
    const test = await vi.waitFor(async () => {
      const read = await call<TagTest>('GET', `/admin/api/pixels/${id}/tests/${made.id}`)
      expect(read.state).toBe('done')
      return read
    }, WAIT)
    expect(test.verdict.health).toBe('working')
    const kinds = new Set(test.steps.map(({ kind }) => kind))
    expect([...kinds]).toEqual(
      expect.arrayContaining(['opened', 'asked', 'chosen', 'file', 'script', 'settled']),
    )
    expect(vendors.hits.some(({ heard }) => heard?.event === 'PageView')).toBe(true)
    expect(await visitor.evaluate(() => document.cookie)).not.toContain('portico_consent')
    // A used link: the page loads itself again, without it, and asks as on any visit. Either page has the same address.
    await visitor.goto(made.url)
    await untilAsked(visitor)
    await vi.waitFor(
      async () => expect(await visitor.evaluate(() => location.href)).toBe(`${site.url}/`),
      WAIT,
    )
    expect(await visitor.evaluate(() => document.querySelector('.test-bar') === null)).toBe(true)
  },
}
