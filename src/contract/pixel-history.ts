import type { PixelType } from './pixel.ts'

/** So long a deleted pixel can be brought back. */
export const TRASH_DAYS = 30

export interface DeletedPixel {
  id: string
  name: string
  type: PixelType
  pixel_id: string | null
  /** Whether it comes back switched on. */
  was_active: boolean
  deleted_at: string
  deleted_by: string
  /** From then on it is gone for good. */
  kept_until: string
}

/** `GET /admin/api/trash`: the newest first. */
export interface Trash {
  pixels: DeletedPixel[]
  /** More than are listed. */
  total: number
}

export type VersionKind =
  | 'created'
  | 'changed'
  | 'switched_on'
  | 'switched_off'
  | 'deleted'
  | 'restored'
  | 'host_permitted'
  | 'host_revoked'

/** One line of a code before and after; `gap` stands for lines that are the same and not shown. */
export type DiffLine = { kind: 'same' | 'added' | 'removed'; text: string } | { kind: 'gap'; lines: number }

/** What one version changed; values are as people read them. */
export type FieldChange =
  | { field: 'code'; label: string; lines: DiffLine[] }
  | { field: string; label: string; before: string | null; after: string | null }

export interface PixelVersion {
  id: string
  at: string
  /** An e-mail, or who else it was in words. */
  by: string
  kind: VersionKind
  changes: FieldChange[]
  /** True when a column that a restore brings back differs from now. */
  restorable: boolean
}

/** `GET /admin/api/pixels/ID/history?before=CURSOR`: the newest first. */
export interface PixelHistory {
  versions: PixelVersion[]
  /** For the next page; null when there is none. */
  next: string | null
}

/** Answer of `POST /admin/api/trash/ID/restore`: why it came back switched off; null when it is as it was, with 204. */
export interface RestoredPixel {
  warning: string | null
}

/** `POST /admin/api/pixels/ID/compare`: what was typed, beside what somebody else saved meanwhile. */
export interface PixelConflict {
  /** An e-mail, or who else it was in words; null when the trail is no longer kept. */
  saved_by: string | null
  saved_at: string
  /** `before` is what is saved, `after` what was sent. */
  changes: FieldChange[]
}
