import type { PixelRunsIn } from '#contract/pixel.ts'

/** Whose policy lets a tag talk to its hosts: an isolated one's are in its own frame's, and not in the page's. */
export const WHO_OPENS_HOSTS: Record<PixelRunsIn, string> = {
  page: 'a página',
  isolated: 'o quadro desta tag',
}
