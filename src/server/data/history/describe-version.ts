import { TAG_CATEGORY_LABELS } from '#contract/consent.ts'
import { PIXEL_TYPE_LABELS } from '#contract/pixel.ts'
import { DELIVERY_LABELS } from '#contract/pixel-delivery.ts'
import type { FieldChange, VersionKind } from '#contract/pixel-history.ts'
import { RUNS_IN_LABELS } from '#contract/pixel-runs-in.ts'
import type { Row } from '../resource.ts'
import { diffLines } from './diff-lines.ts'

/** An event of the audit trail about one pixel. */
export interface PixelEvent {
  id: string
  actor: string
  action: string
  before: Row | null
  after: Row | null
  created_at: string
}

/** What "Restaurar esta versão" brings back: what a person wrote. The switch and the permitted hosts stay as they are. */
export const CONTENT_COLUMNS = [
  'name',
  'type',
  'pixel_id',
  'code',
  'consent_category',
  'conversion_labels',
  'delivery',
  'webhook_url',
  'send_hashed_email',
  'runs_in',
] as const

const LABELS: Record<string, string> = {
  name: 'Nome',
  type: 'Tipo',
  pixel_id: 'ID',
  code: 'Código',
  is_active: 'Status',
  consent_category: 'Categoria',
  conversion_labels: 'Rótulos de conversão',
  allowed_hosts: 'Endereços permitidos',
  delivery: 'Envio',
  access_token_stored_at: 'Token guardado em',
  webhook_url: 'Endereço do webhook',
  send_hashed_email: 'E-mail em código (hash) para a Meta',
  auto_disable: 'Disjuntor',
  runs_in: 'Onde roda',
  reason: 'Motivo',
}

/** `created` when it is not known that the same id was in the trash before. */
export function kindOf({ action, before, after }: PixelEvent): VersionKind {
  switch (action) {
    case 'tracking_pixels.insert':
      return 'created'
    case 'tracking_pixels.delete':
      return 'deleted'
    case 'tags.allow_host':
      return 'host_permitted'
    case 'tags.revoke_host':
      return 'host_revoked'
    default: {
      const changed = changedColumns(before, after)
      if (changed.length !== 1 || changed[0] !== 'is_active') return 'changed'
      return after?.is_active === true ? 'switched_on' : 'switched_off'
    }
  }
}

/** What is different, in words; nothing for a row that came or went whole. */
export function changesOf({ before, after }: Pick<PixelEvent, 'before' | 'after'>): FieldChange[] {
  if (before === null || after === null) return []
  return changedColumns(before, after).map((field): FieldChange => {
    const label = LABELS[field] ?? field
    if (field === 'code')
      return { field: 'code', label, lines: diffLines(String(before.code ?? ''), String(after.code ?? '')) }
    return { field, label, before: inWords(field, before[field]), after: inWords(field, after[field]) }
  })
}

/** Trails of before a column came know nothing of it. */
function changedColumns(before: Row | null, after: Row | null): string[] {
  return Object.keys(LABELS).filter(
    (name) =>
      before?.[name] !== undefined &&
      after?.[name] !== undefined &&
      JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
}

function inWords(field: string, value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null
  if (field === 'is_active') return value === true ? 'Ativo' : 'Inativo'
  if (field === 'send_hashed_email') return value === true ? 'Sim' : 'Não'
  if (field === 'delivery') return labelIn(DELIVERY_LABELS, value)
  if (field === 'runs_in') return labelIn(RUNS_IN_LABELS, value)
  if (field === 'auto_disable') return value === true ? 'Pausa sozinha' : 'Só avisa'
  if (field === 'type') return labelIn(PIXEL_TYPE_LABELS, value)
  if (field === 'consent_category') return labelIn(TAG_CATEGORY_LABELS, value)
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(', ')
  if (typeof value === 'object') {
    const entries = Object.entries(value)
    return entries.length === 0 ? null : entries.map(([name, label]) => `${name}: ${label}`).join(', ')
  }
  return String(value)
}

function labelIn(labels: Readonly<Record<string, string>>, value: unknown): string {
  return labels[String(value)] ?? String(value)
}

/** True when a version's content is another one than that of the row as it is. */
export function differs(version: Row | null, now: Row): boolean {
  return (
    version !== null &&
    CONTENT_COLUMNS.some(
      (name) => version[name] !== undefined && JSON.stringify(version[name]) !== JSON.stringify(now[name]),
    )
  )
}
