import type { CompiledTag, NamedSources } from './compiled-tag.ts'
import { WARNINGS } from './warnings.ts'

/**
 * What a compiled tag is on this site: nothing of it may reach this site itself. Judged whenever a tag is used and not
 * when it is compiled, because the site's names can change and the result stays.
 */
export function withoutOwnHosts(tag: CompiledTag, ownHosts: ReadonlySet<string>): CompiledTag {
  const isForeign = (host: string) => !ownHosts.has(host)
  const refused = tag.steps.flatMap((step) =>
    step.kind !== 'own' && !isForeign(new URL(step.src).hostname) ? [step.src] : [],
  )
  const foreign = (use: keyof NamedSources) => tag.sources[use].filter(isForeign)
  return {
    ...tag,
    steps: tag.steps.filter((step) => step.kind === 'own' || !refused.includes(step.src)),
    scripts: tag.scripts.filter(isForeign),
    sources: {
      script: foreign('script'),
      connect: foreign('connect'),
      image: foreign('image'),
      frame: foreign('frame'),
    },
    warnings: [...tag.warnings, ...refused.map((address) => WARNINGS.unusableAddress(address))],
  }
}
