import type { PixelType } from './pixel.ts'

/** How long a deleted pixel can be restored. */
export const TRASH_DAYS = 30

export interface DeletedPixel {
  id: string
  name: string
  type: PixelType
  pixel_id: string | null
  /** Whether it is restored active. */
  was_active: boolean
  deleted_at: string
  deleted_by: string
  /** When it is deleted for good. */
  kept_until: string
}

/** `GET /admin/api/trash`: newest first. */
export interface Trash {
  pixels: DeletedPixel[]
  /** Including those that are not listed. */
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

/** One line of code before and after; `gap` stands for unchanged lines that are not shown. */
export type DiffLine = { kind: 'same' | 'added' | 'removed'; text: string } | { kind: 'gap'; lines: number }

/** What one version changed, with values as people read them. */
export type FieldChange =
  | { field: 'code'; label: string; lines: DiffLine[] }
  | { field: string; label: string; before: string | null; after: string | null }

export interface PixelVersion {
  id: string
  at: string
  /** An email, or words for another actor. */
  by: string
  kind: VersionKind
  changes: FieldChange[]
  /** True if a restorable column differs from now. */
  restorable: boolean
}

/** `GET /admin/api/pixels/ID/history?before=CURSOR`: newest first. */
export interface PixelHistory {
  versions: PixelVersion[]
  /** For the next page; null if there is none. */
  next: string | null
}

/** Response of `POST /admin/api/trash/ID/restore`: why it was restored switched off; 204 if it is unchanged. */
export interface RestoredPixel {
  warning: string | null
}

/** `POST /admin/api/pixels/ID/compare`: what was typed, compared with what somebody else saved. */
export interface PixelConflict {
  /** An email, or words for another actor; null if the audit trail no longer has it. */
  saved_by: string | null
  saved_at: string
  /** `before` is what is saved, `after` what was sent. */
  changes: FieldChange[]
}
