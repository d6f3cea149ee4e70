import { createHash } from 'node:crypto'
import type { Checkpoint, ConsentRecipients, EvidenceNotice, EvidenceRecord } from '#contract/consent.ts'
import { OperatorError } from '#server/operator-error.ts'
import { canonicalJson } from './canonical.ts'

/** A file, piece by piece: a node on each line, and the hash of everything above as the last of them. */
export async function* writeGraph(nodes: AsyncIterable<GraphNode>): AsyncGenerator<string> {
  const hash = createHash('sha256').update(GRAPH_HEAD)
  let count = 0
  yield GRAPH_HEAD
  for await (const node of nodes) {
    const line = `${canonicalJson(node)},\n`
    hash.update(line)
    count++
    yield line
  }
  const end: GraphEnd = { '@type': 'EvidenceEnd', nodes: count, sha256: hash.digest('hex') }
  yield `${canonicalJson(end)}\n${GRAPH_FOOT}`
}

/** A node, the bytes that it was written with, and where it stands. */
export interface ReadNode {
  node: GraphNode
  bytes: Buffer
  line: number
}

/** An export's longest line, a list of 500 hashes or the HTML of a notice, is far below. */
const MAX_LINE_BYTES = 4_000_000

const NEW_LINE = 0x0a

const COMMA = 0x2c

/** The nodes of a file, each in the one spelling that it can have; throws an `EvidenceFault` at the first byte that is not. */
export async function* readGraph(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadNode> {
  const hash = createHash('sha256')
  let line = 0
  let count = 0
  let ended = 0
  for await (const bytes of linesOf(chunks)) {
    line++
    if (line === 1) {
      if (![GRAPH_HEAD, FORMER_GRAPH_HEAD].includes(bytes.toString()))
        throw new EvidenceFault(line, 'não é o começo de um arquivo de evidências deste formato.')
      hash.update(bytes)
      continue
    }
    if (ended > 0) {
      if (ended === line - 1 && bytes.equals(Buffer.from(GRAPH_FOOT))) continue
      throw new EvidenceFault(line, 'há algo depois do fim.')
    }
    const isLast = bytes.at(-2) !== COMMA
    const body = bytes.subarray(0, isLast ? -1 : -2)
    const node = parse(body, line)
    if (node['@type'] === 'EvidenceEnd') {
      if (!isLast || canonicalJson(node) !== canonicalJson(endOf(count, hash.digest('hex'))))
        throw new EvidenceFault(line, 'o resumo do arquivo não confere: algo acima foi alterado.')
      ended = line
      continue
    }
    if (isLast) throw new EvidenceFault(line, 'falta a vírgula depois deste item.')
    hash.update(bytes)
    count++
    yield { node: node as GraphNode, bytes: body, line }
  }
  if (ended === 0 || line === ended) throw new EvidenceFault(line + 1, 'o arquivo está incompleto.')
}

function endOf(nodes: number, sha256: string): GraphEnd {
  return { '@type': 'EvidenceEnd', nodes, sha256 }
}

function parse(body: Buffer, line: number): { '@type'?: unknown } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    const node = JSON.parse(text)
    if (node !== null && typeof node === 'object' && canonicalJson(node) === text) return node
  } catch {
    // Said below.
  }
  throw new EvidenceFault(line, 'não é JSON na forma canônica (RFC 8785): foi alterada.')
}

/** Each with its line break. What follows the last break is a line without one. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    let from = 0
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    for (let at = bytes.indexOf(NEW_LINE); at >= 0; at = bytes.indexOf(NEW_LINE, from)) {
      yield Buffer.concat([...rest, bytes.subarray(from, at + 1)])
      rest = []
      length = 0
      from = at + 1
    }
    // The chunk may be used again by who reads.
    if (from < bytes.length) rest.push(Buffer.from(bytes.subarray(from)))
    length += bytes.length - from
    if (length > MAX_LINE_BYTES) throw new EvidenceFault(1, 'uma linha é longa demais para este formato.')
  }
  if (rest.length > 0) yield Buffer.concat(rest)
}

/**
 * What the names in a file mean, in terms of the W3C Data Privacy Vocabulary where it has one (JSON-LD 1.1; the guide on
 * ISO/IEC TS 27560 at https://w3id.org/dpv/guides/consent-27560). What it has no term for is named in our own vocabulary.
 */
const CONTEXT = {
  '@version': 1.1,
  '@vocab': 'urn:portico:evidence#',
  dct: 'http://purl.org/dc/terms/',
  dpv: 'https://w3id.org/dpv#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  ConsentNotice: 'dpv:ConsentNotice',
  ConsentRecord: 'dpv:ConsentRecord',
  accepted: 'dpv:ConsentGiven',
  consent_id: 'dpv:hasDataSubject',
  contact: 'dpv:hasContact',
  controller: 'dpv:hasDataController',
  country: 'dpv:hasCountry',
  desempenho: 'dpv:ServiceOptimisation',
  event: 'dpv:hasIndicationMethod',
  first_served_at: { '@id': 'dct:issued', '@type': 'xsd:dateTime' },
  funcionalidade: 'dpv:Personalisation',
  given: 'dpv:ConsentGiven',
  jurisdiction: 'dpv:hasJurisdiction',
  language: 'dct:language',
  legal_basis: 'dpv:hasLegalBasis',
  marketing: 'dpv:Marketing',
  name: 'dpv:hasName',
  notice: 'dpv:hasNotice',
  parties: 'dct:requires',
  purpose: { '@id': 'dpv:hasPurpose', '@type': '@vocab' },
  purposes: { '@id': 'dpv:hasProcess', '@container': '@set' },
  recipients: { '@id': 'dpv:hasRecipient', '@container': '@set' },
  record_id: 'dct:identifier',
  recorded_at: { '@id': 'dpv:isIndicatedAtTime', '@type': 'xsd:dateTime' },
  refused: 'dpv:ConsentRefused',
  retention_days: 'dpv:hasDuration',
  schema_version: 'dct:conformsTo',
  status: { '@id': 'dpv:hasConsentStatus', '@type': '@vocab' },
  // What a vendor's purpose is told in is a sentence, and no term.
  vendors: {
    '@id': 'urn:portico:evidence#vendors',
    '@container': '@set',
    '@context': { purpose: 'dct:description' },
  },
  version: 'dct:hasVersion',
  withdrawal: 'dpv:hasConsentControl',
}

const headOf = (context: object) => `{"@context":${canonicalJson(context)},"@graph":[\n`

/** A file is one JSON-LD document whose graph has one node on each line, so that it can be read line by line. */
export const GRAPH_HEAD = headOf(CONTEXT)

/** Of files that were written before `vendors` had a context of its own: what they prove is the same. */
const { vendors: _vendors, ...FORMER_CONTEXT } = CONTEXT

export const FORMER_GRAPH_HEAD = headOf(FORMER_CONTEXT)

export const GRAPH_FOOT = ']}\n'

export const FILE_FORMAT = 1

/** First line of an export: whole seals, from one to another, with every leaf that came in them. */
export interface ExportHead {
  '@type': 'EvidenceExport'
  format: number
  site: string
  made_at: string
  /** What was asked for; seals are exported whole, so that records around it may be there too. */
  from: string | null
  to: string | null
  /** The seal before the first of these, and the subtrees that its root is made of; null when there is none before. */
  before: { seal: Checkpoint; subtrees: string[] } | null
}

/** First line of a receipt: some records, each with the way to the root of its seal. */
export interface ReceiptHead {
  '@type': 'EvidenceReceipt'
  format: number
  site: string
  made_at: string
  code: string
}

/** Hashes of the leaves that follow, so that it can be said which of them is not what it was. */
export interface CheckpointLeaves {
  '@type': 'SealedLeaves'
  first: number
  hashes: string[]
}

/** In the place of a record whose time is over. */
interface ErasedRecord {
  '@type': 'ErasedRecord'
  position: number
  erased_at: string | null
}

/** Of the record on the line before. */
export interface InclusionProof {
  '@type': 'InclusionProof'
  record_id: string
  position: number
  /** Number of a seal that stands further up. */
  seal: number
  hashes: string[]
}

/** After a record that came less than about a minute ago. */
interface NoCheckpointYet {
  '@type': 'NotSealedYet'
  record_id: string
}

/** Last line: of everything above it. */
interface GraphEnd {
  '@type': 'EvidenceEnd'
  nodes: number
  sha256: string
}

export type GraphNode =
  | ExportHead
  | ReceiptHead
  | EvidenceNotice
  | ConsentRecipients
  | EvidenceRecord
  | CheckpointLeaves
  | ErasedRecord
  | InclusionProof
  | NoCheckpointYet
  | Checkpoint

/** What would end the line, move the cursor or turn the text round, where a stranger's file is quoted. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const inEscapes = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** Why a file proves nothing, and on which line, in Portuguese. */
export class EvidenceFault extends OperatorError {
  override readonly name = 'EvidenceFault'

  constructor(line: number, reason: string) {
    super(`Linha ${line}: ${reason.replace(UNSEEN, inEscapes)}`)
  }
}
