import {
  type ColumnFacts,
  PIXEL_COLUMNS,
  pixelColumns,
  type RestoredColumn,
} from '#contract/pixel-columns.ts'
import type { FieldChange, VersionKind } from '#contract/pixel-history.ts'
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

/** What "Restaurar esta versão" brings back. */
export const CONTENT_COLUMNS = pixelColumns<RestoredColumn>(({ restored }) => restored === true)

/** What the history and the conflict box show. */
export const SHOWN_COLUMNS = pixelColumns(({ label }) => label !== undefined)

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
    const label = factsOf(field)?.label ?? field
    if (field === 'code')
      return { field: 'code', label, lines: diffLines(String(before.code ?? ''), String(after.code ?? '')) }
    return { field, label, before: inWords(field, before[field]), after: inWords(field, after[field]) }
  })
}

/** Trails of before a column came know nothing of it. */
function changedColumns(before: Row | null, after: Row | null): string[] {
  return SHOWN_COLUMNS.filter(
    (name) =>
      before?.[name] !== undefined &&
      after?.[name] !== undefined &&
      JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
}

function inWords(field: string, value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null
  const words = factsOf(field)?.words
  if (words !== undefined) return words[String(value)] ?? String(value)
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(', ')
  if (typeof value === 'object') {
    const entries = Object.entries(value)
    return entries.length === 0 ? null : entries.map(([name, label]) => `${name}: ${label}`).join(', ')
  }
  return String(value)
}

function factsOf(field: string): ColumnFacts | undefined {
  return (PIXEL_COLUMNS as Record<string, ColumnFacts>)[field]
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
