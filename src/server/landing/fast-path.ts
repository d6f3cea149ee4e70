import type { HostOf } from '../http/host-rule.ts'
import { type PreparedResponse, sendPrepared } from '../http/prepared-response.ts'
import type { FastPath } from '../http/raw-server.ts'
import type { CookiePolicyStore } from './cookie-policy-store.ts'
import type { PageStore } from './page-store.ts'

interface FastPathParts {
  pages: PageStore
  cookiePolicy: CookiePolicyStore
  /** Built files, which both hosts answer. */
  shared: ReadonlyMap<string, PreparedResponse>
  /** The public host's pages and files. */
  site: Pick<ReadonlyMap<string, PreparedResponse>, 'get'>
  tagFile: (path: string) => PreparedResponse | undefined
  hostOf: HostOf
}

/** `/`, `/assets`, `/tags` and `/isolado` straight from memory, in front of the framework. */
export function createFastPath({
  pages,
  cookiePolicy,
  shared,
  site,
  tagFile,
  hostOf,
}: FastPathParts): FastPath {
  return (request, response, target) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false
    const { path } = target
    const prepared = shared.get(path) ?? (hostOf(target) === 'admin' ? undefined : ofSite(path))
    if (prepared === undefined) return false
    sendPrepared(request, response, prepared)
    return true
  }

  function ofSite(path: string): PreparedResponse | undefined {
    return path === '/' ? pages.page : (site.get(path) ?? cookiePolicy.get(path) ?? tagFile(path))
  }
}
