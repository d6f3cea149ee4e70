import type { PixelType } from '#contract/pixel.ts'
import { describeMetaRefusal } from './destinations/read-meta-answer.ts'

/** A reason as it was counted, in words. */
export function describeRefusal(type: PixelType, reason: string): string {
  if (type === 'meta') return describeMetaRefusal(reason)
  return `O destino recusou a requisição (${reason}).`
}
