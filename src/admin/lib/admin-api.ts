import { RequestError } from './request-error.ts'

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
