import { afterEach, describe, expect, test } from 'vitest'
import type { EvidencePartiesContent } from '#contract/consent.ts'
import { ENGINES, failOnProblem, makeDatabase, type TestDatabase } from '#tests/support/engines.ts'
import { ConsentNotices, readNotices, readRecipients } from './notice.ts'
import { canonicalHash } from './proof/canonical.ts'

const log = { warn: failOnProblem }
const notice = { version: 2, language: 'pt-BR', text: 'Cookies?\nSim', html: '<p>Cookies?</p>' }
const parties = (version: string, name = 'Pórtico'): EvidencePartiesContent => ({
  controller: { name, cnpj: null, contact: 'dpo@exemplo.com.br', site: 'https://exemplo.com.br' },
  recipients: [],
  tag_set_version: version,
})

describe.each(ENGINES)('on %s', (engine) => {
  let database: TestDatabase
  afterEach(() => database.close())

  test('words and parties are stored once, when they are first served, whoever serves them', async () => {
    database = await makeDatabase(engine)
    const { db } = database
    const make = (words = notice) => new ConsentNotices({ db, log, notices: [words], retentionDays: 30 })
    const replicas = [make(), make(), make()]
    await Promise.all(replicas.map((each) => each.keepNotice(notice.version)))
    await Promise.all(replicas.map((each) => each.keepParties(parties('a'))))
    const [stored, ...others] = await readNotices(db)
    expect(others).toEqual([])
    expect(stored).toMatchObject({ ...notice, hash: canonicalHash(notice) })
    await replicas[0]?.keepNotice(notice.version)
    expect(await readNotices(db)).toEqual([stored])
    const hash = canonicalHash(parties('a'))
    expect(await readRecipients(db, [hash])).toMatchObject([{ hash, content: parties('a') }])
    expect(await readRecipients(db, [])).toEqual([])
  })

  test('recipients that no record names are removed a month after they were last served', async () => {
    database = await makeDatabase(engine)
    const { db } = database
    const make = () => new ConsentNotices({ db, log, notices: [notice], retentionDays: 30 })
    const serving = make()
    const versions = ['named', 'unnamed', 'open page', 'back again']
    for (const version of versions) await serving.keepParties(parties(version))
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
    // Served by two processes, one of which has not changed it since; and a page of a replica's is still open.
    const other = make()
    await other.keepParties(parties('back again'))
    expect(await other.premisesOf(2, 'open page', later)).toMatchObject({ parties_hash: hashOf('open page') })
    expect(await serving.sweepParties(undefined, later)).toEqual({ consent_parties: 1 })
    expect((await hashes()).toSorted()).toEqual(['named', 'open page', 'back again'].map(hashOf).sort())
    // What this process remembers and the database no longer has is named by no record.
    expect(await serving.premisesOf(2, 'unnamed', later)).toMatchObject({ parties_hash: null })
    expect(await readRecipients(db, [hashOf('named')])).toMatchObject([{ content: parties('named') }])
  })

  test('a choice names what its page was told, wherever it arrives', async () => {
    database = await makeDatabase(engine)
    const { db } = database
    const older = new ConsentNotices({
      db,
      log,
      notices: [{ ...notice, version: 1, text: 'Antes' }],
      retentionDays: 30,
    })
    await older.keepNotice(1)
    await older.keepParties(parties('a'))
    const newer = new ConsentNotices({ db, log, notices: [notice], retentionDays: 60 })
    await newer.keepNotice(notice.version)
    await newer.keepParties(parties('b'))
    await newer.keepParties(parties('b', 'Outra razão social'))
    // The page was loaded from the older process, a moment before the tags changed.
    expect(await newer.premisesOf(1, 'a')).toEqual({
      schema_version: 1,
      notice_hash: canonicalHash({ ...notice, version: 1, text: 'Antes' }),
      parties_hash: canonicalHash(parties('a')),
      retention_days: 60,
    })
    expect(await newer.premisesOf(2, 'b')).toMatchObject({
      notice_hash: canonicalHash(notice),
      parties_hash: canonicalHash(parties('b', 'Outra razão social')),
    })
    expect(await newer.premisesOf(999, 'never-served')).toMatchObject({
      notice_hash: null,
      parties_hash: null,
    })
  })
})
