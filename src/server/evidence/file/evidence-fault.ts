import { OperatorError } from '#server/operator-error.ts'

/** What would end the line, move the cursor or turn the text round, where a stranger's file is quoted. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const inEscapes = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`

/** Why a file proves nothing, and on which line, in Portuguese. */
export class EvidenceFault extends OperatorError {
  override readonly name = 'EvidenceFault'

  constructor(line: number, reason: string) {
    super(`Linha ${line}: ${reason.replace(UNSEEN, inEscapes)}`)
  }
}
