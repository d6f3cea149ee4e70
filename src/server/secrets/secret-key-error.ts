/** A refusal about the key or what it seals, told to the operator in one message. */
export class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError'
}
