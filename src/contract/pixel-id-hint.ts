import type { PixelType } from './pixel.ts'

/** Shapes seen in the wild (lengths are not fixed by the vendors); a mismatch is a hint and never a refusal. */
const SHAPES: Record<Exclude<PixelType, 'custom'>, { pattern: RegExp; hint: string }> = {
  meta: {
    pattern: /^\d{10,20}$/,
    hint: 'O Pixel ID da Meta costuma ter só números, 15 ou 16 deles. Confira antes de salvar.',
  },
  google_analytics: {
    pattern: /^(G|GT|AW)-[A-Z0-9]+$/i,
    hint: 'O Measurement ID do GA4 costuma começar com "G-". Confira antes de salvar.',
  },
  google_tag_manager: {
    pattern: /^GTM-[A-Z0-9]+$/i,
    hint: 'O Container ID do Tag Manager costuma começar com "GTM-". Confira antes de salvar.',
  },
}

export function pixelIdHint(type: PixelType, pixelId: string): string | null {
  if (type === 'custom' || pixelId.trim() === '') return null
  const shape = SHAPES[type]
  return shape.pattern.test(pixelId.trim()) ? null : shape.hint
}
