import { TAG_CATEGORY_LABELS } from '#contract/consent.ts'
import { PIXEL_TYPE_LABELS } from '#contract/pixel.ts'
import type { RecognisedTag } from '#contract/tag-status.ts'
import type { PixelForm } from './api/save-pixel.ts'

/** What recognition can write. */
export type FilledFields = Partial<
  Pick<PixelForm, 'name' | 'type' | 'pixel_id' | 'code' | 'consent_category'>
>

export interface FillContext {
  /** Chosen by a person, or stored by one. */
  chosen: { type: boolean; consent_category: boolean }
  /** What recognition wrote before, which it may replace. */
  filled: FilledFields
  /** Arrived in one piece, and not key by key: only then is a bare ID known to be whole. */
  isPasted: boolean
}

export interface FillPlan {
  set: FilledFields
  /** Would replace what somebody wrote or chose: asked about, with `set` already made. */
  ask: FilledFields
}

/** What a recognised paste writes into the form by itself, and what it asks about first. */
export function planFill(form: PixelForm, recognised: RecognisedTag, context: FillContext): FillPlan {
  const isFree = (field: 'name' | 'pixel_id') =>
    form[field].trim() === '' || form[field] === context.filled[field]
  const set: FilledFields = isFree('name') && form.name !== recognised.name ? { name: recognised.name } : {}
  const ask: FilledFields = {}

  const keepsId = isFree('pixel_id') || recognised.id === form.pixel_id.trim()
  const isTypeFree = !context.chosen.type && keepsId
  if (recognised.type !== form.type) (isTypeFree ? set : ask).type = recognised.type

  const id = recognised.type === 'custom' ? '' : recognised.id
  if (id !== null && id !== form.pixel_id.trim()) {
    // With the type: an ID means nothing in the field of another one.
    ;(ask.type === undefined && isFree('pixel_id') ? set : ask).pixel_id = id
  }
  if (recognised.category !== null && recognised.category !== form.consent_category) {
    ;(context.chosen.consent_category ? ask : set).consent_category = recognised.category
  }
  if (recognised.code !== null && recognised.code !== form.code) {
    ;(context.isPasted && ask.type === undefined && ask.pixel_id === undefined ? set : ask).code =
      recognised.code
  }
  return { set, ask }
}

const LIST = new Intl.ListFormat('pt-BR')

/** "Trocar o tipo para Meta e o ID para 4829…?" */
export function describeQuestion({ type, pixel_id, consent_category, code }: FilledFields): string {
  const parts = [
    ...(type === undefined ? [] : [`o tipo para ${PIXEL_TYPE_LABELS[type]}`]),
    ...(pixel_id === undefined || pixel_id === '' ? [] : [`o ID para ${pixel_id}`]),
    ...(consent_category === undefined
      ? []
      : [`o consentimento para ${TAG_CATEGORY_LABELS[consent_category]}`]),
    ...(code === undefined ? [] : ['o texto colado pelo código inteiro']),
  ]
  const dropped = pixel_id === '' ? ' O ID que está no campo sai.' : ''
  return `Trocar ${LIST.format(parts)}?${dropped}`
}

/** "Preenchemos nome, tipo e ID." Null when nothing was. */
export function describeFilled(filled: FilledFields): string | null {
  const names = [
    ...(filled.name === undefined ? [] : ['o nome']),
    ...(filled.type === undefined ? [] : ['o tipo']),
    ...(filled.pixel_id === undefined || filled.pixel_id === '' ? [] : ['o ID']),
    ...(filled.consent_category === undefined ? [] : ['o consentimento']),
    ...(filled.code === undefined ? [] : ['o código']),
  ]
  return names.length === 0 ? null : `Preenchemos ${LIST.format(names)}. Mude o que quiser.`
}
