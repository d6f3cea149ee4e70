/** What SQLite stores as something else and `sqlite-values-plugin.ts` gives back; every name must mean the same in each table. */
export const BOOLEAN_COLUMNS: ReadonlySet<string> = new Set([
  'is_active',
  'is_principal',
  'active_when_deleted',
  'has_access_token',
  'send_hashed_email',
  'auto_disable',
  'is_unasked',
])
export const JSON_COLUMNS: ReadonlySet<string> = new Set([
  'transports',
  'user_metadata',
  'app_metadata',
  'amr',
  'allowed_hosts',
  'conversion_labels',
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
