import { pixelColumns } from '#contract/pixel-columns.ts'

/** What SQLite stores as something else and `sqlite-values-plugin.ts` gives back; every name must mean the same in each table. */
export const BOOLEAN_COLUMNS: ReadonlySet<string> = new Set([
  ...pixelColumns(({ type }) => type === 'boolean'),
  'is_principal',
  'active_when_deleted',
  'is_unasked',
])
export const JSON_COLUMNS: ReadonlySet<string> = new Set([
  ...pixelColumns(({ type }) => type === 'json'),
  'transports',
  'user_metadata',
  'app_metadata',
  'amr',
  'categories',
  'steps',
  'before',
  'after',
  'kinds',
  'vendors',
  'told_by',
  'hosts',
  'files',
])
