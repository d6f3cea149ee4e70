import { createHash } from 'node:crypto'
import { canonicalJson } from '../canonical.ts'
import { GRAPH_FOOT, GRAPH_HEAD } from './graph-context.ts'
import type { GraphEnd, GraphNode } from './graph-node.ts'

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
