import { createHash } from 'node:crypto'
import type { Checkpoint, ConsentNotice, ConsentProofRecord, ConsentRecipients } from '#contract/consent.ts'
import { OperatorError } from '#server/operator-error.ts'
import { canonicalJson } from './canonical.ts'

/** Writes a file in chunks: one node per line, and the hash of everything before as the last line. */
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

/** A node with its bytes and its line number. */
export interface ReadNode {
  node: GraphNode
  bytes: Buffer
  line: number
}

/** Far above the longest line of an export: a list of 500 hashes, or the HTML of a notice. */
const MAX_LINE_BYTES = 4_000_000

const NEW_LINE = 0x0a

const COMMA = 0x2c

/** Reads the nodes of a file; throws an `EvidenceFault` at the first line that is not canonical. */
export async function* readGraph(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ReadNode> {
  const hash = createHash('sha256')
  let line = 0
  let count = 0
  let ended = 0
  for await (const bytes of linesOf(chunks)) {
    line++
    if (line === 1) {
      if (![GRAPH_HEAD, FORMER_GRAPH_HEAD].includes(bytes.toString()))
        throw new ProofFault(line, 'este não é um arquivo de provas de consentimento, ou é de outro formato.')
      hash.update(bytes)
      continue
    }
    if (ended > 0) {
      if (ended === line - 1 && bytes.equals(Buffer.from(GRAPH_FOOT))) continue
      throw new ProofFault(line, 'há conteúdo depois do fim do arquivo.')
    }
    const isLast = bytes.at(-2) !== COMMA
    const body = bytes.subarray(0, isLast ? -1 : -2)
    const node = parse(body, line)
    if (node['@type'] === 'EvidenceEnd') {
      if (!isLast || canonicalJson(node) !== canonicalJson(endOf(count, hash.digest('hex'))))
        throw new ProofFault(
          line,
          'o arquivo foi alterado acima desta linha: o resumo final não corresponde.',
        )
      ended = line
      continue
    }
    if (isLast) throw new ProofFault(line, 'falta a vírgula depois deste item.')
    hash.update(bytes)
    count++
    yield { node: node as GraphNode, bytes: body, line }
  }
  if (ended === 0 || line === ended) throw new ProofFault(line + 1, 'o arquivo está incompleto.')
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
    // Reported below.
  }
  throw new ProofFault(line, 'esta linha foi alterada: não está em JSON canônico (RFC 8785).')
}

/** Lines with their line breaks. Text after the last break is a line without one. */
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
    // Copied, because the reader may reuse the chunk.
    if (from < bytes.length) rest.push(Buffer.from(bytes.subarray(from)))
    length += bytes.length - from
    if (length > MAX_LINE_BYTES) throw new ProofFault(1, 'uma linha é longa demais para este formato.')
  }
  if (rest.length > 0) yield Buffer.concat(rest)
}

/**
 * JSON-LD 1.1 context: terms of the W3C Data Privacy Vocabulary where it has one (see its guide on ISO/IEC TS 27560,
 * https://w3id.org/dpv/guides/consent-27560), else terms of our own.
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
  // The purpose of a vendor is a sentence, not a term.
  vendors: {
    '@id': 'urn:portico:evidence#vendors',
    '@container': '@set',
    '@context': { purpose: 'dct:description' },
  },
  version: 'dct:hasVersion',
  withdrawal: 'dpv:hasConsentControl',
}

const headOf = (context: object) => `{"@context":${canonicalJson(context)},"@graph":[\n`

/** A file is one JSON-LD document with one node per line, so that it can be read line by line. */
export const GRAPH_HEAD = headOf(CONTEXT)

/** Files from before `vendors` had its own context: they still verify. */
const { vendors: _vendors, ...FORMER_CONTEXT } = CONTEXT

export const FORMER_GRAPH_HEAD = headOf(FORMER_CONTEXT)

export const GRAPH_FOOT = ']}\n'

export const FILE_FORMAT = 1

/** First line of an export: whole checkpoints with all their leaves. */
export interface ExportHead {
  '@type': 'EvidenceExport'
  format: number
  site: string
  made_at: string
  /** The requested period. Checkpoints are exported whole, so records around it may be included. */
  from: string | null
  to: string | null
  /** The checkpoint before the first one, with the subtrees of its root; null if there is none. */
  before: { seal: Checkpoint; subtrees: string[] } | null
}

/** First line of a receipt: some records, each with its path to the root of a checkpoint. */
export interface ReceiptHead {
  '@type': 'EvidenceReceipt'
  format: number
  site: string
  made_at: string
  code: string
}

/** Hashes of the leaves that follow, so that a changed record can be named. */
export interface CheckpointLeaves {
  '@type': 'SealedLeaves'
  first: number
  hashes: string[]
}

/** In place of a record that retention erased. */
interface ErasedRecord {
  '@type': 'ErasedRecord'
  position: number
  erased_at: string | null
}

/** Proof of the record on the line before. */
export interface InclusionProof {
  '@type': 'InclusionProof'
  record_id: string
  position: number
  /** Number of a checkpoint earlier in the file. */
  seal: number
  hashes: string[]
}

/** Follows a record of the last minute. */
interface NoCheckpointYet {
  '@type': 'NotSealedYet'
  record_id: string
}

/** Last line: the hash of everything before it. */
interface GraphEnd {
  '@type': 'EvidenceEnd'
  nodes: number
  sha256: string
}

export type GraphNode =
  | ExportHead
  | ReceiptHead
  | ConsentNotice
  | ConsentRecipients
  | ConsentProofRecord
  | CheckpointLeaves
  | ErasedRecord
  | InclusionProof
  | NoCheckpointYet
  | Checkpoint

/**
 * Characters that end the line, move the cursor or change the text direction. Removed when a foreign file is quoted.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const inEscapes = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** Why a file does not verify and on which line, in Portuguese. */
export class ProofFault extends OperatorError {
  override readonly name = 'EvidenceFault'

  constructor(line: number, reason: string) {
    super(`Linha ${line}: ${reason.replace(UNSEEN, inEscapes)}`)
  }
}
