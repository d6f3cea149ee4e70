/** A refusal that the operator can act on. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}
