import type { PostgrestError } from '@supabase/postgrest-js'
import type { Failure } from '#contract/error-messages.ts'

interface AdminCall {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  body?: unknown
  signal?: AbortSignal
}

/** One call to `/admin/api`: what the two protocols have no place for. */
export interface AdminApi {
  <T>(path: string, call?: AdminCall): Promise<T>
  /** A file, whole. */
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
      // Cut off on its way: half a list would look like a whole one.
      throw new RequestError({ status: 0 })
    })
  }
  return Object.assign(call, { file })
}

/** Hands a file to the browser, as if it had been a link. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken it by then; a revoked address would end what is still being written.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

interface Answer<T> {
  data: T
  error: PostgrestError | null
  status: number
}

/** The data of an answer of the data service; its error, thrown. */
export async function unwrap<T>(answer: PromiseLike<Answer<T>>): Promise<NonNullable<T>> {
  const { data, error, status } = await answer
  if (error !== null) {
    throw new RequestError({ status, code: error.code, message: error.message, reasons: readReasons(error) })
  }
  if (data === null || data === undefined) throw new RequestError({ status })
  return data
}

/** This protocol has no place for a password's faults, so they travel as a list in `details`. */
function readReasons({ code, details }: PostgrestError): string[] {
  if (code !== 'weak_password' || !details) return []
  return details.split(',').map((reason) => reason.trim())
}

/** A call that did not succeed, from either service, in the one form that screens and retries read. */
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

/** Anything thrown becomes a failure to describe; what is not ours counts as no answer. */
export function toFailure(error: unknown): Failure {
  return error instanceof RequestError ? error : { status: 0 }
}
