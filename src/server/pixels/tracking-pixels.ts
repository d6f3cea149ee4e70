import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { CONVERSION_LABEL_PATTERN, CONVERSIONS, isConversionLabels } from '#contract/conversions.ts'
import { REASON_MAX_LENGTH } from '#contract/inventory.ts'
import {
  countCharacters,
  DEFAULT_CATEGORY,
  isWithinCodeLimit,
  mayBeIsolated,
  PIXEL_CODE_MAX_BYTES,
  PIXEL_ID_PATTERN,
  PIXEL_NAME_MAX_LENGTH,
  PIXEL_TYPES,
  type PixelType,
} from '#contract/pixel.ts'
import { PIXEL_COLUMNS } from '#contract/pixel-columns.ts'
import { generateSnippet } from '#contract/pixel-snippet.ts'
import { isHostName } from '#contract/public-host.ts'
import {
  changesSending,
  chooseDestination,
  isSentElsewhere,
  refuseDelivery,
} from '../conversions/sending-rules.ts'
import { duplicateKey } from '../data/errors.ts'
import {
  asDynamic,
  type ChangeReview,
  type Column,
  type ColumnRules,
  defineColumns,
  PRIMARY_KEY,
  type Resource,
  type Row,
  type Store,
} from '../data/resource.ts'
import { encode, tableStore } from '../data/row-writer.ts'
import type { Db } from '../db/database.ts'
import { auditActor, type Caller } from '../http/security/administrators.ts'
import { endRest } from '../outbox/rest.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { MAX_ALLOWED_HOSTS } from '../tags/hosts/permissions.ts'

const trimmed = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null)

const RULES: { readonly [K in keyof typeof PIXEL_COLUMNS]?: ColumnRules } = {
  id: { initial: () => randomUUID() },
  name: {
    normalize: (value) => (typeof value === 'string' ? value.trim() : value),
    check: {
      constraint: 'tracking_pixels_name_check',
      expected: `name must have 1 to ${PIXEL_NAME_MAX_LENGTH} characters`,
      passes: (value) => value !== '' && countCharacters(String(value)) <= PIXEL_NAME_MAX_LENGTH,
    },
  },
  pixel_id: {
    // Forms send an empty field for a missing ID.
    normalize: (value) => (value === '' ? null : value),
    check: {
      constraint: 'tracking_pixels_pixel_id_check',
      expected: `pixel_id must match ${PIXEL_ID_PATTERN.source}, and be null for custom pixels`,
      passes: (value, row) =>
        row.type === 'custom' ? value === null : typeof value === 'string' && PIXEL_ID_PATTERN.test(value),
    },
  },
  code: {
    // Like the form, which fills in the vendor's snippet once there is an ID.
    initial: ({ type, pixel_id }) =>
      isPixelType(type) && type !== 'custom' ? generateSnippet(type, String(pixel_id ?? '')) : '',
    normalize: (value) => value ?? '',
    check: {
      constraint: 'tracking_pixels_code_check',
      expected: `code must not exceed ${PIXEL_CODE_MAX_BYTES} bytes in UTF-8`,
      passes: (value) => isWithinCodeLimit(String(value)),
    },
  },
  is_active: { initial: () => true },
  allowed_hosts: {
    initial: () => [],
    normalize: normalizeHosts,
    check: {
      constraint: 'tracking_pixels_allowed_hosts_check',
      expected: `allowed_hosts must be an array of at most ${MAX_ALLOWED_HOSTS} host names, such as ["cdn.example.com"]`,
      passes: (value) =>
        Array.isArray(value) &&
        value.length <= MAX_ALLOWED_HOSTS &&
        value.every((host) => typeof host === 'string' && isHostName(host)),
    },
  },
  consent_category: {
    initial: ({ type }) => (isPixelType(type) ? DEFAULT_CATEGORY[type] : 'marketing'),
  },
  conversion_labels: {
    initial: () => ({}),
    normalize: (value) => value ?? {},
    check: {
      constraint: 'tracking_pixels_conversion_labels_check',
      expected: `conversion_labels must be an object of ${CONVERSIONS.join(', ')} with labels that match ${CONVERSION_LABEL_PATTERN.source}`,
      passes: isConversionLabels,
    },
  },
  delivery: { initial: () => 'browser' },
  destination: { normalize: trimmed },
  destination_account: {
    normalize: trimmed,
    check: {
      constraint: 'tracking_pixels_destination_account_check',
      expected: `destination_account must match ${PIXEL_ID_PATTERN.source}`,
      passes: (value) => value === null || PIXEL_ID_PATTERN.test(String(value)),
    },
  },
  event_ids: {
    check: {
      constraint: 'tracking_pixels_event_ids_check',
      expected: `event_ids must be an object of ${CONVERSIONS.join(', ')} with IDs that match ${CONVERSION_LABEL_PATTERN.source}`,
      passes: (value) => value === null || isConversionLabels(value),
    },
  },
  // Absent: unchanged. Null or empty: deleted.
  access_token: { normalize: trimmed },
  has_access_token: { initial: () => false },
  webhook_url: { normalize: trimmed },
  send_hashed_email: { initial: () => false },
  auto_disable: { initial: () => false },
  runs_in: {
    initial: () => 'page',
    check: {
      constraint: 'tracking_pixels_runs_in_check',
      expected: 'runs_in must be page for all but custom pixels',
      passes: (value, row) => value === 'page' || (isPixelType(row.type) && mayBeIsolated(row.type)),
    },
  },
  reason: {
    normalize: trimmed,
    check: {
      constraint: 'tracking_pixels_reason_check',
      expected: `reason must not exceed ${REASON_MAX_LENGTH} characters`,
      passes: (value) => value === null || countCharacters(String(value)) <= REASON_MAX_LENGTH,
    },
  },
  created_at: { initial: () => new Date().toISOString() },
  vendor: { reviewed: true },
  updated_at: { initial: () => new Date().toISOString() },
}

/** What the data API needs from the tags module. */
interface PixelPort {
  /** Compiles the code of each written row and recognises its vendor before the commit. */
  review(): ChangeReview
  /** Swaps the page: a change is answered when it is served. */
  afterChange(): Promise<void>
}

export function trackingPixels(port: PixelPort, secrets: Secrets): Resource {
  const name = 'tracking_pixels'
  const columns = defineColumns(PIXEL_COLUMNS, RULES)
  return {
    name,
    columns,
    uniqueKeys: [{ constraint: 'tracking_pixels_pkey', columns: ['id'] }],
    versionColumn: 'updated_at',
    defaultOrder: ['created_at'],
    source: (db) => db.selectFrom(name).where(`${name}.deleted_at`, 'is', null),
    store: pixelStore(name, columns, secrets),
    review: () => port.review(),
    afterChange: () => port.afterChange(),
  }
}

function isPixelType(value: unknown): value is PixelType {
  return (PIXEL_TYPES as readonly unknown[]).includes(value)
}

function normalizeHosts(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  return [...new Set(value.map((host) => (typeof host === 'string' ? host.trim().toLowerCase() : host)))]
}

/** The rows of the table. Secrets are encrypted in a separate table that is never read back. */
function pixelStore(table: string, columns: readonly Column[], secrets: Secrets): Store {
  const store = trashStore(
    table,
    columns.filter(({ name }) => name !== 'access_token'),
  )
  return {
    ...store,
    async insert(trx: Db, row: Row, caller: Caller) {
      const { access_token, ...rest } = noteSecret({ ...row, destination: chooseDestination(null, row) })
      refuseDelivery({ ...rest, access_token })
      const stored = await store.insert(trx, rest, caller)
      // A row restored from the trash still has its secret; a newly inserted one has its own or none.
      if (access_token !== undefined || rest.has_access_token !== true)
        await keepSecret(trx, secrets, String(row.id), access_token)
      return stored
    },
    async update(trx: Db, before: Row, after: Row, caller: Caller) {
      after.destination = chooseDestination(before, after)
      forgetFormer(before, after)
      Object.assign(after, noteSecret(after))
      const { access_token, ...rest } = after
      const isTouched = access_token !== undefined || changesSending(before, after)
      if (isTouched) refuseDelivery(after)
      await store.update(trx, before, rest, caller)
      if (access_token !== undefined) await keepSecret(trx, secrets, String(after.id), access_token)
      if (isTouched) await resumeSending(trx, String(after.id))
      // Their events are those of the former destination.
      if (isSentElsewhere(before, after))
        await trx.deleteFrom('outcome_events').where('pixel_id', '=', String(after.id)).execute()
    },
  }
}

/** Secret, account and IDs belong to the destination for which they were stored. */
function forgetFormer(before: Row, after: Row): void {
  if (!isSentElsewhere(before, after)) return
  if (after.access_token === undefined && before.has_access_token === true) after.access_token = null
  for (const name of ['destination_account', 'event_ids'])
    if (JSON.stringify(before[name]) === JSON.stringify(after[name])) after[name] = null
}

/** Sets the column that says whether there is a secret. */
function noteSecret(row: Row): Row {
  if (row.access_token === undefined) return row
  const isKept = row.access_token !== null
  return {
    ...row,
    has_access_token: isKept,
    access_token_stored_at: isKept ? new Date().toISOString() : null,
  }
}

async function keepSecret(trx: Db, secrets: Secrets, pixelId: string, token: unknown): Promise<void> {
  if (typeof token !== 'string') {
    await trx.deleteFrom('pixel_secrets').where('pixel_id', '=', pixelId).execute()
    return
  }
  const place = { table: 'pixel_secrets', column: 'value', row: pixelId }
  const value = await secrets.encrypt(trx, place, token)
  await trx
    .insertInto('pixel_secrets')
    .values({ pixel_id: pixelId, value })
    .onConflict((conflict) => conflict.column('pixel_id').doUpdateSet({ value }))
    .execute()
}

/** Jobs that waited for this change are tried at once. */
async function resumeSending(trx: Db, pixelId: string): Promise<void> {
  await endRest(trx, pixelId)
  const { numDeletedRows } = await trx
    .deleteFrom('delivery_stops')
    .where('pixel_id', '=', pixelId)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) return
  await trx
    .updateTable('deliveries')
    .set({ next_attempt_at: new Date().toISOString() })
    .where('pixel_id', '=', pixelId)
    .execute()
}

/** The store of a table with a trash. Its reads must leave the trash out. */
function trashStore(table: string, columns: readonly Column[]): Store {
  const store = tableStore(table, columns)
  return {
    ...store,
    /** An id in the trash can be inserted again: the row is replaced. */
    async insert(trx: Db, row: Row) {
      const values = encode(columns, row)
      const { numInsertedOrUpdatedRows } = await asDynamic(trx)
        .insertInto(table)
        .values(values)
        .onConflict((conflict) =>
          conflict
            .column(PRIMARY_KEY)
            .doUpdateSet({ ...values, deleted_at: null, deleted_by: null, active_when_deleted: null })
            .where(`${table}.deleted_at`, 'is not', null),
        )
        .executeTakeFirstOrThrow()
      if (numInsertedOrUpdatedRows === 0n)
        throw duplicateKey(`${table}_pkey`, `Key (${PRIMARY_KEY})=(${row[PRIMARY_KEY]}) already exists.`)
      return row
    },
    async remove(trx: Db, before: Row, caller: Caller) {
      await asDynamic(trx)
        .updateTable(table)
        .set({
          deleted_at: new Date().toISOString(),
          deleted_by: auditActor(caller).actor,
          active_when_deleted: sql.ref('is_active'),
          is_active: false,
        })
        .where(PRIMARY_KEY, '=', before[PRIMARY_KEY])
        .execute()
    },
  }
}
