import type { EvidenceSeal } from '#contract/consent.ts'
import { sealHash } from '../seal-hash.ts'
import { GrowingTree } from '../tree/growing-tree.ts'
import { hashLeaf } from '../tree/tree-hash.ts'
import { EvidenceFault } from './evidence-fault.ts'
import type { ExportHead, SealedLeaves } from './graph-node.ts'
import { KnownPremises } from './known-premises.ts'
import type { ReadNode } from './read-graph.ts'
import type { Verified } from './verified.ts'

/** Adds up the leaves of an export, and compares each seal with what they add up to. */
export class ExportVerifier {
  readonly #site: string
  readonly #premises = new KnownPremises()
  readonly #tree: GrowingTree
  #last: EvidenceSeal | null
  /** Leaves that must follow, and how many of them did. */
  #expected: readonly string[] = []
  #met = 0
  #seals = 0
  #records = 0
  #erased = 0

  constructor(head: ExportHead, line: number) {
    this.#site = head.site
    this.#last = head.before?.seal ?? null
    try {
      this.#tree = new GrowingTree(head.before?.seal.tree_size ?? 0, head.before?.subtrees ?? [])
    } catch {
      throw new EvidenceFault(line, 'o estado da árvore antes deste período não confere.')
    }
    if (this.#last !== null) {
      const { hash, root } = this.#last
      if (sealHash(this.#last) !== hash || this.#tree.root !== root)
        throw new EvidenceFault(line, 'o selo anterior a este período não confere.')
    }
  }

  add(read: ReadNode): void {
    if (this.#premises.take(read)) return
    const { node, line } = read
    switch (node['@type']) {
      case 'SealedLeaves':
        this.#expect(node, line)
        break
      case 'ConsentRecord':
        this.#premises.check(node, line)
        this.#addLeaf(hashLeaf(read.bytes), line)
        this.#records++
        break
      case 'ErasedRecord':
        this.#addErased(node.position, line)
        this.#erased++
        break
      case 'ConsentSeal':
        this.#addSeal(node, line)
        break
      default:
        throw new EvidenceFault(line, `"${node['@type']}" não tem lugar em uma exportação.`)
    }
  }

  finish(line: number): Verified {
    if (this.#seals > 0 && this.#tree.size !== this.#last?.tree_size)
      throw new EvidenceFault(line, 'há registros depois do último selo.')
    this.#refuseMissing(line)
    return {
      site: this.#site,
      seals: this.#seals === 0 || this.#last === null ? [] : [this.#last],
      sealCount: this.#seals,
      records: this.#records,
      erased: this.#erased,
      waiting: 0,
    }
  }

  #expect({ first, hashes }: SealedLeaves, line: number): void {
    this.#refuseMissing(line)
    if (first !== this.#tree.size)
      throw new EvidenceFault(
        line,
        `aqui deveriam começar as folhas da posição ${this.#tree.size}, e começam as da ${first}.`,
      )
    this.#expected = [...hashes]
    this.#met = 0
  }

  #addErased(position: number, line: number): void {
    if (position !== this.#tree.size)
      throw new EvidenceFault(
        line,
        `o registro apagado é o da posição ${position}, e aqui é a ${this.#tree.size}.`,
      )
    const hash = this.#expected[this.#met]
    if (hash === undefined)
      throw new EvidenceFault(line, `não há folha para o registro apagado da posição ${position}.`)
    this.#addLeaf(hash, line)
  }

  #addLeaf(hash: string, line: number): void {
    if (this.#expected[this.#met] !== hash)
      throw new EvidenceFault(
        line,
        `este não é o registro que foi selado na posição ${this.#tree.size}: algo nele foi alterado, ou um registro foi removido, acrescentado ou trocado de lugar.`,
      )
    this.#met++
    this.#tree.add(hash)
  }

  #addSeal(seal: EvidenceSeal, line: number): void {
    this.#refuseMissing(line)
    const { sequence } = seal
    const fail = (reason: string) => new EvidenceFault(line, `o selo ${sequence} não confere: ${reason}`)
    const before = this.#last
    if (sequence !== (before?.sequence ?? 0) + 1)
      throw fail(`depois do selo ${before?.sequence ?? 0} deveria vir o ${(before?.sequence ?? 0) + 1}.`)
    if (sealHash(seal) !== seal.hash) throw fail('o que ele diz foi alterado.')
    if (seal.previous_hash !== (before?.hash ?? null)) throw fail('ele não continua o selo anterior.')
    if (seal.tree_size !== this.#tree.size || seal.leaf_count !== this.#tree.size - (before?.tree_size ?? 0))
      throw fail(
        `ele cobre ${seal.leaf_count} registros, e desde o anterior há ${this.#tree.size - (before?.tree_size ?? 0)}.`,
      )
    if (seal.root !== this.#tree.root)
      throw fail(
        'a raiz dos registros acima é outra: um deles, desde o selo anterior, não é o que foi selado.',
      )
    if (before !== null && seal.sealed_at < before.sealed_at) throw fail('ele é mais antigo que o anterior.')
    this.#last = seal
    this.#seals++
  }

  #refuseMissing(line: number): void {
    const missing = this.#expected.length - this.#met
    if (missing > 0)
      throw new EvidenceFault(line, `faltam ${missing} registros a partir da posição ${this.#tree.size}.`)
  }
}
