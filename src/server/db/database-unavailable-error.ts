/** The database cannot do its work now, through no fault of the request: the same call may succeed in a moment. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError'

  constructor(cause: unknown) {
    super(describe(cause), { cause })
  }
}

/** A refused connection to a name with several addresses is an AggregateError, whose own message is empty. */
function describe(cause: unknown): string {
  const { message, code } = cause as { message?: unknown; code?: unknown }
  return String(message || code || 'unknown failure')
}
