import { afterEach, describe, expect, test } from 'vitest'
import type { RecipientsContent } from '#contract/consent.ts'
import { failOnProblem, makeDatabase, type TestDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { ConsentNotices, readNotices, readRecipients } from './notice.ts'
import { canonicalHash } from './proof/canonical.ts'

const log = { warn: failOnProblem }
const notice = { version: 2, language: 'pt-BR', text: 'Cookies?\nSim', html: '<p>Cookies?</p>' }
const parties = (version: string, name = 'Pórtico'): RecipientsContent => ({
  controller: { name, cnpj: null, contact: 'dpo@exemplo.com.br', site: 'https://exemplo.com.br' },
  recipients: [],
  tag_set_version: version,
})

describe.each(TIER_ENGINES)('on %s', (engine) => {
  let database: TestDatabase
  afterEach(() => database.close())

  test('stores wording and recipients once, when they are first served', async () => {
    database = await makeDatabase(engine)
    const { db } = database
    const make = (words = notice) => new ConsentNotices({ db, log, notices: [words], retentionDays: 30 })
    const replicas = [make(), make(), make()]
    await Promise.all(replicas.map((each) => each.keepNotice(notice.version)))
    await Promise.all(replicas.map((each) => each.keepRecipients(parties('a'))))
    const [stored, ...others] = await readNotices(db)
    expect(others).toEqual([])
    expect(stored).toMatchObject({ ...notice, hash: canonicalHash(notice) })
    await replicas[0]?.keepNotice(notice.version)
    expect(await readNotices(db)).toEqual([stored])
    const hash = canonicalHash(parties('a'))
    expect(await readRecipients(db, [hash])).toMatchObject([{ hash, content: parties('a') }])
    expect(await readRecipients(db, [])).toEqual([])
  })

  test('deletes recipients that no record names a month after they were last served', async () => {
    database = await makeDatabase(engine)
    const { db } = database
    const make = () => new ConsentNotices({ db, log, notices: [notice], retentionDays: 30 })
    const serving = make()
    const versions = ['named', 'unnamed', 'open page', 'back again']
    for (const version of versions) await serving.keepRecipients(parties(version))
    const hashes = async () =>
      (await db.selectFrom('consent_parties').select('hash').execute()).map((row) => row.hash)
    const hashOf = (version: string) => canonicalHash(parties(version))
    await db
      .insertInto('consent_records')
      .values({
        id: '00000000-0000-4000-8000-000000000001',
        consent_id: '00000000-0000-4000-8000-000000000002',
        action: 'accept',
        categories: '[]',
        text_version: 2,
        tag_set_version: 'named',
        created_at: new Date().toISOString(),
        parties_hash: hashOf('named'),
      })
      .execute()
    const later = Date.now() + 31 * 86_400_000
    expect(await hashes()).toHaveLength(4)
    // Served by two processes, one of which has not changed since, while a page of the other is still open.
    const other = make()
    await other.keepRecipients(parties('back again'))
    expect(await other.noticeOf(2, 'open page', later)).toMatchObject({ parties_hash: hashOf('open page') })
    expect(await serving.sweepRecipients(undefined, later)).toEqual({ consent_parties: 1 })
    expect((await hashes()).toSorted()).toEqual(['named', 'open page', 'back again'].map(hashOf).sort())
    // This process remembers the set, but the database has deleted it: no record may name it.
    expect(await serving.noticeOf(2, 'unnamed', later)).toMatchObject({ parties_hash: null })
    expect(await readRecipients(db, [hashOf('named')])).toMatchObject([{ content: parties('named') }])
  })

  test('names what the page showed, whichever process stores the choice', async () => {
    database = await makeDatabase(engine)
    const { db } = database
    const older = new ConsentNotices({
      db,
      log,
      notices: [{ ...notice, version: 1, text: 'Antes' }],
      retentionDays: 30,
    })
    await older.keepNotice(1)
    await older.keepRecipients(parties('a'))
    const newer = new ConsentNotices({ db, log, notices: [notice], retentionDays: 60 })
    await newer.keepNotice(notice.version)
    await newer.keepRecipients(parties('b'))
    await newer.keepRecipients(parties('b', 'Outra razão social'))
    // The page came from the older process, just before the tags changed.
    expect(await newer.noticeOf(1, 'a')).toEqual({
      schema_version: 1,
      notice_hash: canonicalHash({ ...notice, version: 1, text: 'Antes' }),
      parties_hash: canonicalHash(parties('a')),
      retention_days: 60,
    })
    expect(await newer.noticeOf(2, 'b')).toMatchObject({
      notice_hash: canonicalHash(notice),
      parties_hash: canonicalHash(parties('b', 'Outra razão social')),
    })
    expect(await newer.noticeOf(999, 'never-served')).toMatchObject({
      notice_hash: null,
      parties_hash: null,
    })
  })
})
