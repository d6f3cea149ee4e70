import type { EvidenceRecord, EvidenceSeal } from '#contract/consent.ts'
import { consentCode } from '#contract/consent-code.ts'
import { sealHash } from '../seal-hash.ts'
import { hashLeaf } from '../tree/tree-hash.ts'
import { rootOfInclusion } from '../tree/verify-inclusion.ts'
import { EvidenceFault } from './evidence-fault.ts'
import type { InclusionProof, ReceiptHead } from './graph-node.ts'
import { KnownPremises } from './known-premises.ts'
import type { ReadNode } from './read-graph.ts'
import type { Verified } from './verified.ts'

/** Follows the proof of each record to the root of its seal. */
export class ReceiptVerifier {
  readonly #head: ReceiptHead
  readonly #premises = new KnownPremises()
  readonly #seals = new Map<number, EvidenceSeal>()
  #pending: { record: EvidenceRecord; leaf: string } | null = null
  #records = 0
  #waiting = 0

  constructor(head: ReceiptHead) {
    this.#head = head
  }

  add(read: ReadNode): void {
    const pending = this.#pending
    this.#pending = null
    if (pending === null) this.#take(read)
    else this.#settle(pending.record, pending.leaf, read)
  }

  finish(line: number): Verified {
    if (this.#pending !== null) throw new EvidenceFault(line, 'falta a prova do último registro.')
    return {
      site: this.#head.site,
      seals: [...this.#seals.values()],
      sealCount: this.#seals.size,
      records: this.#records,
      erased: 0,
      waiting: this.#waiting,
    }
  }

  #take(read: ReadNode): void {
    if (this.#premises.take(read)) return
    const { node, bytes, line } = read
    switch (node['@type']) {
      case 'ConsentSeal':
        if (sealHash(node) !== node.hash)
          throw new EvidenceFault(line, `o que o selo ${node.sequence} diz foi alterado.`)
        this.#seals.set(node.sequence, node)
        break
      case 'ConsentRecord':
        this.#premises.check(node, line)
        if (consentCode(node.consent_id) !== this.#head.code)
          throw new EvidenceFault(line, `o registro ${node.record_id} é de outro código.`)
        this.#pending = { record: node, leaf: hashLeaf(bytes) }
        break
      default:
        throw new EvidenceFault(line, `"${node['@type']}" não tem lugar em um comprovante.`)
    }
  }

  #settle({ record_id }: EvidenceRecord, leaf: string, { node, line }: ReadNode): void {
    if (node['@type'] === 'NotSealedYet' && node.record_id === record_id) {
      this.#waiting++
      this.#records++
      return
    }
    if (node['@type'] !== 'InclusionProof' || node.record_id !== record_id)
      throw new EvidenceFault(line, `aqui deveria estar a prova do registro ${record_id}.`)
    this.#follow(node, leaf, line)
    this.#records++
  }

  #follow({ record_id, position, seal: sequence, hashes }: InclusionProof, leaf: string, line: number): void {
    const seal = this.#seals.get(sequence)
    if (seal === undefined) throw new EvidenceFault(line, `o selo ${sequence} não está no arquivo.`)
    const size = seal.tree_size
    if (rootOfInclusion({ leaf, position, size, hashes }) !== seal.root)
      throw new EvidenceFault(line, `o registro ${record_id} não é o que o selo ${sequence} cobre.`)
  }
}
