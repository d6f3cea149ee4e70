import type { PixelType } from '#contract/pixel.ts'
import type { NamedSources } from './compiled-tag.ts'
import { matchesSource, VENDOR_HOSTS } from './vendor-hosts.ts'

export type HostUse = keyof NamedSources

/** The hosts that a snippet names, by what it may do there. */
export class HostUses {
  readonly #hosts: Record<HostUse, Set<string>> = {
    script: new Set(),
    connect: new Set(),
    image: new Set(),
    frame: new Set(),
  }

  add(host: string, uses: readonly HostUse[]): void {
    for (const use of uses) this.#hosts[use].add(host)
  }

  of(use: HostUse): string[] {
    return [...this.#hosts[use]].sort()
  }

  /** A known vendor's code names hosts that its type already lists by what they are for. */
  beyondType(type: PixelType): NamedSources {
    const known = [...new Set(Object.values(VENDOR_HOSTS[type]).flat())]
    const foreign = (use: HostUse) =>
      this.of(use).filter((host) => !known.some((source) => matchesSource(host, source)))
    return {
      script: foreign('script'),
      connect: foreign('connect'),
      image: foreign('image'),
      frame: foreign('frame'),
    }
  }
}
