import { mayBeIsolated, type PixelType, type RunsInProposal } from '#contract/pixel.ts'
import { vendorById } from '#server/vendors/marks.ts'
import type { CompiledTag } from './compiled-tag.ts'
import { findAskedOfPage } from './find-asked-of-page.ts'

/** Where a tag had better run, by what the catalogue knows of its vendors and by what its code asks of the page. */
export function proposeRunsIn(
  type: PixelType,
  { steps, vendors }: Pick<CompiledTag, 'steps' | 'vendors'>,
): RunsInProposal | null {
  if (!mayBeIsolated(type) || steps.length === 0) return null
  const known = vendors.flatMap(({ id }) => vendorById(id) ?? [])
  for (const { name, isolated } of known) {
    if (typeof isolated === 'object') return page(`${name} ${isolated.needs}.`)
    if (isolated === undefined) return page(`Não sabemos se ${name} funciona fora da página.`)
  }
  const asked = findAskedOfPage(steps.flatMap((step) => (step.kind === 'own' ? [step.body] : [])))
  if (asked !== null) return page(`Este código ${asked}.`)
  const [first] = known
  return {
    runs_in: 'isolated',
    reason:
      first === undefined
        ? 'Este código não pede nada da página. Depois de salvar, use "Testar agora" para ver se ele funciona isolado.'
        : `${first.name} mede visitas e conversões sem precisar da página.`,
  }
}

const page = (reason: string): RunsInProposal => ({ runs_in: 'page', reason })
