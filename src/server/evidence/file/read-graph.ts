import { createHash } from 'node:crypto'
import { canonicalJson } from '../canonical.ts'
import { EvidenceFault } from './evidence-fault.ts'
import { FORMER_GRAPH_HEAD, GRAPH_FOOT, GRAPH_HEAD } from './graph-context.ts'
import type { GraphEnd, GraphNode } from './graph-node.ts'

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
