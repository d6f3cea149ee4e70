interface AppErrorOptions {
  /** Logged with the request id and never sent. */
  cause?: unknown
  /** Headers of the response, such as Retry-After. */
  headers?: Record<string, string>
  /** Public fields that a protocol adds to its error object. */
  details?: Record<string, unknown>
}

/** The one error that becomes an answer: branch on `code`, never on the message. */
export class AppError extends Error {
  readonly code: string
  readonly status: number
  readonly headers: Record<string, string>
  readonly details: Record<string, unknown>

  /** `message` is public. */
  constructor(status: number, code: string, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.status = status
    this.code = code
    this.headers = options.headers ?? {}
    this.details = options.details ?? {}
  }
}
