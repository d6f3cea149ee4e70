import { EvidenceFault } from './evidence-fault.ts'
import { FILE_FORMAT } from './graph-node.ts'
import { type ReadNode, readGraph } from './read-graph.ts'
import type { Verified } from './verified.ts'
import { ExportVerifier } from './verify-export.ts'
import { ReceiptVerifier } from './verify-receipt.ts'

type Verifier = ExportVerifier | ReceiptVerifier

/** Checks an export or a receipt by itself, with no database; throws an `EvidenceFault` that says where it fails. */
export async function verifyGraph(chunks: AsyncIterable<Uint8Array>): Promise<Verified> {
  let verifier: Verifier | null = null
  let last = 1
  for await (const read of readGraph(chunks)) {
    last = read.line
    verifier = step(verifier, read)
  }
  if (verifier === null) throw new EvidenceFault(2, 'o arquivo está vazio.')
  return verifier.finish(last + 1)
}

function begin({ node, line }: ReadNode): Verifier {
  if ('format' in node && node.format !== FILE_FORMAT)
    throw new EvidenceFault(line, 'este formato é de outra versão do programa.')
  if (node['@type'] === 'EvidenceExport') return new ExportVerifier(node, line)
  if (node['@type'] === 'EvidenceReceipt') return new ReceiptVerifier(node)
  throw new EvidenceFault(line, 'não é uma exportação nem um comprovante.')
}

/** What is there may lack anything: a missing field is a fault of the line, and no failure of the program. */
function step(verifier: Verifier | null, read: ReadNode): Verifier {
  try {
    if (verifier === null) return begin(read)
    verifier.add(read)
    return verifier
  } catch (error) {
    if (error instanceof EvidenceFault) throw error
    throw new EvidenceFault(read.line, 'faltam campos neste item.')
  }
}
