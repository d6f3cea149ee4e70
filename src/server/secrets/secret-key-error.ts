import { OperatorError } from '../operator-error.ts'

/** About the key or what it seals. */
export class SecretKeyError extends OperatorError {
  override readonly name = 'SecretKeyError'
}
