import { readFile } from 'node:fs/promises'
import {
  CHECKPOINTS_PATH,
  type Checkpoint,
  type CheckpointPage,
  type ConsentNotice,
  type ConsentProofRecord,
  type ConsentRecipients,
} from '#contract/consent.ts'
import { formatCount } from '#contract/format-count.ts'
import { OperatorError } from '#server/operator-error.ts'
import { consentCode } from '../records.ts'
import { canonicalHash, checkpointHash } from './canonical.ts'
import {
  type CheckpointLeaves,
  type ExportHead,
  FILE_FORMAT,
  type InclusionProof,
  ProofFault,
  type ReadNode,
  type ReceiptHead,
  readGraph,
} from './file-format.ts'
import { GrowingTree, hashLeaf, rootOfInclusion } from './merkle-tree.ts'

type Verifier = ExportVerifier | ReceiptVerifier

/** Verifies an export or a receipt without a database; throws an `EvidenceFault` with the line. */
export async function verifyGraph(chunks: AsyncIterable<Uint8Array>): Promise<Verified> {
  let verifier: Verifier | null = null
  let last = 1
  for await (const read of readGraph(chunks)) {
    last = read.line
    verifier = step(verifier, read)
  }
  if (verifier === null) throw new ProofFault(2, 'o arquivo está vazio.')
  return verifier.finish(last + 1)
}

function begin({ node, line }: ReadNode): Verifier {
  if ('format' in node && node.format !== FILE_FORMAT)
    throw new ProofFault(line, 'o arquivo é de outra versão do Pórtico.')
  if (node['@type'] === 'EvidenceExport') return new ExportVerifier(node, line)
  if (node['@type'] === 'EvidenceReceipt') return new ReceiptVerifier(node)
  throw new ProofFault(line, 'não é uma exportação nem um comprovante.')
}

/** A file may lack any field: that is a fault of the line, not of the program. */
function step(verifier: Verifier | null, read: ReadNode): Verifier {
  try {
    if (verifier === null) return begin(read)
    verifier.add(read)
    return verifier
  } catch (error) {
    if (error instanceof ProofFault) throw error
    throw new ProofFault(read.line, 'faltam campos neste item.')
  }
}

/** The notices and recipients read so far. */
class KnownNotices {
  readonly #notices = new Map<string, number>()
  readonly #recipients = new Map<string, string>()

  /** Stores the node if it is one of them; returns whether it was. */
  take({ node, line }: Pick<ReadNode, 'node' | 'line'>): boolean {
    if (node['@type'] === 'ConsentNotice') this.#addNotice(node, line)
    else if (node['@type'] === 'ConsentParties') this.#addRecipients(node, line)
    else return false
    return true
  }

  #addNotice({ hash, version, language, text, html }: ConsentNotice, line: number): void {
    if (canonicalHash({ version, language, text, html }) !== hash)
      throw new ProofFault(line, 'o texto do aviso foi alterado: não corresponde à impressão digital.')
    this.#notices.set(hash, version)
  }

  #addRecipients({ hash, content }: ConsentRecipients, line: number): void {
    if (canonicalHash(content) !== hash)
      throw new ProofFault(line, 'os dados do controlador ou dos destinatários foram alterados.')
    this.#recipients.set(hash, content.tag_set_version)
  }

  /** What a record refers to must have been read, and must match its hash. */
  check({ record_id, notice, parties }: ConsentProofRecord, line: number): void {
    if (notice.hash && this.#notices.get(notice.hash) !== notice.version)
      throw new ProofFault(line, `o arquivo não tem o texto do aviso usado no registro ${record_id}.`)
    if (parties.hash && this.#recipients.get(parties.hash) !== parties.tag_set_version)
      throw new ProofFault(
        line,
        `o arquivo não tem os dados do controlador e dos destinatários do registro ${record_id}.`,
      )
  }
}

/** Adds the leaves of an export and compares the root with each checkpoint. */
class ExportVerifier {
  readonly #site: string
  readonly #notices = new KnownNotices()
  readonly #tree: GrowingTree
  #last: Checkpoint | null
  /** Hashes of the leaves that must follow, and how many did. */
  #expected: readonly string[] = []
  #met = 0
  #checkpoints = 0
  #records = 0
  #erased = 0

  constructor(head: ExportHead, line: number) {
    this.#site = head.site
    this.#last = head.before?.seal ?? null
    try {
      this.#tree = new GrowingTree(head.before?.seal.tree_size ?? 0, head.before?.subtrees ?? [])
    } catch {
      throw new ProofFault(line, 'os registros anteriores ao período não correspondem ao primeiro selo.')
    }
    if (this.#last !== null) {
      const { hash, root } = this.#last
      if (checkpointHash(this.#last) !== hash || this.#tree.root !== root)
        throw new ProofFault(line, 'o selo anterior ao período não corresponde.')
    }
  }

  add(read: ReadNode): void {
    if (this.#notices.take(read)) return
    const { node, line } = read
    switch (node['@type']) {
      case 'SealedLeaves':
        this.#expect(node, line)
        break
      case 'ConsentRecord':
        this.#notices.check(node, line)
        this.#addLeaf(hashLeaf(read.bytes), line)
        this.#records++
        break
      case 'ErasedRecord':
        this.#addErased(node.position, line)
        this.#erased++
        break
      case 'ConsentSeal':
        this.#addCheckpoint(node, line)
        break
      default:
        throw new ProofFault(line, `item inesperado em uma exportação: "${node['@type']}".`)
    }
  }

  finish(line: number): Verified {
    if (this.#checkpoints > 0 && this.#tree.size !== this.#last?.tree_size)
      throw new ProofFault(line, 'há registros depois do último selo.')
    this.#refuseMissing(line)
    return {
      site: this.#site,
      seals: this.#checkpoints === 0 || this.#last === null ? [] : [this.#last],
      checkpointCount: this.#checkpoints,
      records: this.#records,
      erased: this.#erased,
      waiting: 0,
    }
  }

  #expect({ first, hashes }: CheckpointLeaves, line: number): void {
    this.#refuseMissing(line)
    if (first !== this.#tree.size)
      throw new ProofFault(
        line,
        `faltam ou sobram registros: a posição esperada é ${this.#tree.size}, e o arquivo traz ${first}.`,
      )
    this.#expected = [...hashes]
    this.#met = 0
  }

  #addErased(position: number, line: number): void {
    if (position !== this.#tree.size)
      throw new ProofFault(
        line,
        `o registro apagado está na posição ${position}, e a esperada é ${this.#tree.size}.`,
      )
    const hash = this.#expected[this.#met]
    if (hash === undefined)
      throw new ProofFault(line, `falta a prova do registro apagado na posição ${position}.`)
    this.#addLeaf(hash, line)
  }

  #addLeaf(hash: string, line: number): void {
    if (this.#expected[this.#met] !== hash)
      throw new ProofFault(
        line,
        `o registro da posição ${this.#tree.size} não é o original: foi alterado, ou algum registro foi removido, incluído ou trocado de lugar.`,
      )
    this.#met++
    this.#tree.add(hash)
  }

  #addCheckpoint(checkpoint: Checkpoint, line: number): void {
    this.#refuseMissing(line)
    const { sequence } = checkpoint
    const fail = (reason: string) => new ProofFault(line, `o selo ${sequence} não é válido: ${reason}`)
    const before = this.#last
    if (sequence !== (before?.sequence ?? 0) + 1)
      throw fail(`depois do selo ${before?.sequence ?? 0} deveria vir o ${(before?.sequence ?? 0) + 1}.`)
    if (checkpointHash(checkpoint) !== checkpoint.hash) throw fail('o conteúdo dele foi alterado.')
    if (checkpoint.previous_hash !== (before?.hash ?? null)) throw fail('ele não continua o selo anterior.')
    if (
      checkpoint.tree_size !== this.#tree.size ||
      checkpoint.leaf_count !== this.#tree.size - (before?.tree_size ?? 0)
    )
      throw fail(
        `ele cobre ${formatCount(checkpoint.leaf_count, 'registro', 'registros')}, mas o arquivo traz ${this.#tree.size - (before?.tree_size ?? 0)} desde o selo anterior.`,
      )
    if (checkpoint.root !== this.#tree.root)
      throw fail('algum registro desde o selo anterior não é o original.')
    if (before !== null && checkpoint.sealed_at < before.sealed_at)
      throw fail('a data dele é anterior à do selo anterior.')
    this.#last = checkpoint
    this.#checkpoints++
  }

  #refuseMissing(line: number): void {
    const missing = this.#expected.length - this.#met
    if (missing > 0)
      throw new ProofFault(
        line,
        `${missing === 1 ? 'falta' : 'faltam'} ${formatCount(missing, 'registro', 'registros')} a partir da posição ${this.#tree.size}.`,
      )
  }
}

/** Follows the proof of each record to the root of its checkpoint. */
class ReceiptVerifier {
  readonly #head: ReceiptHead
  readonly #notices = new KnownNotices()
  readonly #checkpoints = new Map<number, Checkpoint>()
  #pending: { record: ConsentProofRecord; leaf: string } | null = null
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
    if (this.#pending !== null) throw new ProofFault(line, 'falta a prova do último registro.')
    return {
      site: this.#head.site,
      seals: [...this.#checkpoints.values()],
      checkpointCount: this.#checkpoints.size,
      records: this.#records,
      erased: 0,
      waiting: this.#waiting,
    }
  }

  #take(read: ReadNode): void {
    if (this.#notices.take(read)) return
    const { node, bytes, line } = read
    switch (node['@type']) {
      case 'ConsentSeal':
        if (checkpointHash(node) !== node.hash)
          throw new ProofFault(line, `o conteúdo do selo ${node.sequence} foi alterado.`)
        this.#checkpoints.set(node.sequence, node)
        break
      case 'ConsentRecord':
        this.#notices.check(node, line)
        if (consentCode(node.consent_id) !== this.#head.code)
          throw new ProofFault(line, `o registro ${node.record_id} é de outro código.`)
        this.#pending = { record: node, leaf: hashLeaf(bytes) }
        break
      default:
        throw new ProofFault(line, `item inesperado em um comprovante: "${node['@type']}".`)
    }
  }

  #settle({ record_id }: ConsentProofRecord, leaf: string, { node, line }: ReadNode): void {
    if (node['@type'] === 'NotSealedYet' && node.record_id === record_id) {
      this.#waiting++
      this.#records++
      return
    }
    if (node['@type'] !== 'InclusionProof' || node.record_id !== record_id)
      throw new ProofFault(line, `falta a prova do registro ${record_id} nesta linha.`)
    this.#follow(node, leaf, line)
    this.#records++
  }

  #follow({ record_id, position, seal: sequence, hashes }: InclusionProof, leaf: string, line: number): void {
    const checkpoint = this.#checkpoints.get(sequence)
    if (checkpoint === undefined) throw new ProofFault(line, `o selo ${sequence} não está no arquivo.`)
    const size = checkpoint.tree_size
    if (rootOfInclusion({ leaf, position, size, hashes }) !== checkpoint.root)
      throw new ProofFault(line, `o registro ${record_id} não é o original coberto pelo selo ${sequence}.`)
  }
}

/** The result of a verification. */
export interface Verified {
  site: string
  /** To compare with the published ones: the last of an export covers all before it. */
  seals: Checkpoint[]
  checkpointCount: number
  records: number
  erased: number
  /** Records without a checkpoint. */
  waiting: number
}

const TIME_LIMIT_MS = 20_000

/** Reads a published checkpoint: from a site, or from a saved page of its list. */
export async function readPublicCheckpoint(place: string, sequence: number): Promise<Checkpoint | null> {
  const { seals } = await read(place, sequence)
  if (!Array.isArray(seals)) throw unreadable(place, 'não é uma página de selos')
  return seals.find((checkpoint) => checkpoint.sequence === sequence) ?? null
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
    `Não foi possível ler os selos publicados em ${place} (${reason}). Informe o endereço do site, como https://www.exemplo.com.br, ou um arquivo com os selos.`,
  )
}

async function ask(site: string, sequence: number): Promise<CheckpointPage> {
  const address = new URL(`${CHECKPOINTS_PATH}?before=${sequence + 1}`, site)
  const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(TIME_LIMIT_MS) })
  if (!answer.ok) throw new Error(`${address} respondeu ${answer.status}. Confira o endereço do site.`)
  return (await answer.json()) as CheckpointPage
}

async function readKept(file: string): Promise<CheckpointPage> {
  return JSON.parse(await readFile(file, 'utf8'))
}
