import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Schema } from './schema.ts'

/** Rows of the queue that are taken together: a pixel's, or all of a kind. */
export type DeliveryScope = { pixelId: string } | { kind: 'newsletter' | 'mail' }

/** Whether a row is one that the lane takes from. */
export function isInScope(
  eb: ExpressionBuilder<Schema, 'deliveries'>,
  scope: DeliveryScope,
): Expression<SqlBool> {
  if ('pixelId' in scope) return eb('pixel_id', '=', scope.pixelId)
  return eb.and([eb('pixel_id', 'is', null), eb('kind', '=', scope.kind)])
}
