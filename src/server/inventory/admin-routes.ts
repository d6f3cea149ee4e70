import type { FastifyInstance } from 'fastify'
import { type SqlBool, sql } from 'kysely'
import { ACTIVITY_ACTORS } from '#contract/activity.ts'
import type { HeaderChange, Inventory, InventoryItem, VendorFile } from '#contract/inventory.ts'
import type { Db } from '../db/database.ts'
import { engineOf } from '../db/dialect.ts'
import type { Logger } from '../http/logging/logger.ts'
import { type CheckDeps, VendorFileWatch } from './vendor-files.ts'

/** Functions that other modules supply. */
export interface InventoryPorts {
  nameVendor: (id: string) => string
  isInHtml: (pixelId: string) => boolean
  /** Null if the operator disabled requests to vendors. */
  fetchFile: CheckDeps['fetchFile'] | null
}

interface RegisterDeps extends InventoryPorts {
  db: Db
  log: Logger
  /** As long as the records that it explains. */
}

/** Routes of "Inventário", and the daily check of vendors' files. */
export function registerInventory(scope: FastifyInstance, deps: RegisterDeps): void {
  const { db, fetchFile } = deps
  /** Which scripts the page is served with, who authorised them, and hashes of their files. */
  scope.get('/admin/api/inventory', async (): Promise<Inventory> => {
    const { nameVendor, isInHtml } = deps
    return readInventory({ db, nameVendor, isInHtml, checksFiles: fetchFile !== null })
  })
  if (fetchFile === null) return
  const watch = new VendorFileWatch({ db, fetchFile }, deps.log)
  scope.addHook('onListen', async () => watch.start())
  scope.addHook('onClose', () => watch.stop())
}

const HEADER_CHANGES = 10

interface InventoryDeps {
  db: Db
  /** The name of a vendor of the catalogue. */
  nameVendor: (id: string) => string
  /** True if part of the pixel is in the page's HTML. */
  isInHtml: (pixelId: string) => boolean
  checksFiles: boolean
}

/** Every active tag with who authorised it, why, and its scripts. */
export async function readInventory({
  db,
  nameVendor,
  isInHtml,
  checksFiles,
}: InventoryDeps): Promise<Inventory> {
  const [pixels, periods, headers] = await Promise.all([
    db
      .selectFrom('tracking_pixels')
      .select(['id', 'name', 'type', 'consent_category', 'reason', 'runs_in', 'created_at'])
      .where('is_active', '=', true)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),
    db.selectFrom('tag_periods').selectAll().where('ended_at', 'is', null).execute(),
    readHeaderChanges(db),
  ])
  const served = new Map(periods.map((period) => [period.pixel_id, period]))
  const [authorised, files] = await Promise.all([
    readAuthorisations(db),
    readFiles(
      db,
      periods.flatMap((period) => urlsOf(period)),
    ),
  ])
  const items = pixels.map((pixel): InventoryItem => {
    const period = served.get(pixel.id)
    return {
      pixel_id: pixel.id,
      name: pixel.name,
      type: pixel.type,
      vendors: (period?.vendors ?? []).map(nameVendor),
      category: pixel.consent_category,
      runs_in: pixel.runs_in,
      told_by: period?.told_by ?? [],
      on_page_since: period?.started_at ?? null,
      in_html: isInHtml(pixel.id),
      authorised: authorised.get(pixel.id) ?? null,
      reason: pixel.reason,
      hosts: period?.hosts ?? [],
      own_files: (period?.files ?? []).flatMap((file) =>
        file.kind === 'own' ? [{ path: file.path, sha256: file.sha256 }] : [],
      ),
      vendor_files: (period === undefined ? [] : urlsOf(period)).map((url) => files.get(url) ?? unread(url)),
    }
  })
  return { items, headers, checks_files: checksFiles }
}

function urlsOf({ files }: { files: readonly { kind: string }[] }): string[] {
  return files.flatMap((file) => (file.kind === 'vendor' && 'url' in file ? [String(file.url)] : []))
}

function unread(url: string): VendorFile {
  return {
    url,
    outcome: 'waiting',
    reason: null,
    sha256: null,
    bytes: null,
    checked_at: null,
    changed_at: null,
    changes: 0,
  }
}

async function readFiles(db: Db, urls: readonly string[]): Promise<Map<string, VendorFile>> {
  if (urls.length === 0) return new Map()
  const rows = await db
    .selectFrom('script_files')
    .select(['url', 'outcome', 'reason', 'sha256', 'bytes', 'checked_at', 'changed_at', 'changes'])
    .where('url', 'in', [...new Set(urls)].slice(0, 500))
    .execute()
  return new Map(rows.map((row) => [row.url, row]))
}

async function readHeaderChanges(db: Db): Promise<HeaderChange[]> {
  const rows = await db
    .selectFrom('served_headers')
    .select(['headers_hash as hash', 'since', 'is_unasked'])
    .orderBy('since', 'desc')
    .orderBy('id', 'desc')
    .limit(HEADER_CHANGES)
    .execute()
  return rows.map(({ is_unasked, ...row }) => ({ ...row, unasked: is_unasked }))
}

/** The condition of the index `audit_events_switched_on_idx`, word for word: a pixel has many more other changes. */
function isSwitchedOn(db: Db) {
  return engineOf(db) === 'sqlite'
    ? sql<SqlBool>`json_extract("after", '$.is_active') = 1 and json_extract("before", '$.is_active') is not 1`
    : sql<SqlBool>`("after" ->> 'is_active') = 'true' and ("before" ->> 'is_active') is distinct from 'true'`
}

/**
 * Who last switched each active pixel on, or created it active, as far as the audit trail goes back. Of each pixel the
 * index is read backwards, until the first match.
 */
async function readAuthorisations(db: Db): Promise<Map<string, { by: string; at: string }>> {
  const rows = await db
    .selectFrom('tracking_pixels as pixel')
    .innerJoin('audit_events as event', (join) =>
      join.on((eb) =>
        eb(
          'event.id',
          '=',
          eb
            .selectFrom('audit_events')
            .select('audit_events.id')
            .where('audit_events.subject', '=', sql<string>`cast(${sql.ref('pixel.id')} as text)`)
            .where('audit_events.action', 'in', ['tracking_pixels.insert', 'tracking_pixels.update'])
            .where(isSwitchedOn(db))
            .orderBy('audit_events.created_at', 'desc')
            .orderBy('audit_events.id', 'desc')
            .limit(1),
        ),
      ),
    )
    .select(['pixel.id', 'event.actor', 'event.created_at'])
    .where('pixel.is_active', '=', true)
    .execute()
  return new Map(
    rows.map(({ id, actor, created_at }) => [id, { by: ACTIVITY_ACTORS[actor] ?? actor, at: created_at }]),
  )
}
