import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { apiOf, type Job } from '#server/conversions/destinations/destination.ts'
import { DESTINATIONS } from '#server/conversions/destinations/destinations.ts'
import { sourceFiles } from '#tests/support/source-files.ts'

const HOME = 'src/server/conversions/destinations/'

/** Names of a vendor's payload that our API and database use too, or Google's consent mode in the page. */
const OURS_TOO = new Set([
  'event_id',
  'session_id',
  'client_id',
  'user_agent',
  'ad_user_data',
  'ad_personalization',
])

function readSources(): Map<string, string> {
  const files = sourceFiles('src').filter((file) => !file.startsWith(HOME))
  return new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
}

const job: Job = {
  id: randomUUID(),
  pixel_id: randomUUID(),
  event_id: randomUUID(),
  event: 'lead',
  consent_id: randomUUID(),
  category: 'marketing',
  attempts: 1,
  created_at: '',
  expires_at: '',
  payload: {
    at: Date.now(),
    path: '/',
    title: 'Início',
    campaign: { utm_source: 'a' },
    address: '189.6.10.20',
    agent: 'Firefox',
    marketing: true,
    visitor: randomUUID(),
    email: 'hash',
  },
}

function names(source: string, word: string): boolean {
  return new RegExp(`(?<!\\w)${word.replaceAll('.', '\\.')}(?!\\w)`).test(source)
}

function keysOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf)
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)])
}

test.each(DESTINATIONS)('API and payload of $id are named in its own file only', async (destination) => {
  const target = {
    destination,
    account: '1',
    secret: `whsec_${'a'.repeat(32)}`,
    url: 'https://hooks.exemplo.com.br/',
    sendsEmail: true,
    siteUrl: 'https://www.exemplo.com.br',
    api: apiOf(destination, {}),
    eventIds: { lead: '1' },
  }
  const ids = destination.test.ids(Date.now())
  const { url, body } = destination.request(target, [{ ...job, payload: { ...job.payload, ...ids } }])
  const { host, pathname } = new URL(url)
  const words = [
    ...keysOf(body).filter((key) => key.includes('_') && !key.startsWith('utm_') && !OURS_TOO.has(key)),
    ...(destination.form.url === undefined
      ? [`${host}${pathname.split('/').slice(0, 2).join('/')}`, host]
      : []),
  ]
  for (const [file, source] of readSources()) {
    // The catalogue lists the hosts of a vendor's script in the page; the demo answers in place of each destination.
    if (file.startsWith('src/server/vendors/catalogue/') || file === 'src/server/demo/stand-ins.ts') continue
    expect([file, ...words.filter((word) => names(source, word))]).toEqual([file])
  }
})

test('nothing else in conversions and pixels depends on the destination', async () => {
  for (const [file, source] of readSources()) {
    if (!/^src\/server\/(conversions|pixels)\//.test(file)) continue
    const named = DESTINATIONS.filter(({ id }) => source.includes(`'${id}'`)).map(({ id }) => id)
    expect([file, ...named]).toEqual([file])
  }
})
