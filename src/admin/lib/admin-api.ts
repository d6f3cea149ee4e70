import { RequestError } from './request-error.ts'

interface AdminCall {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  body?: unknown
  signal?: AbortSignal
}

/** One call to `/admin/api`: what the two protocols have no place for. */
export type AdminApi = <T>(path: string, call?: AdminCall) => Promise<T>

export function createAdminApi(
  url: string,
  headers: Record<string, string>,
  fetchAsUser: typeof fetch,
): AdminApi {
  return async <T>(path: string, { method = 'GET', body, signal }: AdminCall = {}): Promise<T> => {
    const response = await fetchAsUser(url + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((cause: unknown) => {
      if (signal?.aborted) throw cause
      throw new RequestError({ status: 0 })
    })
    const answer = await response.json().catch(() => null)
    if (response.ok) return answer as T
    throw new RequestError({ status: response.status, code: answer?.error, message: answer?.message })
  }
}
