/** A refusal that the operator can act on: server and commands print its message, without a stack. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}
