import type { TagSources } from '../http/content-security-policy.ts'
import type { NamedSources } from './compiled-tag.ts'
import { matchesSource, SOURCE_KEYS } from './source-keys.ts'

export type HostUse = keyof NamedSources

/** The hosts that a snippet names, by what it may do there. */
export class HostUses {
  readonly #hosts: Record<HostUse, Set<string>> = {
    script: new Set(),
    connect: new Set(),
    image: new Set(),
    frame: new Set(),
  }
  readonly #certain = new Set<string>()

  /** `certain` is the use that an element of the snippet has written out; the others are guessed. */
  add(host: string, uses: readonly HostUse[], certain: HostUse | null = null): void {
    for (const use of uses) this.#hosts[use].add(host)
    if (certain !== null) this.#certain.add(`${certain} ${host}`)
  }

  of(use: HostUse): string[] {
    return [...this.#hosts[use]].sort()
  }

  /** Without the guesses about hosts whose uses the catalogue knows, and without what it gives anyway. */
  beyond(known: TagSources): NamedSources {
    const all = [...new Set(SOURCE_KEYS.flatMap((key) => known[key]))]
    const covers = (sources: readonly string[], host: string) =>
      sources.some((source) => matchesSource(host, source))
    const foreign = (use: HostUse) =>
      this.of(use).filter((host) => !covers(this.#certain.has(`${use} ${host}`) ? known[use] : all, host))
    return {
      script: foreign('script'),
      connect: foreign('connect'),
      image: foreign('image'),
      frame: foreign('frame'),
    }
  }
}
