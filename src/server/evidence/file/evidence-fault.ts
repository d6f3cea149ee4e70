/** Why a file proves nothing, and on which line, in Portuguese. */
export class EvidenceFault extends Error {
  override readonly name = 'EvidenceFault'

  constructor(line: number, reason: string) {
    super(`Linha ${line}: ${reason}`)
  }
}
