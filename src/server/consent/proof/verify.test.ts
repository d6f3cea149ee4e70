import { createHash, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MINUTE_MS } from '#contract/durations.ts'
import type { Db } from '#server/db/database.ts'
import { failOnProblem, makeDatabase, type TestDatabase, TIER_ENGINES } from '#tests/support/engines.ts'
import { addToCheckpoint } from '../checkpoints.ts'
import { ConsentNotices } from '../notice.ts'
import { eraseRecords } from '../records.ts'
import { canonicalHash, canonicalJson } from './canonical.ts'
import { exportConsentProof, makeReceipt } from './export.ts'
import { GRAPH_FOOT, GRAPH_HEAD } from './file-format.ts'
import { type Verified, verifyGraph } from './verify.ts'

const AT = Date.parse('2026-11-16T12:00:00.000Z')
const SITE = 'https://exemplo.com.br'
const log = { warn: failOnProblem }
const notice = { version: 1, language: 'pt-BR', text: 'Cookies? "Sim" \\ não', html: '<p>Ação</p>' }
const parties = {
  controller: { name: 'Exemplo Ltda', cnpj: null, contact: 'dpo@exemplo.com.br', site: SITE },
  recipients: [],
  tag_set_version: 'v',
}

async function textOf(pieces: AsyncIterable<string> | null): Promise<string> {
  if (pieces === null) throw new Error('no such file')
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

/** Chunks that end anywhere. */
async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1009) yield bytes.subarray(at, at + 1009)
}

const verify = (file: string | Uint8Array): Promise<Verified> => verifyGraph(inChunks(Buffer.from(file)))

async function faultOf(file: string | Uint8Array): Promise<string> {
  try {
    await verify(file)
  } catch (error) {
    return (error as Error).name === 'EvidenceFault' ? (error as Error).message : `thrown: ${error}`
  }
  return 'nothing is wrong with it'
}

/** Rewrites lines as somebody who knows the format would, with a new hash at the end. */
function rewrite(file: string, edit: (lines: string[]) => string[]): string {
  const lines = file.slice(GRAPH_HEAD.length, -GRAPH_FOOT.length).trimEnd().split('\n')
  const nodes = edit(lines.slice(0, -1).map((line) => line.slice(0, -1)))
  const body = GRAPH_HEAD + nodes.map((node) => `${node},\n`).join('')
  const sha256 = createHash('sha256').update(body).digest('hex')
  const end = { '@type': 'EvidenceEnd', nodes: nodes.length, sha256 }
  return `${body}${canonicalJson(end)}\n${GRAPH_FOOT}`
}

const isRecord = (line: string) => line.includes('"@type":"ConsentRecord"')

describe.each(TIER_ENGINES)('on %s', (engine) => {
  let database: TestDatabase
  let db: Db
  let whole: string
  let receipt: string
  const visitor = randomUUID()

  async function choose(at: number, consent_id = randomUUID()): Promise<void> {
    const notices = new ConsentNotices({ db, log, notices: [notice], retentionDays: 1826 })
    await db
      .insertInto('consent_records')
      .values({
        id: randomUUID(),
        consent_id,
        action: 'save',
        categories: '["marketing"]',
        text_version: 1,
        tag_set_version: 'v',
        created_at: new Date(at).toISOString(),
        ...(await notices.noticeOf(1, 'v')),
      })
      .execute()
  }

  beforeAll(async () => {
    database = await makeDatabase(engine)
    db = database.db
    const notices = new ConsentNotices({ db, log, notices: [notice], retentionDays: 1826 })
    await notices.keepNotice(1)
    await notices.keepRecipients(parties)
    for (let minute = 0; minute < 4; minute++) {
      for (let at = 0; at < 3 + minute; at++) await choose(AT + minute * MINUTE_MS + at)
      await choose(AT + minute * MINUTE_MS + 500, visitor)
      await addToCheckpoint(db, { now: AT + (minute + 1) * MINUTE_MS })
    }
    await choose(AT + 5 * MINUTE_MS, visitor)
    whole = await textOf(exportConsentProof(db, { site: SITE, from: null, to: null }))
    receipt = await textOf(await makeReceipt(db, SITE, visitor))
  })
  afterAll(() => database.close())

  test('verifies an export and a receipt without a database', async () => {
    const proved = await verify(whole)
    expect(proved).toMatchObject({ site: SITE, checkpointCount: 4, records: 22, erased: 0, waiting: 0 })
    expect(proved.seals).toMatchObject([{ sequence: 4, tree_size: 22 }])
    expect(await verify(receipt)).toMatchObject({ site: SITE, checkpointCount: 4, records: 5, waiting: 1 })
    const graph = JSON.parse(whole)['@graph']
    expect(graph.map((node: object) => node['@type' as never])).toEqual(
      expect.arrayContaining(['ConsentNotice', 'ConsentParties', 'ConsentRecord', 'ConsentSeal']),
    )
    // It contains nothing of other visitors.
    const ids = JSON.parse(receipt)['@graph'].flatMap(({ consent_id = [] }) => consent_id)
    expect(new Set(ids)).toEqual(new Set([visitor]))
  })

  test('proves a period as the continuation of the checkpoint before it', async () => {
    const from = new Date(AT + 2 * MINUTE_MS).toISOString()
    const to = new Date(AT + 2 * MINUTE_MS + 1).toISOString()
    const part = await textOf(exportConsentProof(db, { site: SITE, from, to }))
    expect(await verify(part)).toMatchObject({ checkpointCount: 2, records: 11, seals: [{ sequence: 3 }] })
    const bent = rewrite(part, (lines) =>
      lines.with(0, (lines[0] ?? '').replace(/"subtrees":\["./, '"subtrees":["x')),
    )
    expect(await faultOf(bent)).toMatch(/^Linha 2: o selo anterior ao período não corresponde/)
    const later = new Date(AT + 60 * MINUTE_MS).toISOString()
    const empty = await textOf(exportConsentProof(db, { site: SITE, from: later, to: null }))
    expect(await verify(empty)).toMatchObject({ checkpointCount: 0, records: 0, seals: [] })
  })

  test('keeps quotes of the file on one visible line', async () => {
    for (const file of [whole, receipt]) {
      const type = 'Cons\nent\u001b[2J\u2028\u202eNotice'
      const bent = rewrite(file, ([first = '', ...rest]) => [
        first,
        canonicalJson({ '@type': type }),
        ...rest,
      ])
      expect(await faultOf(bent)).toMatch(
        /^Linha \d+: .*Cons\\u\{a\}ent\\u\{1b\}\[2J\\u\{2028\}\\u\{202e\}Notice.+\.$/,
      )
    }
  })

  test('fails for one changed byte anywhere, and names the line', async () => {
    for (const file of [whole, receipt]) {
      const bytes = Buffer.from(file)
      await fc.assert(
        fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
          const bent = Buffer.from(bytes)
          bent[at] = (bent[at] ?? 0) ^ flip
          const fault = await faultOf(bent)
          expect(fault).toMatch(/^Linha \d+: .+\.$/)
        }),
        { numRuns: 300 },
      )
    }
  })

  test('finds a record that was changed, removed, moved or added, even with a new end hash', async () => {
    const count = (await verify(whole)).records
    await fc.assert(
      fc.asyncProperty(
        fc.nat(count - 1),
        fc.nat(count - 1),
        fc.constantFrom('change', 'drop', 'swap', 'repeat'),
        async (which, other, how) => {
          let first = 0
          const bent = rewrite(whole, (lines) => {
            const places = lines.flatMap((line, at) => (isRecord(line) ? [at] : []))
            const at = places[which] ?? 0
            const line = lines[at] ?? ''
            first = at
            if (how === 'change') return lines.with(at, line.replace('"partial"', '"refused"'))
            if (how === 'drop') return lines.toSpliced(at, 1)
            if (how === 'repeat') {
              first = at + 1
              return lines.toSpliced(at, 0, line)
            }
            const place = places[other] ?? 0
            first = Math.min(at, place)
            return lines.with(at, lines[place] ?? '').with(place, line)
          })
          if (how === 'swap' && which === other) expect(await faultOf(bent)).toBe('nothing is wrong with it')
          // Lines are counted from 1, and the first is the context.
          else expect(await faultOf(bent)).toMatch(new RegExp(`^Linha ${first + 2}: `))
        },
      ),
      { numRuns: 60 },
    )
  })

  test('fails when the list of hashes was rebuilt too, because the checkpoint differs', async () => {
    const bent = rewrite(whole, (lines) => {
      const at = lines.findIndex(isRecord)
      const changed = (lines[at] ?? '').replace('"partial"', '"refused"')
      const leaf = createHash('sha256').update(Buffer.of(0)).update(changed).digest('hex')
      return lines
        .with(at, changed)
        .map((line) =>
          line.includes('"SealedLeaves"') && line.includes('"first":0')
            ? line.replace(/"hashes":\["[0-9a-f]{64}/, `"hashes":["${leaf}`)
            : line,
        )
    })
    expect(await faultOf(bent)).toMatch(
      /^Linha \d+: o selo 1 não é válido: algum registro desde o selo anterior não é o original/,
    )
    const shorter = rewrite(whole, (lines) => lines.slice(0, -2))
    expect(await faultOf(shorter)).toMatch(/faltam|depois do último selo/)
  })

  test('detects changed wording and recipients', async () => {
    const bend = (from: string, to: string) =>
      faultOf(rewrite(whole, (lines) => lines.map((line) => line.replace(from, to))))
    expect(await bend('Ação', 'Acao')).toMatch(/^Linha 3: o texto do aviso/)
    expect(await bend('Exemplo Ltda', 'Outra Ltda')).toMatch(/^Linha 4: os dados do controlador/)
    const without = rewrite(whole, (lines) => lines.filter((line) => !line.includes('"ConsentNotice"')))
    expect(await faultOf(without)).toMatch(/o arquivo não tem o texto do aviso usado no registro/)
  })

  test.each([
    ['nothing', ''],
    ['another JSON', '{"a":1}\n'],
    ['only a head', GRAPH_HEAD],
    ['nodes of no kind', rewrite(`${GRAPH_HEAD}{},\n{}\n${GRAPH_FOOT}`, () => ['{}'])],
    [
      'a head with nothing in it',
      rewrite(`${GRAPH_HEAD}{},\n{}\n${GRAPH_FOOT}`, () => [
        '{"@type":"EvidenceExport","before":{},"format":1}',
      ]),
    ],
    [
      'a seal with nothing in it',
      rewrite(`${GRAPH_HEAD}{},\n{}\n${GRAPH_FOOT}`, () => [
        '{"@type":"EvidenceExport","before":null,"format":1}',
        '{"@type":"ConsentSeal"}',
      ]),
    ],
  ])('rejects %s', async (_what, file) => {
    expect(await faultOf(file)).toMatch(/^Linha \d+: /)
  })

  test('reports erased records as erased, and still verifies the others', async () => {
    const [before] = await db
      .selectFrom('consent_records')
      .select(['id', 'created_at'])
      .orderBy('leaf_position')
      .execute()
    // Erases what is older than one second past noon: the records of the first minute, except the visitor's.
    await eraseRecords(db, { consentDays: 1 }, undefined, AT + 86_400_000 + 100)
    const file = await textOf(exportConsentProof(db, { site: SITE, from: null, to: null }))
    expect(await verify(file)).toMatchObject({ checkpointCount: 4, records: 19, erased: 3 })
    expect(file).not.toContain(before?.id)
    expect(file).toContain('"@type":"ErasedRecord","erased_at":"2026-11-17T12:00:00.100Z","position":0')
    expect(await verify(await textOf(await makeReceipt(db, SITE, visitor)))).toMatchObject({ records: 5 })
    const older = JSON.parse(whole)['@graph'].filter(
      (node: object) => node['@type' as never] === 'ConsentSeal',
    )
    const newer = JSON.parse(file)['@graph'].filter(
      (node: object) => node['@type' as never] === 'ConsentSeal',
    )
    expect(canonicalHash(newer)).toBe(canonicalHash(older))
    expect(await makeReceipt(db, SITE, randomUUID())).toBeNull()
  })
})
