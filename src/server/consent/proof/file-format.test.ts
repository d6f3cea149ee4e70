import jsonld from 'jsonld'
import { expect, test } from 'vitest'
import type { ConsentNotice, ConsentRecipients } from '#contract/consent.ts'
import { toRecord } from './canonical.ts'
import { FORMER_GRAPH_HEAD, GRAPH_HEAD, type GraphNode, writeGraph } from './file-format.ts'
import { verifyGraph } from './verify.ts'

const DPV = 'https://w3id.org/dpv#'
/** Terms of DPV 2.2 (https://w3id.org/dpv/2.2/dpv) that our files use. */
const DPV_CLASSES = [
  'ConsentGiven',
  'ConsentNotice',
  'ConsentRecord',
  'ConsentRefused',
  'Marketing',
  'Personalisation',
  'ServiceOptimisation',
]
const DPV_PROPERTIES = [
  'hasConsentControl',
  'hasConsentStatus',
  'hasContact',
  'hasCountry',
  'hasDataController',
  'hasDataSubject',
  'hasDuration',
  'hasIndicationMethod',
  'hasJurisdiction',
  'hasLegalBasis',
  'hasName',
  'hasNotice',
  'hasProcess',
  'hasPurpose',
  'hasRecipient',
  'isIndicatedAtTime',
]
const AT = '2026-11-16T12:00:00.000Z'
const HASH = 'ab'.repeat(32)

const RECORD = toRecord({
  id: '1d0e3a3c-7f55-4a0a-8d52-6a3b0f3a7c11',
  consent_id: '7b0e3a3c-7f55-4a0a-8d52-6a3b0f3a7c12',
  action: 'save',
  categories: ['marketing', 'desempenho'],
  text_version: 1,
  tag_set_version: 'v',
  created_at: AT,
  schema_version: 1,
  notice_hash: HASH,
  parties_hash: HASH,
  retention_days: 1826,
})
const NOTICE: ConsentNotice = {
  '@type': 'ConsentNotice',
  hash: HASH,
  version: 1,
  language: 'pt-BR',
  text: 'Cookies?',
  html: '<p>Cookies?</p>',
  first_served_at: AT,
}
const PARTIES: ConsentRecipients = {
  '@type': 'ConsentParties',
  hash: HASH,
  first_served_at: AT,
  content: {
    controller: {
      name: 'Exemplo Ltda',
      cnpj: null,
      contact: 'dpo@exemplo.com.br',
      site: 'https://exemplo.com.br',
    },
    tag_set_version: 'v',
    recipients: [
      {
        pixel: '2d0e3a3c-7f55-4a0a-8d52-6a3b0f3a7c13',
        type: 'meta',
        account: '123456789012345',
        category: 'marketing',
        told_by: 'both',
        vendors: [
          { id: 'meta-pixel', name: 'Meta Pixel', company: 'Meta', country: 'US', purpose: 'Mede anúncios.' },
        ],
        hosts: ['connect.facebook.net'],
      },
    ],
  },
}

async function fileOf(...nodes: GraphNode[]): Promise<string> {
  let text = ''
  for await (const piece of writeGraph(
    (async function* () {
      yield* nodes
    })(),
  ))
    text += piece
  return text
}

/** Expands with the `jsonld` library, which must neither fetch anything nor drop a term. */
async function expand(...nodes: GraphNode[]): Promise<Record<string, unknown>[]> {
  const options = {
    documentLoader: async (url: string) => {
      throw new Error(`the processor requested ${url}`)
    },
    safe: true,
  }
  const expanded: unknown = await jsonld.expand(JSON.parse(await fileOf(...nodes)), options)
  return expanded as Record<string, unknown>[]
}

/** All keys and all names used as values. */
function namesIn(value: unknown): { keys: string[]; names: string[] } {
  if (value === null || typeof value !== 'object') return { keys: [], names: [] }
  const parts = Object.entries(value).map(([key, inner]) => {
    const below = namesIn(inner)
    const own =
      key === '@id' ? [String(inner)] : key === '@type' && Array.isArray(inner) ? (inner as string[]) : []
    return { keys: Array.isArray(value) ? below.keys : [key, ...below.keys], names: [...own, ...below.names] }
  })
  return { keys: parts.flatMap(({ keys }) => keys), names: parts.flatMap(({ names }) => names) }
}

test('expands a record to terms of the Data Privacy Vocabulary', async () => {
  const [record] = await expand(RECORD)
  expect(record).toMatchObject({
    '@type': [`${DPV}ConsentRecord`],
    [`${DPV}isIndicatedAtTime`]: [{ '@type': 'http://www.w3.org/2001/XMLSchema#dateTime', '@value': AT }],
    [`${DPV}hasDataSubject`]: [{ '@value': RECORD.consent_id }],
    [`${DPV}hasNotice`]: [{ 'http://purl.org/dc/terms/hasVersion': [{ '@value': 1 }] }],
    [`${DPV}hasJurisdiction`]: [{ '@value': 'BR' }],
  })
  const processes = record?.[`${DPV}hasProcess`] as Record<string, { '@id': string }[]>[]
  expect(
    processes.map((one) => [
      one[`${DPV}hasPurpose`]?.[0]?.['@id'],
      one[`${DPV}hasConsentStatus`]?.[0]?.['@id'],
    ]),
  ).toEqual(
    expect.arrayContaining([
      [`${DPV}ServiceOptimisation`, `${DPV}ConsentGiven`],
      [`${DPV}Personalisation`, `${DPV}ConsentRefused`],
      [`${DPV}Marketing`, `${DPV}ConsentGiven`],
    ]),
  )
})

test('uses only terms that the vocabulary defines, properties as properties and classes as classes', async () => {
  const { keys, names } = namesIn(await expand(NOTICE, PARTIES, RECORD))
  const ofDpv = (all: string[]) =>
    [...new Set(all.filter((name) => name.startsWith(DPV)))].map((name) => name.slice(DPV.length))
  expect(ofDpv(keys).sort()).toEqual(DPV_PROPERTIES)
  expect(ofDpv(names).sort()).toEqual(DPV_CLASSES)
  // No sentence was read as a term.
  for (const name of names)
    expect(name).toMatch(/^(https:\/\/w3id\.org\/dpv#|urn:portico:evidence#)[A-Za-z]+$/)
})

test('still verifies a file with the former context', async () => {
  const nodes = (await fileOf()).slice(GRAPH_HEAD.length)
  expect(FORMER_GRAPH_HEAD).not.toBe(GRAPH_HEAD)
  const verify = (text: string) =>
    verifyGraph(
      (async function* () {
        yield Buffer.from(text)
      })(),
    )
  // Fails after its first line: the head of an export is missing, not the beginning of the file.
  await expect(verify(`${FORMER_GRAPH_HEAD}${nodes}`)).rejects.not.toThrow('não é um arquivo de provas')
  await expect(verify(`{"@context":{},"@graph":[\n${nodes}`)).rejects.toThrow('não é um arquivo de provas')
})
