import { randomUUID } from 'node:crypto'
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
import type { SecretPort } from '#server/db/secret-port.ts'
import { isHostName } from '../host-name.ts'
import { type ChangeReview, type ColumnRules, defineColumns, type Resource } from '../resource.ts'
import { pixelStore } from './pixel-store.ts'

const MAX_HOSTS = 100

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
    // Forms send an empty field where there is no ID.
    normalize: (value) => (value === '' ? null : value),
    check: {
      constraint: 'tracking_pixels_pixel_id_check',
      expected: `pixel_id must match ${PIXEL_ID_PATTERN.source}, and be null for custom pixels`,
      passes: (value, row) =>
        row.type === 'custom' ? value === null : typeof value === 'string' && PIXEL_ID_PATTERN.test(value),
    },
  },
  code: {
    // As the form does, which fills in the vendor's snippet as soon as there is an ID.
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
      expected: `allowed_hosts must be an array of at most ${MAX_HOSTS} host names, such as ["cdn.example.com"]`,
      passes: (value) =>
        Array.isArray(value) &&
        value.length <= MAX_HOSTS &&
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
  // Absent: as it is. Null or empty: removed.
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

/** What the data service needs of the tags, which the rows of this table become. */
export interface PixelPort {
  /** Has the code of each written row compiled and its vendor recognised before the write is committed. */
  review(): ChangeReview
  /** Swaps the landing page: the answer to a change comes when its effect is served. */
  afterChange(): Promise<void>
}

export function trackingPixels(port: PixelPort, secrets: SecretPort): Resource {
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
