import type { Pixel } from '#contract/pixel.ts'

/** The pixel's code; without any, a comment that says whose code is missing. */
export function displayedCode({ name, pixel_id, code }: Pick<Pixel, 'name' | 'pixel_id' | 'code'>): string {
  if (code.trim() !== '') return code
  const text = [name, pixel_id].filter(Boolean).join(': ')
  // Two hyphens could end the comment early when it is copied into a page.
  return `<!-- ${text.replaceAll('--', '- -')} -->`
}
