import { vi } from 'vitest'
import { TAG_SET_ATTRIBUTE } from '#contract/tag-manifest.ts'

/** A pixel inserted directly is on the page once the server has noticed and compiled it. */
export async function untilTags(url: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const page = await (await fetch(url)).text()
      if (!page.includes(` ${TAG_SET_ATTRIBUTE}="`)) throw new Error('no tag is on the page yet')
    },
    { timeout: 30_000 },
  )
}
