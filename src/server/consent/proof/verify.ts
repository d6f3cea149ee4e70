import { readFile } from 'node:fs/promises'
import {
  type Checkpoint,
  type CheckpointPage,
  type ConsentRecipients,
  type EvidenceNotice,
  type EvidenceRecord,
  SEALS_PATH,
} from '#contract/consent.ts'
import { OperatorError } from '#server/operator-error.ts'
import { consentCode } from '../records.ts'
import { canonicalHash, checkpointHash } from './canonical.ts'
import {
  type CheckpointLeaves,
  EvidenceFault,
  type ExportHead,
  FILE_FORMAT,
  type InclusionProof,
  type ReadNode,
  type ReceiptHead,
  readGraph,
} from './file-format.ts'
import { GrowingTree, hashLeaf, rootOfInclusion } from './merkle-tree.ts'

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

/** The words and the parties that stood further up in a file. */
class KnownNotices {
  readonly #notices = new Map<string, number>()
  readonly #parties = new Map<string, string>()

  /** Takes a node that is one of them, and says whether it was. */
  take({ node, line }: Pick<ReadNode, 'node' | 'line'>): boolean {
    if (node['@type'] === 'ConsentNotice') this.#addNotice(node, line)
    else if (node['@type'] === 'ConsentParties') this.#addParties(node, line)
    else return false
    return true
  }

  #addNotice({ hash, version, language, text, html }: EvidenceNotice, line: number): void {
    if (canonicalHash({ version, language, text, html }) !== hash)
      throw new EvidenceFault(line, 'o texto do aviso não é o que a sua soma diz: foi alterado.')
    this.#notices.set(hash, version)
  }

  #addParties({ hash, content }: ConsentRecipients, line: number): void {
    if (canonicalHash(content) !== hash)
      throw new EvidenceFault(line, 'as partes (controlador e destinatários) foram alteradas.')
    this.#parties.set(hash, content.tag_set_version)
  }

  /** What a record names must be there, and be what it says. */
  check({ record_id, notice, parties }: EvidenceRecord, line: number): void {
    if (notice.hash && this.#notices.get(notice.hash) !== notice.version)
      throw new EvidenceFault(line, `o aviso que o registro ${record_id} cita não está no arquivo.`)
    if (parties.hash && this.#parties.get(parties.hash) !== parties.tag_set_version)
      throw new EvidenceFault(line, `as partes que o registro ${record_id} cita não estão no arquivo.`)
  }
}

/** Adds up the leaves of an export, and compares each seal with what they add up to. */
class ExportVerifier {
  readonly #site: string
  readonly #premises = new KnownNotices()
  readonly #tree: GrowingTree
  #last: Checkpoint | null
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
      if (checkpointHash(this.#last) !== hash || this.#tree.root !== root)
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

  #expect({ first, hashes }: CheckpointLeaves, line: number): void {
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

  #addSeal(seal: Checkpoint, line: number): void {
    this.#refuseMissing(line)
    const { sequence } = seal
    const fail = (reason: string) => new EvidenceFault(line, `o selo ${sequence} não confere: ${reason}`)
    const before = this.#last
    if (sequence !== (before?.sequence ?? 0) + 1)
      throw fail(`depois do selo ${before?.sequence ?? 0} deveria vir o ${(before?.sequence ?? 0) + 1}.`)
    if (checkpointHash(seal) !== seal.hash) throw fail('o que ele diz foi alterado.')
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

/** Follows the proof of each record to the root of its seal. */
class ReceiptVerifier {
  readonly #head: ReceiptHead
  readonly #premises = new KnownNotices()
  readonly #seals = new Map<number, Checkpoint>()
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
        if (checkpointHash(node) !== node.hash)
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

/** What a file proves. */
export interface Verified {
  site: string
  /** To compare with those that are public: the last of an export stands for all before it. */
  seals: Checkpoint[]
  sealCount: number
  records: number
  erased: number
  /** Records that no seal covers yet. */
  waiting: number
}

const TIME_LIMIT_MS = 20_000

/** A seal as it was published: at the address of a site, or in a page of its seals that somebody kept. */
export async function readPublicCheckpoint(place: string, sequence: number): Promise<Checkpoint | null> {
  const { seals } = await read(place, sequence)
  if (!Array.isArray(seals)) throw unreadable(place, 'não é uma página de selos')
  return seals.find((seal) => seal.sequence === sequence) ?? null
}

async function read(place: string, sequence: number): Promise<Partial<CheckpointPage>> {
  try {
    return /^https?:\/\//.test(place) ? await ask(place, sequence) : await readKept(place)
  } catch (error) {
    const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException }
    throw unreadable(place, cause?.code ?? message)
  }
}

function unreadable(place: string, reason: string): OperatorError {
  return new OperatorError(
    `Os selos publicados não puderam ser lidos em ${place} (${reason}). Diga o endereço do site, como https://www.exemplo.com.br, ou um arquivo com os selos.`,
  )
}

async function ask(site: string, sequence: number): Promise<CheckpointPage> {
  const address = new URL(`${SEALS_PATH}?before=${sequence + 1}`, site)
  const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(TIME_LIMIT_MS) })
  if (!answer.ok) throw new Error(`${address} respondeu ${answer.status}`)
  return (await answer.json()) as CheckpointPage
}

async function readKept(file: string): Promise<CheckpointPage> {
  return JSON.parse(await readFile(file, 'utf8'))
}
