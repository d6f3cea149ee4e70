/** An error that the operator can fix: server and commands print its message without a stack. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError'
}
