import type { PixelType } from './pixel.ts'

type IdentifiedType = Exclude<PixelType, 'custom'>

/** Lengths are not fixed by the vendors: what is here is what an ID of theirs cannot do without. */
const SHAPES: Record<IdentifiedType, { pattern: RegExp; of: string; rule: string }> = {
  meta: {
    pattern: /^\d+$/,
    of: 'de um pixel da Meta',
    rule: 'O Pixel ID da Meta tem só números.',
  },
  google_analytics: {
    pattern: /^(?:G|GT|AW|DC)-[A-Z0-9]+$/i,
    of: 'do Google Analytics',
    rule: 'O Measurement ID do GA4 começa com "G-".',
  },
  google_tag_manager: {
    pattern: /^GTM-[A-Z0-9]+$/i,
    of: 'do Google Tag Manager',
    rule: 'O Container ID do Tag Manager começa com "GTM-".',
  },
}
const META_LENGTH = /^\d{10,20}$/
const ENDED = /^UA-\d+/i

/** Where IDs stand in the vendors' own snippets. */
const IN_SNIPPETS: readonly RegExp[] = [
  /\bfbq\s*\(\s*['"]init['"]\s*,\s*['"]?(\d+)/,
  /facebook\.com\/tr\/?\?[^"'\s>]{0,200}?\bid=(\d+)/,
  /\b(GTM-[A-Z0-9]+)\b/,
  /\b((?:G|GT|AW|DC)-[A-Z0-9]{4,})\b/,
]

export interface PixelIdFault {
  /** Whole sentences. */
  message: string
  /** The type whose ID it is, where it can be told. */
  type: IdentifiedType | null
}

/**
 * The ID in what was typed or pasted: without the spaces, quotes and marks around it, and out of a whole snippet.
 *
 * ```ts
 * normalizePixelId(" '482910377165024', ") // 482910377165024
 * ```
 */
export function normalizePixelId(text: string): string {
  if (/[<(]/.test(text)) {
    for (const pattern of IN_SNIPPETS) {
      const id = pattern.exec(text)?.[1]
      if (id !== undefined) return id
    }
  }
  return text.replace(/[\s\p{Cf}'"`´“”‘’,;:]+/gu, '')
}

/** Why this cannot be an ID of that type. Nobody is kept from saving it, and it is never said to work. */
export function findPixelIdFault(type: PixelType, pixelId: string | null): PixelIdFault | null {
  const id = pixelId?.trim() ?? ''
  if (type === 'custom' || id === '' || SHAPES[type].pattern.test(id)) return null
  if (ENDED.test(id))
    return {
      message: `${id} é do Universal Analytics, que o Google encerrou. Crie uma propriedade do GA4 e use o ID que começa com "G-".`,
      type: null,
    }
  const start = `O ID ${id} não é ${SHAPES[type].of}`
  const other = (Object.keys(SHAPES) as IdentifiedType[]).find(
    (each) => SHAPES[each].pattern.test(id) && (each !== 'meta' || META_LENGTH.test(id)),
  )
  return other === undefined
    ? { message: `${start}. ${SHAPES[type].rule}`, type: null }
    : { message: `${start}: é ${SHAPES[other].of}.`, type: other }
}

/** What is possible, and unusual. */
export function pixelIdHint(type: PixelType, pixelId: string): string | null {
  const id = pixelId.trim()
  if (type !== 'meta' || !/^\d+$/.test(id) || META_LENGTH.test(id)) return null
  return 'O Pixel ID da Meta costuma ter 15 ou 16 números. Confira antes de salvar.'
}
