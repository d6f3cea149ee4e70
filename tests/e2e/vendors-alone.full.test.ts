// Needs a browser: each vendor’s script runs and sends.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { UNSENT_RECORDS } from '#contract/consent-choice.ts'
import { healthLabel, type TagPreview } from '#contract/tag-status.ts'
import { VENDORS } from '#server/vendors/vendors.ts'
import { writeDocRow } from '../support/doc-table.ts'
import { LABELS } from '../support/leave-at-once.ts'
import { PASTES } from '../support/vendor-pastes.ts'
import { startVendorSite, type VendorSite } from '../support/vendor-site.ts'
import { hostsOf, independentGroups } from '../support/vendor-stand-ins/independent-groups.ts'
import type { StandIn } from '../support/vendor-stand-ins/stand-in.ts'
import { STAND_INS } from '../support/vendor-stand-ins/stand-ins.ts'

const catalogue = (id: string) => VENDORS.find((vendor) => vendor.id === id)
const opens = (id: string) => Object.values(catalogue(id)?.hosts ?? {}).flat()
const GROUPS = independentGroups(STAND_INS, opens)

/** From before the first tag: a cookie and a key of the site, and one that a vendor left long ago. */
const BEFORE = { cookies: ['sessao', '_pk_id.1.1fff'], keys: ['carrinho'] }
/** Marks of a refusal and keys of the site's owner, written while the tags ran. */
const KEPT = { cookies: ['__hs_opt_out', '__kla_off'], keys: ['plausible_ignore', 'umami.disabled'] }
/** In no catalogue: written by some tag under its own name. */
const UNKNOWN = 'marca_de_alguem'

let vendorSite: VendorSite
beforeAll(async () => {
  vendorSite = await startVendorSite()
})
afterAll(() => vendorSite.close())
beforeEach(() => vendorSite.removeAll())

test.each(GROUPS.map((group) => [group.map(({ vendor }) => vendor).join(', '), group] as const))(
  'alone, from the paste to the withdrawal: %s',
  async (_names, group) => {
    const { vendors } = vendorSite
    const ids: string[] = []
    const previews: TagPreview[] = []
    for (const { snippet, account, vendor } of group) {
      const { id, preview } = await vendorSite.paste(snippet(account))
      expect(preview.recognised).toMatchObject({ vendor, id: account, name: catalogue(vendor)?.name })
      expect(preview.warnings).toEqual([])
      ids.push(id)
      previews.push(preview)
    }
    const { page, context, stopped } = await vendorSite.visit()
    await write(page, BEFORE)
    await page.getByRole('button', { name: 'Aceitar todos' }).click()
    await vendorSite.untilPageViews(group)

    const converting = group.filter(({ vendor }) => catalogue(vendor)?.conversion !== undefined)
    await convert(page)
    await vi.waitFor(
      () => expect(converting.filter((standIn) => conversionsOf(standIn).length === 0)).toEqual([]),
      30_000,
    )
    const unheard = () =>
      group.flatMap(hostsOf).filter((host) => !vendors.hits.some((hit) => hit.host === host))
    await vi.waitFor(() => expect(unheard()).toEqual([]), 30_000)
    const statuses = await vendorSite.untilJudged(ids)
    expect(statuses.filter(({ health }) => health !== 'working')).toEqual([])
    expect(await stopped()).toEqual([])
    expect(vendors.strays()).toEqual([])

    await write(page, KEPT)
    await write(page, { cookies: [UNKNOWN], keys: [] })
    const left = await read(page)
    await withdraw(page)
    // The record of the withdrawal is stored: the page keeps it until then.
    await expect.poll(async () => (await read(page)).keys).not.toContain(UNSENT_RECORDS)
    const after = await read(page)

    const unwritten: string[] = []
    for (const [index, standIn] of group.entries()) {
      const status = statuses[index]
      if (status === undefined) throw new Error(`${standIn.vendor} is not in the overview`)
      const reached = hostsOf(standIn).filter((host) => vendors.hits.some((hit) => hit.host === host))
      const names = namesOf(standIn)
      const isIn = ({ cookies, keys }: typeof left, name: string) =>
        cookies.includes(name) || keys.includes(name)
      const gone = names.filter((name) => isIn(left, name) && !isIn(after, name))
      const row = [
        catalogue(standIn.vendor)?.name ?? '',
        'yes',
        `\`${standIn.account}\``,
        `${reached.length} of ${hostsOf(standIn).length}`,
        `\`${standIn.pageView}\``,
        [...new Set(conversionsOf(standIn))].map((event) => `\`${event}\``).join(', ') || 'none',
        healthLabel(status),
        names.length === 0 ? 'leaves none' : `${gone.length} of ${names.length}`,
      ] as const
      const sent = [standIn.pageView, ...new Set(conversionsOf(standIn))]
      const preview = previews[index] as TagPreview
      const hasLabel = catalogue(standIn.vendor)?.conversion?.label !== undefined
      expect(namedEvents(preview), standIn.vendor).toEqual(hasLabel ? [LABELS.lead] : sent.slice(1, 2))
      const code = standIn.snippet(standIn.account)
      const paste = pasteRow(standIn.vendor, code, preview, sent.map((event) => `\`${event}\``).join(', '))
      for (const [table, cells] of [
        ['vendors', row],
        ['pastes', paste],
      ] as const)
        try {
          writeDocRow('docs/reports/vendors.md', table, cells)
        } catch {
          unwritten.push(cells.join(' | '))
        }
    }
    // Rows that had to be rewritten: the document differed from the result.
    expect(unwritten).toEqual([])
    expect(after.cookies).toEqual(['portico_consent', ...BEFORE.cookies, ...KEPT.cookies].sort())
    expect(after.keys).toEqual([...BEFORE.keys, ...KEPT.keys].sort())
    await context.close()
  },
  120_000,
)

test('for the others, the form announces no more than the snippet was seen to send', async () => {
  const asked: { vendor: string; address: string }[] = []
  const previews = new Map<string, TagPreview>()
  for (const [vendor, code] of Object.entries(PASTES)) {
    const { preview } = await vendorSite.paste(code)
    expect(preview.recognised?.vendor).toBe(vendor)
    previews.set(vendor, preview)
  }
  expect(new Set([...previews.keys(), ...STAND_INS.map(({ vendor }) => vendor)]).size).toBe(VENDORS.length)
  const { page, context, stopped } = await vendorSite.visit((visitor) =>
    visitor.route(/^https:\/\/(?!www\.portico\.example)/, (route) => {
      const { hostname, pathname } = new URL(route.request().url())
      const vendor = Object.keys(PASTES).find((id) => PASTES[id]?.includes(hostname + pathname)) ?? hostname
      asked.push({ vendor, address: hostname + pathname })
      return route.fulfill({ contentType: 'text/javascript', body: '' })
    }),
  )
  await page.getByRole('button', { name: 'Aceitar todos' }).click()
  const runs = [...previews].filter(([, { steps }]) => steps > 0).map(([vendor]) => vendor)
  await vi.waitFor(
    () => expect(runs.filter((vendor) => !asked.some((each) => each.vendor === vendor))).toEqual([]),
    30_000,
  )
  expect(await stopped()).toEqual([])
  const html = await page.content()
  const unwritten: string[] = []
  for (const [vendor, preview] of previews) {
    const files = asked.filter((each) => each.vendor === vendor).map(({ address }) => `\`${address}\``)
    const isInHtml = preview.kind === 'head'
    if (isInHtml) expect(html).toContain(catalogue(vendor)?.sample.id)
    const sent = isInHtml ? 'nothing; it stands in the HTML' : files.join(', ') || 'nothing'
    const row = pasteRow(vendor, PASTES[vendor] ?? '', preview, sent)
    try {
      writeDocRow('docs/reports/vendors.md', 'pastes', row)
    } catch {
      unwritten.push(row.join(' | '))
    }
  }
  expect(unwritten).toEqual([])
  await context.close()
})

const MAX_SHOWN = 60

/** Vendor, paste, what the form announces before saving, what was sent. */
function pasteRow(vendor: string, code: string, { sends, warnings }: TagPreview, sent: string) {
  const line = code.replace(/\s+/g, ' ').replaceAll('|', '\\|')
  const shown = line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line
  const says = [...sends.slice(0, 2), ...warnings.map(({ message }) => message)].join(' ')
  return [catalogue(vendor)?.name ?? '', `\`${shown}\``, says, sent] as const
}

/** The vendor's name for a click on "Abrir Conta", as the form shows it. */
function namedEvents({ sends }: TagPreview): string[] {
  return sends.slice(1, 2).flatMap((sentence) => /\(([^()]+)\)\.$/.exec(sentence)?.[1] ?? [])
}

/** Events beyond page views, of its own account. */
function conversionsOf({ vendor, account, pageView }: StandIn): string[] {
  return vendorSite.vendors.hits.flatMap(({ heard }) =>
    heard?.vendor === vendor && heard.account === account && heard.event !== pageView ? [heard.event] : [],
  )
}

function namesOf({ leaves: { cookies = [], local = [], session = [] } }: StandIn): string[] {
  return [...new Set([...cookies, ...local, ...session])]
}

/** A conversion click; the link's target does not matter here. */
async function convert(page: Page): Promise<void> {
  await page.evaluate(() =>
    addEventListener('click', (event) => {
      if ((event.target as Element).closest('a') !== null) event.preventDefault()
    }),
  )
  await page.getByRole('link', { name: 'Abrir Conta' }).first().click()
}

async function withdraw(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Preferências de cookies' }).click()
  const reloaded = page.waitForEvent('load')
  await page.getByRole('dialog').getByRole('button', { name: 'Rejeitar não essenciais' }).click()
  await reloaded
}

function write(page: Page, names: { cookies: string[]; keys: string[] }): Promise<void> {
  return page.evaluate(({ cookies, keys }) => {
    // biome-ignore lint/suspicious/noDocumentCookie: as tags write them.
    for (const name of cookies) document.cookie = `${name}=1; path=/; max-age=86400`
    for (const key of keys) localStorage.setItem(key, '1')
  }, names)
}

function read(page: Page): Promise<{ cookies: string[]; keys: string[] }> {
  return page.evaluate(() => ({
    cookies: document.cookie
      .split('; ')
      .map((cookie) => cookie.split('=', 1)[0] ?? '')
      .sort(),
    keys: [...Object.keys(localStorage), ...Object.keys(sessionStorage)].sort(),
  }))
}
