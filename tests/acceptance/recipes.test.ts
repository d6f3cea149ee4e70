import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import * as content from '#landing/content/page.ts'
import { renderLanding } from '#landing/pages/render.tsx'
import { parseConfig } from '#server/config.ts'
import { retention } from '#server/db/retention.ts'
import { runSweeps } from '#server/db/sweep.ts'
import { change } from '#server/db/transactions/change.ts'
import { PUBLIC_CALLS } from '#server/http/limits/limits.ts'
import { storeMail } from '#server/mail/channel.ts'
import { type Email, renderEmail } from '#server/mail/email.ts'
import { TagCompiler } from '#server/tags/compile/compiler.ts'
import type { Vendor } from '#server/vendors/vendor.ts'
import { VENDORS } from '#server/vendors/vendors.ts'
import { sourceFiles } from '#tests/support/source-files.ts'
import { encodeHere } from '../support/compile-here.ts'
import { makeDatabase } from '../support/engines.ts'
import { Mailbox } from '../support/mailbox.ts'
import { noteBlockedHost } from '../support/note-blocked-host.ts'
import { KEPT } from '../support/sweep-table.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { call } from './auth-http.ts'
import { readKeys } from './auth-keys.ts'

/** The recipes of `docs/develop/recipes.md` that need no file of their own: each does what its recipe says. */

describe('a text of the page', () => {
  const ASSETS = {
    css: '',
    plainCss: '',
    laterCss: '',
    contentCss: '',
    bootScript: '/boot.js',
    prefetch: [],
    font: '/font.woff2',
    pictures: { icon: '/i.ico', touchIcon: '/t.png', share: '/s.png', shareUnnamed: '/u.png' },
  }
  const render = () => renderLanding(parseConfig({}).site, ASSETS)

  test('is changed in the content alone', () => {
    const [figure] = content.ABOUT.figures
    const before = figure?.value ?? ''
    expect(render()).toContain(before)
    Object.assign(figure ?? {}, { value: '61 mil' })
    const html = render()
    Object.assign(figure ?? {}, { value: before })
    expect(html).toContain('61 mil')
    expect(html).not.toContain(before)
  })

  test('stands nowhere else', () => {
    const others = sourceFiles('src/landing', 'src/design')
      .filter((file) => !file.includes('landing/content/'))
      .map((file) => readFileSync(file, 'utf8'))
    const texts = textsIn(content).filter((text) => text.length >= 25)
    expect(texts.length).toBeGreaterThan(60)
    expect(texts.filter((text) => others.some((source) => source.includes(text)))).toEqual([])
  })

  function textsIn(value: unknown): string[] {
    if (typeof value === 'string') return [value]
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
  }
})

/** The file of a new vendor. */
const bellhop: Vendor = {
  id: 'bellhop',
  kind: 'script',
  name: 'Bellhop Analytics',
  company: 'Bellhop Ltda.',
  country: 'BR',
  purpose: 'Conta visitas do hotel.',
  category: 'desempenho',
  signs: [/cdn\.bellhop\.example\/b\.js/],
  ids: [/data-hotel="(\w+)"/],
  idLabel: 'Hotel',
  sample: { code: '<script src="https://cdn.bellhop.example/b.js" data-hotel="h7"></script>', id: 'h7' },
  hosts: { script: ['cdn.bellhop.example'], connect: ['in.bellhop.example'] },
  suffixes: ['bellhop.example'],
  cookies: [{ name: { exact: '_bellhop' }, duration: '1 ano', purpose: 'Reconhece o navegador.' }],
  thirdPartyCookies: [],
  storage: [],
}

describe('on a site', () => {
  let site: TestApp
  let mailbox: Mailbox
  let service: { apikey: string; bearer: string }
  beforeAll(async () => {
    mailbox = await Mailbox.open()
    site = await startTestApp({ listen: true, env: { SMTP_URL: mailbox.url } })
    const key = (await readKeys(site)).service
    service = { apikey: key, bearer: key }
  })
  afterAll(async () => {
    await site.close()
    await mailbox.close()
  })

  describe('a new vendor', () => {
    /** Its row. The compiler's thread has its own list, from the build: what it does is done here. */
    beforeAll(() => {
      ;(VENDORS as Vendor[]).push(bellhop)
      vi.spyOn(TagCompiler.prototype, 'compile').mockImplementation(async (source) => encodeHere(source))
    })
    afterAll(() => {
      ;(VENDORS as Vendor[]).pop()
      vi.restoreAllMocks()
    })

    test('is recognised in what is pasted', async () => {
      const { body, text } = await call(site, {
        ...service,
        method: 'POST',
        path: '/admin/api/tags/preview',
        body: { type: 'custom', pixel_id: null, code: bellhop.sample.code },
      })
      expect(body.recognised, text).toMatchObject({
        vendor: 'bellhop',
        name: 'Bellhop Analytics',
        id: 'h7',
        id_label: 'Hotel',
        category: 'desempenho',
      })
    })

    test('has its hosts in the policy, its cookies in the cookie policy and its name in the list', async () => {
      const added = await call(site, {
        ...service,
        method: 'POST',
        path: '/rest/v1/tracking_pixels',
        body: { name: 'Hotel', type: 'custom', code: bellhop.sample.code, consent_category: 'desempenho' },
        headers: { prefer: 'return=representation' },
      })
      expect(added.status, added.text).toBe(201)
      expect(added.body[0].vendor).toBe('bellhop')
      const page = await fetch(site.url)
      expect(page.headers.get('content-security-policy')).toMatch(/connect-src [^;]*in\.bellhop\.example/)
      const policy = await (await fetch(`${site.url}/cookies`)).text()
      expect(policy).toContain('_bellhop')
      expect(policy).toContain('Bellhop Ltda.')
      await noteBlockedHost(site.database.db, 'img.bellhop.example', added.body[0].id)
      const { body } = await call(site, { ...service, path: '/admin/api/tags' })
      expect(body.blocked_hosts).toMatchObject([{ vendor: { id: 'bellhop', name: 'Bellhop Analytics' } }])
    })
  })

  test('a rate limit is one row', async () => {
    const row = PUBLIC_CALLS.newsletter.perAddress
    const { max } = row
    const subscribe = (name: string) =>
      call(site, {
        method: 'POST',
        path: '/api/newsletter',
        body: { email: `${name}@exemplo.com.br` },
        from: '203.0.113.9',
      })
    row.max = 1
    const statuses = [(await subscribe('ana')).status, (await subscribe('bia')).status]
    row.max = max
    expect(statuses).toEqual([200, 429])
    expect((await subscribe('bia')).status).toBe(200)
  })

  test('an email is a template, and the event that stores it in its transaction', async () => {
    const template = (hotel: string): Email => ({
      subject: `Reserva em ${hotel}`,
      paragraphs: ['Sua reserva foi feita.'],
      action: { label: 'Ver a reserva', url: 'https://portico.example/admin' },
      closing: ['Você recebe este aviso porque administra o site.'],
    })
    await change(site.database.db, (trx) =>
      storeMail(trx, site.secrets, {
        kind: 'booking',
        to: 'ana@exemplo.com.br',
        ...renderEmail(template('Bellhop'), site.config.site.brandName),
      }),
    )
    const received = await mailbox.take('ana@exemplo.com.br', 'Reserva em Bellhop')
    expect(received.text).toContain('Ver a reserva:\nhttps://portico.example/admin')
  })
})

test('how long something is kept is one row', async () => {
  const database = await makeDatabase('sqlite')
  const app = Fastify()
  const now = Date.now()
  const row = {
    what: 'hosts that were blocked once',
    table: 'blocked_hosts',
    column: 'first_seen_at',
    keepMs: 86_400_000,
  } as const
  runSweeps(app, database.db, { rows: [...retention(KEPT), row], clock: () => now })
  const at = (ageMs: number) => new Date(now - ageMs).toISOString()
  for (const [host, age] of [
    ['old.example', row.keepMs],
    ['new.example', row.keepMs - 60_000],
  ] as const)
    await database.db
      .insertInto('blocked_hosts')
      .values({
        id: crypto.randomUUID(),
        pixel_id: null,
        host,
        first_seen_at: at(age),
        last_seen_at: at(0),
      })
      .execute()
  const sweep = app.sweeps.find(({ what }) => what === row.what)
  expect(await sweep?.run(new AbortController().signal)).toEqual({ blocked_hosts: 1 })
  const left = await database.db.selectFrom('blocked_hosts').select('host').execute()
  expect(left).toEqual([{ host: 'new.example' }])
  await app.close()
  await database.close()
})
