import type { PixelHost } from '#contract/tag-status.ts'
import { DIRECTIVE_OF, isSocketSource, matchesSource, SOURCE_KEYS } from '../source-keys.ts'
import { partsOfPixel, type SpendingPixel } from '../sources-of-pixel.ts'

export interface Permission {
  host: string
  permitted_by: string
  permitted_at: string
}

/** What the policy opens for a pixel, and where each entry comes from. What was permitted is listed even where it is not needed, so that it can be taken back. */
export function listPixelHosts(
  pixel: SpendingPixel,
  ownHosts: ReadonlySet<string>,
  permissions: readonly Permission[],
): PixelHost[] {
  const { vendor, code, permitted } = partsOfPixel(pixel, ownHosts)
  const who = new Map(permissions.map((permission) => [permission.host, permission]))
  return SOURCE_KEYS.flatMap((key) => {
    const directive = DIRECTIVE_OF[key]
    const isVendors = (host: string) => vendor[key].some((source) => matchesSource(host, source))
    return [
      ...vendor[key].map((host): PixelHost => ({ host, directive, source: 'vendor' })),
      ...code[key]
        .filter((host) => !isVendors(host))
        .map((host): PixelHost => ({ host, directive, source: 'code' })),
      // A permission is for the host, whose sockets it opens too: it is told and taken back once.
      ...permitted[key]
        .filter((host) => !isSocketSource(host))
        .map((host): PixelHost => {
          const permission = who.get(host)
          return {
            host,
            directive,
            source: 'permitted',
            ...(permission && { by: permission.permitted_by, at: permission.permitted_at }),
          }
        }),
    ]
  })
}
