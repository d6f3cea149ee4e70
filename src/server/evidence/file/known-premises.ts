import type { EvidenceNotice, EvidenceParties, EvidenceRecord } from '#contract/consent.ts'
import { canonicalHash } from '../canonical.ts'
import { EvidenceFault } from './evidence-fault.ts'
import type { ReadNode } from './read-graph.ts'

/** The words and the parties that stood further up in a file. */
export class KnownPremises {
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

  #addParties({ hash, content }: EvidenceParties, line: number): void {
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
