import { randomUUID } from 'node:crypto'
import { OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import { CONVERSION_LABEL_PATTERN, CONVERSIONS, isConversionLabels } from '#contract/conversion.ts'
import { REASON_MAX_LENGTH } from '#contract/inventory.ts'
import {
  DEFAULT_CATEGORY,
  PIXEL_CODE_MAX_BYTES,
  PIXEL_ID_PATTERN,
  PIXEL_NAME_MAX_LENGTH,
  PIXEL_TYPES,
  type PixelType,
} from '#contract/pixel.ts'
import { PIXEL_DELIVERIES } from '#contract/pixel-delivery.ts'
import { mayBeIsolated, PIXEL_RUNS_IN } from '#contract/pixel-runs-in.ts'
import type { SecretPort } from '#server/db/secret-port.ts'
import { isHostName } from '../host-name.ts'
import type { ChangeReview, Column, Resource } from '../resource.ts'
import { pixelStore } from './pixel-store.ts'

const MAX_HOSTS = 100

const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'uuid', writable: 'create', initial: () => randomUUID() },
  {
    name: 'name',
    type: 'text',
    writable: 'always',
    normalize: (value) => (typeof value === 'string' ? value.trim() : value),
    check: {
      constraint: 'tracking_pixels_name_check',
      expected: `name must have 1 to ${PIXEL_NAME_MAX_LENGTH} characters`,
      passes: (value) => value !== '' && [...String(value)].length <= PIXEL_NAME_MAX_LENGTH,
    },
  },
  {
    name: 'type',
    type: 'text',
    writable: 'always',
    check: {
      constraint: 'tracking_pixels_type_check',
      expected: `type must be one of ${PIXEL_TYPES.join(', ')}`,
      passes: isPixelType,
    },
  },
  {
    name: 'pixel_id',
    type: 'text',
    writable: 'always',
    nullable: true,
    // Forms send an empty field where there is no ID.
    normalize: (value) => (value === '' ? null : value),
    check: {
      constraint: 'tracking_pixels_pixel_id_check',
      expected: `pixel_id must match ${PIXEL_ID_PATTERN.source}, and be null for custom pixels`,
      passes: (value, row) =>
        row.type === 'custom' ? value === null : typeof value === 'string' && PIXEL_ID_PATTERN.test(value),
    },
  },
  {
    name: 'code',
    type: 'text',
    writable: 'always',
    initial: () => '',
    normalize: (value) => value ?? '',
    check: {
      constraint: 'tracking_pixels_code_check',
      expected: `code must not exceed ${PIXEL_CODE_MAX_BYTES} bytes`,
      passes: (value) => Buffer.byteLength(String(value)) <= PIXEL_CODE_MAX_BYTES,
    },
  },
  { name: 'is_active', type: 'boolean', writable: 'always', initial: () => true },
  {
    name: 'allowed_hosts',
    type: 'json',
    document: 'array',
    writable: 'always',
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
  {
    name: 'consent_category',
    type: 'text',
    writable: 'always',
    initial: ({ type }) => (isPixelType(type) ? DEFAULT_CATEGORY[type] : 'marketing'),
    check: {
      constraint: 'tracking_pixels_consent_category_check',
      expected: `consent_category must be one of ${OPTIONAL_CATEGORIES.join(', ')}`,
      passes: (value) => (OPTIONAL_CATEGORIES as readonly unknown[]).includes(value),
    },
  },
  {
    name: 'conversion_labels',
    type: 'json',
    document: 'object',
    writable: 'always',
    initial: () => ({}),
    normalize: (value) => value ?? {},
    check: {
      constraint: 'tracking_pixels_conversion_labels_check',
      expected: `conversion_labels must be an object of ${CONVERSIONS.join(', ')} with labels that match ${CONVERSION_LABEL_PATTERN.source}`,
      passes: isConversionLabels,
    },
  },
  {
    name: 'delivery',
    type: 'text',
    writable: 'always',
    initial: () => 'browser',
    check: {
      constraint: 'tracking_pixels_delivery_check',
      expected: `delivery must be one of ${PIXEL_DELIVERIES.join(', ')}`,
      passes: (value) => (PIXEL_DELIVERIES as readonly unknown[]).includes(value),
    },
  },
  // Absent: as it is. Null or empty: removed.
  {
    name: 'access_token',
    type: 'text',
    writable: 'always',
    readable: false,
    nullable: true,
    normalize: (value) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null),
  },
  { name: 'has_access_token', type: 'boolean', writable: 'maintained', initial: () => false },
  { name: 'access_token_stored_at', type: 'timestamp', writable: 'maintained', nullable: true },
  {
    name: 'webhook_url',
    type: 'text',
    writable: 'always',
    nullable: true,
    normalize: (value) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null),
  },
  { name: 'send_hashed_email', type: 'boolean', writable: 'always', initial: () => false },
  { name: 'auto_disable', type: 'boolean', writable: 'always', initial: () => false },
  {
    name: 'runs_in',
    type: 'text',
    writable: 'always',
    initial: () => 'page',
    check: {
      constraint: 'tracking_pixels_runs_in_check',
      expected: `runs_in must be one of ${PIXEL_RUNS_IN.join(', ')}, and page for all but custom pixels`,
      passes: (value, row) =>
        value === 'page' || (value === 'isolated' && isPixelType(row.type) && mayBeIsolated(row.type)),
    },
  },
  {
    name: 'reason',
    type: 'text',
    writable: 'always',
    nullable: true,
    normalize: (value) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null),
    check: {
      constraint: 'tracking_pixels_reason_check',
      expected: `reason must not exceed ${REASON_MAX_LENGTH} characters`,
      passes: (value) => value === null || [...String(value)].length <= REASON_MAX_LENGTH,
    },
  },
  { name: 'created_at', type: 'timestamp', writable: 'always', initial: () => new Date().toISOString() },
  { name: 'updated_at', type: 'timestamp', writable: 'maintained', initial: () => new Date().toISOString() },
]

/** What the data service needs of the tags, which the rows of this table become. */
export interface PixelPort {
  /** The vendor that a pixel of this type and code is. */
  vendorOf(type: PixelType, code: string): string | null
  /** Has the code of each written row compiled before the write is committed. */
  review(): ChangeReview
  /** Swaps the landing page: the answer to a change comes when its effect is served. */
  afterChange(): Promise<void>
}

export function trackingPixels(port: PixelPort, secrets: SecretPort): Resource {
  const name = 'tracking_pixels'
  const columns: readonly Column[] = [
    ...COLUMNS,
    {
      name: 'vendor',
      type: 'text',
      writable: 'maintained',
      nullable: true,
      initial: () => null,
      normalize: (_value, row) => port.vendorOf(row.type as PixelType, String(row.code)),
    },
  ]
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
