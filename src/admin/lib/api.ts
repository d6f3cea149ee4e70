import type { PostgrestError } from '@supabase/postgrest-js'
import type { Failure } from '#contract/error-messages.ts'

interface AdminCall {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  body?: unknown
  signal?: AbortSignal
}

/** A call to `/admin/api`. */
export interface AdminApi {
  <T>(path: string, call?: AdminCall): Promise<T>
  /** A complete file. */
  file(path: string): Promise<Blob>
}

export function createAdminApi(
  url: string,
  headers: Record<string, string>,
  fetchAsUser: typeof fetch,
): AdminApi {
  const send = async (path: string, { method = 'GET', body, signal }: AdminCall = {}): Promise<Response> => {
    const response = await fetchAsUser(url + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((cause: unknown) => {
      if (signal?.aborted) throw cause
      throw new RequestError({ status: 0 })
    })
    if (response.ok) return response
    const answer = await response.json().catch(() => null)
    throw new RequestError({ status: response.status, code: answer?.error, message: answer?.message })
  }
  const call = async <T>(path: string, options?: AdminCall): Promise<T> =>
    (await (await send(path, options)).json().catch(() => null)) as T
  const file = async (path: string): Promise<Blob> => {
    const response = await send(path)
    return response.blob().catch(() => {
      // Cut off: half a list would look like a whole one.
      throw new RequestError({ status: 0 })
    })
  }
  return Object.assign(call, { file })
}

/** Saves a file through the browser. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken it by then; revoking the address earlier could cut it off.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

interface Answer<T> {
  data: T
  error: PostgrestError | null
  status: number
}

/** The data of a data service response; throws its error. */
export async function unwrap<T>(answer: PromiseLike<Answer<T>>): Promise<NonNullable<T>> {
  const { data, error, status } = await answer
  if (error !== null) {
    throw new RequestError({ status, code: error.code, message: error.message, reasons: readReasons(error) })
  }
  if (data === null || data === undefined) throw new RequestError({ status })
  return data
}

/** This protocol has no field for a password's reasons, so they are a list in `details`. */
function readReasons({ code, details }: PostgrestError): string[] {
  if (code !== 'weak_password' || !details) return []
  return details.split(',').map((reason) => reason.trim())
}

/** A failed call of either service, in the one form that screens and retries use. */
export class RequestError extends Error implements Failure {
  readonly status: number
  readonly code: string
  readonly reasons: readonly string[]

  constructor(failure: Failure) {
    super(failure.message ?? '')
    this.name = 'RequestError'
    this.status = failure.status
    this.code = failure.code ?? ''
    this.reasons = failure.reasons ?? []
  }
}

/** Turns anything thrown into a failure; unknown errors count as no response. */
export function toFailure(error: unknown): Failure {
  return error instanceof RequestError ? error : { status: 0 }
}
