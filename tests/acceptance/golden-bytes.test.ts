import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { LightMyRequestResponse } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Pixel } from '#contract/pixel.ts'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { addToCheckpoint } from '#server/consent/checkpoints.ts'
import { exportConsentProof } from '#server/consent/proof/export.ts'
import { eraseRecords } from '#server/consent/records.ts'
import { createFrameRenderer } from '#server/tags/serve/isolated-frame.ts'
import { type ActivePixel, prepareTag } from '#server/tags/serve/prepare-tag.ts'
import { compileHere } from '../support/compile-here.ts'
import { TIER_ENGINES } from '../support/engines.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/**
 * Bytes that others keep: exports and receipts, published checkpoints, addresses that are hashes. They must survive
 * every restructuring. `-u` accepts another vendor host in the tags; a difference in the consent proof would invalidate
 * what was given out, and needs another format number instead. `given-export.txt` and `given-receipt.txt` were given
 * out and are never rewritten.
 */
const SITE_URL = 'https://www.portico.example'
const RECEIPT_PATH = '/api/consent/receipt'
const CHECKPOINTS_PATH = '/.well-known/portico-seals'
const golden = (name: string) => `golden/${name}.txt`

describe.each(TIER_ENGINES)('consent proof, on %s', (engine) => {
  const DAY_MS = 86_400_000
  const FIRST = Date.parse('2026-03-02T12:00:30.000Z')
  const SECOND = FIRST + 40 * DAY_MS
  const VISITOR = '6f1c2a90-5b7e-4d13-8a41-0c9e77d2b301'
  const digest = (value: string) => createHash('sha256').update(value).digest('hex')
  const iso = (time: number) => new Date(time).toISOString()

  let site: TestApp
  beforeAll(async () => {
    // It does not listen: a listening server makes checkpoints by itself.
    site = await startTestApp({ engine, env: { SITE_URL } })
    await storeFixedRecords()
    vi.useFakeTimers({ toFake: ['Date'], now: SECOND + DAY_MS })
  })
  afterAll(async () => {
    vi.useRealTimers()
    await site.close()
  })
  afterEach(() => site.forgetLimits())

  async function storeFixedRecords(): Promise<void> {
    const { db } = site.database
    const notice = {
      version: 1,
      language: 'pt-BR',
      text: 'Aceitar todos\nRejeitar',
      html: '<p>Açaí & "café"</p>',
    }
    // Written here, not by the product: sorted keys, without spaces.
    const noticeHash = digest(
      JSON.stringify({ html: notice.html, language: notice.language, text: notice.text, version: 1 }),
    )
    const controller = {
      cnpj: null,
      contact: 'privacidade@portico.example',
      name: 'Exemplo Ltda',
      site: SITE_URL,
    }
    const content = JSON.stringify({ controller, recipients: [], tag_set_version: 'AbCdEfGhIjKlMnOp' })
    await db
      .insertInto('consent_notices')
      .values({ ...notice, hash: noticeHash, first_served_at: iso(FIRST - DAY_MS) })
      .execute()
    await db
      .insertInto('consent_parties')
      .values({
        hash: digest(content),
        tag_set_version: 'AbCdEfGhIjKlMnOp',
        content,
        first_served_at: iso(FIRST - DAY_MS),
      })
      .execute()
    let number = 0
    const record = (at: number, change: object) => ({
      id: `00000000-0000-4000-8000-${String(++number).padStart(12, '0')}`,
      consent_id: `10000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
      action: 'accept_all',
      categories: '["desempenho","funcionalidade","marketing"]',
      text_version: 1,
      tag_set_version: 'AbCdEfGhIjKlMnOp',
      created_at: iso(at),
      schema_version: 1,
      notice_hash: noticeHash,
      parties_hash: digest(content),
      retention_days: 90,
      ...change,
    })
    const store = (records: ReturnType<typeof record>[]) =>
      db.insertInto('consent_records').values(records).execute()
    await store([
      record(FIRST - 4_000, {}),
      // From before records had a schema.
      record(FIRST - 3_000, {
        schema_version: null,
        notice_hash: null,
        parties_hash: null,
        retention_days: null,
      }),
      record(FIRST - 2_000, { consent_id: VISITOR }),
      record(FIRST - 1_000, { action: 'save', categories: '["marketing"]' }),
    ])
    await addToCheckpoint(db, { now: FIRST })
    await store([
      record(SECOND - 2_000, { consent_id: VISITOR, action: 'revoke', categories: '[]' }),
      record(SECOND - 1_000, { action: 'reject', categories: '[]', text_version: 77, notice_hash: null }),
    ])
    await addToCheckpoint(db, { now: SECOND })
    // The oldest is past its retention.
    await eraseRecords(db, { consentDays: 40 }, undefined, SECOND - 3_500)
    await store([
      record(SECOND + 1_000, { consent_id: VISITOR, action: 'save', categories: '["desempenho"]' }),
    ])
  }

  test('exports', async () => {
    const { db } = site.database
    const whole = await text(exportConsentProof(db, { site: SITE_URL, from: null, to: null }))
    await expect(whole).toMatchFileSnapshot(golden('export'))
    // A part of it, with the state of the tree before.
    const part = await text(
      exportConsentProof(db, { site: SITE_URL, from: iso(FIRST + DAY_MS), to: iso(SECOND + DAY_MS) }),
    )
    await expect(part).toMatchFileSnapshot(golden('export-of-a-period'))
  })

  test('a receipt', async () => {
    const cookie = `portico_consent=1.dfm.m.${VISITOR}`
    const answer = await site.app.inject({ url: RECEIPT_PATH, headers: { cookie } })
    await expect(shown(answer)).toMatchFileSnapshot(golden('receipt'))
  })

  test('checkpoints and their consistency proof', async () => {
    // The newest page also lists the wordings of this build.
    for (const [name, path] of [
      ['checkpoints', `${CHECKPOINTS_PATH}?before=3`],
      ['consistency', `${CHECKPOINTS_PATH}/consistency?first=1&second=2`],
    ] as const)
      await expect(shown(await site.app.inject({ url: path }))).toMatchFileSnapshot(golden(name))
  })
})

test.each([
  ['given-export', ['5 registros em 2 selos', '1 registro já apagado']],
  ['given-receipt', ['3 registros em 2 selos', '1 registro ainda sem selo']],
])('verifies %s', async (name, words) => {
  const file = `tests/acceptance/${golden(name)}`
  const { stdout } = await promisify(execFile)(process.execPath, ['dist/server/evidence.js', 'verify', file])
  for (const each of [...words, 'a2f1ac4924d47dcedd7d9f33ec5457a425f97e169c96c51108da95003fbfa354'])
    expect(stdout).toContain(each)
})

const CUSTOM_CODE = `<script async src="https://cdn.vendor.example/tag.js" data-account="42"></script>
<script>window.vendor = window.vendor || []; vendor.push("https://collect.vendor.example/v", "</x>")</script>
<img src="https://pixel.vendor.example/1.gif">`

/** One of a known vendor and one of an unknown one; both in the page. */
const PIXELS = [
  {
    id: '20000000-0000-4000-8000-000000000001',
    type: 'meta',
    pixel_id: '123456789012345',
    consent_category: 'marketing',
    created_at: '2026-03-01T00:00:00.000Z',
  },
  {
    id: '20000000-0000-4000-8000-000000000002',
    type: 'custom',
    pixel_id: null,
    code: CUSTOM_CODE,
    consent_category: 'desempenho',
    allowed_hosts: ['api.vendor.example'],
    created_at: '2026-03-01T00:00:01.000Z',
  },
] satisfies Partial<Pixel>[]

describe('served tags', () => {
  let site: TestApp
  let manifestPath: string
  beforeAll(async () => {
    site = await startTestApp({ listen: true, env: { SITE_URL, COMPANY_LEGAL_NAME: 'Exemplo Ltda' } })
    for (const pixel of PIXELS) await insertPixel(site.database.db, pixel)
    manifestPath = await vi.waitFor(async () => {
      const page = await (await fetch(site.url)).text()
      const path = `/tags/${/data-tags="([^"]+)"/.exec(page)?.[1]}.js`
      expect((await fetchFile(path)).match(/"type":/g)).toHaveLength(PIXELS.length)
      return path
    }, 30_000)
  })
  afterAll(() => site.close())

  async function fetchFile(path: string): Promise<string> {
    const answer = await fetch(site.url + path, { headers: { 'accept-encoding': 'identity' } })
    const headers = [...answer.headers].filter(([name]) => !PER_ANSWER.has(name)).sort()
    return `${path} ${answer.status}\n${headers.map((pair) => pair.join(': ')).join('\n')}\n\n${await answer.text()}\n`
  }

  test('the manifest and its files', async () => {
    const manifest = await fetchFile(manifestPath)
    await expect(manifest).toMatchFileSnapshot(golden('manifest'))
    const paths = Array.from(manifest.matchAll(/"src":"(\/tags\/[^"]+)"/g), ([, path = '']) => path)
    const files = await Promise.all(paths.map(fetchFile))
    await expect(files.join('\n')).toMatchFileSnapshot(golden('tag-files'))
  })

  test('the recipients of a choice on this page', async () => {
    const row = await site.database.db
      .selectFrom('consent_parties')
      .select(['hash', 'content'])
      .where('tag_set_version', '=', manifestPath.slice('/tags/'.length, -'.js'.length))
      .executeTakeFirstOrThrow()
    expect(row.hash).toBe(createHash('sha256').update(row.content).digest('hex'))
    await expect(`${row.hash}\n${row.content}\n`).toMatchFileSnapshot(golden('recipients'))
  })
})

test('tag revisions and the document of an isolated frame', async () => {
  // The built script changes with every release; this one does not.
  const { render } = createFrameRenderer('/* script of the frame */', {
    siteUrl: SITE_URL,
    hsts: 'max-age=1',
  })
  const prepared = [...PIXELS, { ...PIXELS[1], runs_in: 'isolated' as const }].map((pixel) =>
    prepareTag(toActive(pixel as Pixel), new Set(['www.portico.example']), render),
  )
  const lines = prepared.flatMap(({ revision, codeHash, script, frame }) => [
    `revision ${revision}, code ${codeHash}`,
    script,
    ...(frame === null ? [] : [`frame ${frame.hash}`, JSON.stringify(frame.headers, null, 1), frame.html]),
    '',
  ])
  await expect(lines.join('\n')).toMatchFileSnapshot(golden('revisions'))
})

function toActive({
  id,
  type,
  pixel_id,
  code,
  allowed_hosts,
  consent_category,
  runs_in,
}: Pixel): ActivePixel {
  const source = { type, pixel_id, code: code ?? generateSnippet(type, pixel_id ?? '') }
  return {
    id,
    type,
    pixel_id,
    allowed_hosts: allowed_hosts ?? [],
    consent_category,
    conversion_labels: { lead: '998877' },
    compiled: compileHere(source),
    runs_in,
  }
}

/** Differ per response or connection. */
const PER_ANSWER = new Set(['date', 'connection', 'keep-alive', 'x-request-id', 'server-timing'])

function shown({ statusCode, headers, body }: LightMyRequestResponse): string {
  const lines = Object.entries(headers)
    .filter(([name]) => !PER_ANSWER.has(name))
    .map((pair) => pair.join(': '))
  return `${statusCode}\n${lines.sort().join('\n')}\n\n${body}\n`
}
