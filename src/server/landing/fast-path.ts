import { type PreparedResponse, sendPrepared } from '../http/prepared-response.ts'
import type { FastPath } from '../http/raw-server.ts'
import type { PageStore } from './page-store.ts'

/** `/`, `/assets` and `/tags` straight from memory, in front of the framework. */
export function createFastPath(
  pages: PageStore,
  assets: ReadonlyMap<string, PreparedResponse>,
  tagFile: (path: string) => PreparedResponse | undefined,
): FastPath {
  return (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false
    const url = request.url ?? ''
    const queryAt = url.indexOf('?')
    const path = queryAt === -1 ? url : url.slice(0, queryAt)
    const prepared = path === '/' ? pages.page : (assets.get(path) ?? tagFile(path))
    if (prepared === undefined) return false
    sendPrepared(request, response, prepared)
    return true
  }
}
