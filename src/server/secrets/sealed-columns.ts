/** Every column that holds sealed texts, with the one that names its row. */
export const SEALED_COLUMNS = [
  { table: 'auth_factors', column: 'secret', key: 'id' },
  { table: 'app_secrets', column: 'value', key: 'name' },
  { table: 'pixel_secrets', column: 'value', key: 'pixel_id' },
  // Of mails; null in other rows.
  { table: 'deliveries', column: 'sealed', key: 'id' },
] as const
