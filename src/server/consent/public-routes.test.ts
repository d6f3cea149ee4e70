import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { CHECKPOINTS_PATH, type CheckpointConsistency, type CheckpointPage } from '#contract/consent.ts'
import { CONSENT_TEXT_VERSION, RECEIPT_PATH } from '#contract/consent-choice.ts'
import { MINUTE_MS } from '#contract/durations.ts'
import { TIER_ENGINES } from '#tests/support/engines.ts'
import { insertPixel } from '#tests/support/insert-pixel.ts'
import { startTestApp, type TestApp } from '#tests/support/test-app.ts'
import { addToCheckpoint, listCheckpoints } from './checkpoints.ts'
import { readNotices, readRecipients } from './notice.ts'
import { checkpointHash } from './proof/canonical.ts'
import { isConsistent } from './proof/merkle-tree.ts'
import { verifyGraph } from './proof/verify.ts'

/** The text of this version. A changed text needs a new version, and every visitor is asked again (LGPD art. 8 §6). */
const WORDS = { version: 3, sha256: '34fd764e2d237390edbff4d3a5e68b8c1743f44ff6905576be3bdb1dca891be7' }

describe.each(TIER_ENGINES)('consent proof of a site, on %s', (engine) => {
  let site: TestApp
  let sealedAt = Date.now()
  beforeAll(async () => {
    site = await startTestApp({
      engine,
      listen: true,
      env: { COMPANY_LEGAL_NAME: 'Exemplo Ltda', RETENTION_CONSENT_DAYS: '90' },
    })
  })
  afterAll(() => site.close())
  beforeEach(() => site.forgetLimits())

  const get = (url: string, headers: Record<string, string> = {}) =>
    site.app.inject({ method: 'GET', url, headers })
  /** The tag set of the page, once it differs from this one. */
  const setAfter = (known: string) =>
    vi.waitFor(async () => {
      const set = /data-tags="([^"]+)"/.exec(await (await fetch(site.url)).text())?.[1] ?? ''
      expect(set).not.toBe(known)
      return set
    }, 30_000)
  async function choose(id: string, tagSet: string, more: object = {}) {
    const answer = await site.app.inject({
      method: 'POST',
      url: '/api/consent',
      payload: {
        id,
        action: 'accept_all',
        categories: ['desempenho', 'funcionalidade', 'marketing'],
        text_version: CONSENT_TEXT_VERSION,
        tag_set_version: tagSet,
        ...more,
      },
    })
    expect(answer.statusCode).toBe(204)
    return await site.database.db
      .selectFrom('consent_records')
      .selectAll()
      .where('consent_id', '=', id)
      .orderBy('created_at', 'desc')
      .executeTakeFirstOrThrow()
  }
  /** Makes the checkpoint that covers everything so far; the app also makes one after each minute. */
  async function seal() {
    sealedAt += MINUTE_MS
    await addToCheckpoint(site.database.db, { now: sealedAt })
    return (await listCheckpoints(site.database.db, { limit: 1 }))[0]
  }
  const cookieOf = (id: string) => ({ cookie: `portico_consent=1.dfm.m.${id}` })

  test('stores the wording of this build before the first page is served', async () => {
    const [notice, ...others] = await readNotices(site.database.db)
    expect(others).toEqual([])
    expect(notice?.version).toBe(CONSENT_TEXT_VERSION)
    for (const words of [
      'Aceitar todos',
      'Rejeitar não essenciais',
      'Salvar preferências',
      'Medem anúncios',
    ]) {
      expect(notice?.text).toContain(words)
      expect(notice?.html).toContain(words)
    }
    const sha256 = createHash('sha256')
      .update(notice?.text ?? '')
      .digest('hex')
    expect({ version: notice?.version, sha256 }).toEqual(WORDS)
  })

  test('names the recipients of the page, though the tags changed in the same second', async () => {
    const { db } = site.database
    await insertPixel(db, { type: 'meta', pixel_id: '123456789012345' })
    const before = await setAfter('')
    const other = await insertPixel(db, { type: 'google_analytics', pixel_id: 'G-ABC1234567' })
    const after = await setAfter(before)
    const [older, newer, none] = [
      await choose(randomUUID(), before),
      await choose(randomUUID(), after),
      await choose(randomUUID(), ''),
    ]
    const contentOf = async (hash: string | null) => (await readRecipients(db, [hash ?? '']))[0]?.content
    expect(await contentOf(older.parties_hash)).toMatchObject({
      controller: { name: 'Exemplo Ltda' },
      tag_set_version: before,
      recipients: [
        { type: 'meta', account: '123456789012345', vendors: [{ company: expect.stringContaining('Meta') }] },
      ],
    })
    expect((await contentOf(newer.parties_hash))?.recipients).toMatchObject([
      { type: 'meta' },
      { pixel: other },
    ])
    expect((await contentOf(none.parties_hash))?.recipients).toEqual([])
    expect(older).toMatchObject({ schema_version: 1, retention_days: 90 })
    expect((await readNotices(db)).map(({ hash }) => hash)).toEqual([older.notice_hash])
    const forged = await choose(randomUUID(), 'never-served', { text_version: 77 })
    expect(forged).toMatchObject({ notice_hash: null, parties_hash: null })
  })

  test('publishes checkpoints, newest first, with hashes, counts and times only', async () => {
    await choose(randomUUID(), '')
    const first = await seal()
    await choose(randomUUID(), '')
    const second = await seal()
    const answer = await get(CHECKPOINTS_PATH)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=30',
    })
    const page: CheckpointPage = answer.json()
    expect(page.seals.slice(0, 2)).toEqual([second, first])
    for (const each of page.seals) expect(checkpointHash(each)).toBe(each.hash)
    expect(page.notices).toMatchObject([{ version: CONSENT_TEXT_VERSION }])
    const again = await get(CHECKPOINTS_PATH, { 'if-none-match': String(answer.headers.etag) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
    // A proxy that compresses marks the tag as weak.
    const weak = await get(CHECKPOINTS_PATH, { 'if-none-match': `W/${answer.headers.etag}` })
    expect(weak.statusCode).toBe(304)

    const newest = page.seals[0]?.sequence ?? 0
    const settled = await get(`${CHECKPOINTS_PATH}?before=${newest}`)
    expect(settled.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(settled.json().seals[0]).toEqual(first)
    expect(settled.json()).not.toHaveProperty('notices')
    // Not cached, because it may exist soon.
    expect((await get(`${CHECKPOINTS_PATH}?before=${newest + 2}`)).headers['cache-control']).toBe(
      'public, max-age=30',
    )

    const proof: CheckpointConsistency = (
      await get(`${CHECKPOINTS_PATH}/consistency?first=${newest - 1}&second=${newest}`)
    ).json()
    const head = (each: CheckpointConsistency['first']) => ({ size: each.tree_size, root: each.root })
    expect(isConsistent(head(proof.first), head(proof.second), proof.hashes)).toBe(true)
  })

  test.each([
    [`${CHECKPOINTS_PATH}?before=0`, 400],
    [`${CHECKPOINTS_PATH}?before=x`, 400],
    [`${CHECKPOINTS_PATH}?before=1&before=2`, 400],
    [`${CHECKPOINTS_PATH}?before=99999999999`, 400],
    [`${CHECKPOINTS_PATH}/consistency`, 400],
    [`${CHECKPOINTS_PATH}/consistency?first=2&second=1`, 400],
    [`${CHECKPOINTS_PATH}/consistency?first=1&second=999999`, 404],
  ])('%s answers %i', async (url, status) => {
    expect((await get(url)).statusCode).toBe(status)
  })

  test('gives visitors a receipt of their choices that verifies', async () => {
    const [own, others] = [randomUUID(), randomUUID()]
    const record = await choose(own, '')
    await choose(others, '')
    await seal()
    await choose(own, '', { action: 'revoke', categories: [] })
    const answer = await get(RECEIPT_PATH, { ...cookieOf(own), 'sec-fetch-site': 'same-origin' })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="comprovante-${own.slice(0, 13).toUpperCase()}.json"`,
    })
    expect(answer.body).toContain(record.id)
    expect(answer.body).not.toContain(others)
    async function* body() {
      yield answer.rawPayload
    }
    const { records, checkpointCount, waiting } = await verifyGraph(body())
    expect([records, checkpointCount + waiting]).toEqual([2, 2])
  })

  test.each([
    ['no cookie', () => ({}), 404],
    ['an id that nobody has', () => cookieOf(randomUUID()), 404],
    // As long as an id, but with only the twelve digits that people see.
    [
      'the code in the place of the id',
      (id: string) => cookieOf(`${id.replaceAll('-', '').slice(0, 12)}${'-'.repeat(24)}`),
      404,
    ],
    ['another site behind it', (id: string) => ({ ...cookieOf(id), 'sec-fetch-site': 'cross-site' }), 403],
  ])('gives no receipt for %s', async (_what, headersOf, status) => {
    const id = randomUUID()
    await choose(id, '')
    const answer = await get(RECEIPT_PATH, headersOf(id))
    expect(answer.statusCode).toBe(status)
    expect(answer.body).not.toContain(id)
  })

  test('limits guesses', async () => {
    const answers: number[] = []
    for (let at = 0; at < 11; at++) answers.push((await get(RECEIPT_PATH, cookieOf(randomUUID()))).statusCode)
    expect(answers).toEqual([...Array.from({ length: 10 }, () => 404), 429])
  })
})
