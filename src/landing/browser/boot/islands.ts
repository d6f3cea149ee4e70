import type { LegalSlug } from '#landing/legal/document.ts'
import { legalJsonPath } from '#landing/legal/legal-paths.ts'
import { appendLink, openDialogs, whenIdle } from '../shared/page.ts'

/**
 * React is not loaded with the page: it is prefetched when the browser is idle and runs on the first touch. An earlier
 * click is repeated once the part is ready.
 */
export function wireIslands(): void {
  wireNewsletter()
  wireLegalLinks()
  if (document.readyState === 'complete') prefetchWhenIdle()
  else addEventListener('load', prefetchWhenIdle)
}

/** One file for all React code of the page. */
export const loadIslands = () => import('../islands/islands.tsx')

function wireNewsletter(): void {
  const island = document.querySelector('[data-island=newsletter]')
  if (island === null) return
  let ready: Promise<void> | undefined
  const start = () => {
    ready ??= loadIslands().then((part) => part.hydrateNewsletter(island))
    return ready
  }
  let kept = false
  const keepSubmit = (event: Event) => {
    event.preventDefault()
    if (kept) return
    kept = true
    const form = event.target as HTMLFormElement
    start().then(
      () => {
        island.removeEventListener('submit', keepSubmit)
        form.requestSubmit()
      },
      // Without the island the plain form post still works.
      () => form.submit(),
    )
  }
  island.addEventListener('submit', keepSubmit)
  for (const touch of ['focusin', 'pointerdown']) {
    island.addEventListener(
      touch,
      () => {
        start().then(
          () => island.removeEventListener('submit', keepSubmit),
          () => {},
        )
      },
      { once: true },
    )
  }
}

function wireLegalLinks(): void {
  openDialogs(document.querySelectorAll('a[data-legal]'), loadIslands, async (link) => {
    const slug = link.dataset.legal as LegalSlug
    const answer = fetch(legalJsonPath(slug))
    const part = await loadIslands()
    await part.openLegal(slug, answer, link)
  })
}

function prefetchWhenIdle(): void {
  const files = document.querySelector<SVGElement>('[data-prefetch]')?.dataset.prefetch?.split(' ') ?? []
  whenIdle(() => {
    for (const href of files) appendLink('modulepreload', href)
  })
}
