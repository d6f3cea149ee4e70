import type { PixelType } from './pixel.ts'

type IdentifiedType = Exclude<PixelType, 'custom'>

/** Vendors do not fix lengths: these are minimum requirements. */
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

/** Where IDs are in the vendors' snippets. */
const IN_SNIPPETS: readonly RegExp[] = [
  /\bfbq\s*\(\s*['"]init['"]\s*,\s*['"]?(\d+)/,
  /facebook\.com\/tr\/?\?[^"'\s>]{0,200}?\bid=(\d+)/,
  /\b(GTM-[A-Z0-9]+)\b/,
  /\b((?:G|GT|AW|DC)-[A-Z0-9]{4,})\b/,
]

export interface PixelIdFault {
  /** Whole sentences. */
  message: string
  /** The type that the ID belongs to, if known. */
  type: IdentifiedType | null
}

/**
 * The ID in typed or pasted text: without spaces, quotes and marks around it, and from a whole snippet.
 *
 * ```ts normalizePixelId(" '482910377165024', ") // 482910377165024 ```
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

/** Why this cannot be an ID of that type. It can be saved, but is never shown as working. */
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

/** Possible, but unusual. */
export function pixelIdHint(type: PixelType, pixelId: string): string | null {
  const id = pixelId.trim()
  if (type !== 'meta' || !/^\d+$/.test(id) || META_LENGTH.test(id)) return null
  return 'O Pixel ID da Meta costuma ter 15 ou 16 números. Confira antes de salvar.'
}
