import type { AlertTables } from './alert-schema.ts'
import type { AuthTables } from './auth-schema.ts'
import type { DeliveryTables } from './delivery-schema.ts'
import type { EvidenceTables } from './evidence-schema.ts'
import type { InventoryTables } from './inventory-schema.ts'
import type { NewsletterTables } from './newsletter-schema.ts'
import type { SiteTables } from './site-schema.ts'
import type { TagTables } from './tag-schema.ts'

/** Every table, room by room. */
export interface Schema
  extends SiteTables,
    AuthTables,
    TagTables,
    DeliveryTables,
    EvidenceTables,
    InventoryTables,
    NewsletterTables,
    AlertTables {}
