import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { engineOf } from './dialect.ts'
import { WITHOUT_TIME_LIMIT } from './engines/postgres.ts'
import * as auth from './migrations/0001-auth.ts'
import * as pixelsAndTags from './migrations/0002-pixels-and-tags.ts'
import * as newsletter from './migrations/0003-newsletter.ts'
import * as operation from './migrations/0004-operation.ts'
import * as tokenRole from './migrations/0005-token-role.ts'
import * as loginMethods from './migrations/0006-login-methods.ts'
import * as accounts from './migrations/0007-accounts.ts'
import * as compiledTags from './migrations/0008-compiled-tags.ts'
import * as secretKey from './migrations/0009-secret-key.ts'
import * as indexesAndReadiness from './migrations/0011-indexes-and-readiness.ts'
import * as siteId from './migrations/0012-site-id.ts'
import * as loginNetwork from './migrations/0013-login-network.ts'
import * as vendors from './migrations/0014-vendors.ts'
import * as tagEvidence from './migrations/0015-tag-evidence.ts'
import * as ledger from './migrations/0016-ledger.ts'
import * as trash from './migrations/0017-trash.ts'
import * as apiKeys from './migrations/0018-api-keys.ts'
import * as deliveries from './migrations/0019-deliveries.ts'
import * as expiringDeliveries from './migrations/0020-expiring-deliveries.ts'
import * as today from './migrations/0021-today.ts'
import * as alerts from './migrations/0022-alerts.ts'
import * as tagTests from './migrations/0023-tag-tests.ts'
import * as breaker from './migrations/0024-breaker.ts'
import * as passkeys from './migrations/0025-passkeys.ts'
import * as linkCodes from './migrations/0026-link-codes.ts'
import * as oneQueue from './migrations/0027-one-queue.ts'
import * as runsIn from './migrations/0028-runs-in.ts'
import * as consentEvidence from './migrations/0029-consent-evidence.ts'
import * as inventory from './migrations/0030-inventory.ts'
import * as costAndSignUps from './migrations/0031-cost-and-sign-ups.ts'
import * as refreshCounter from './migrations/0034-refresh-counter.ts'
import * as blockedHostNetworks from './migrations/0036-blocked-host-networks.ts'
import * as partiesLastServed from './migrations/0038-parties-last-served.ts'
import * as clockSeen from './migrations/0042-clock-seen.ts'
import * as blockedHostCode from './migrations/0044-blocked-host-code.ts'
import * as deliveryProbes from './migrations/0048-delivery-probes.ts'
import * as alertKind from './migrations/0049-alert-kind.ts'
import * as destination from './migrations/0050-destination.ts'
import * as counts from './migrations/0053-counts.ts'
import * as copiedCounts from './migrations/0054-copy-counts.ts'
import type { Schema } from './schema/index.ts'

/** Append-only and additive: a migration that has been released is never edited, and older processes go on beside it. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-auth': { up: auth.up },
  '0002-pixels-and-tags': { up: pixelsAndTags.up },
  '0003-newsletter': { up: newsletter.up },
  '0004-operation': { up: operation.up },
  '0005-token-role': { up: tokenRole.up },
  '0006-login-methods': { up: loginMethods.up },
  '0007-accounts': { up: accounts.up },
  '0008-compiled-tags': { up: compiledTags.up },
  '0009-secret-key': { up: secretKey.up },
  '0011-indexes-and-readiness': { up: indexesAndReadiness.up },
  '0012-site-id': { up: siteId.up },
  '0013-login-network': { up: loginNetwork.up },
  '0014-vendors': { up: vendors.up },
  '0015-tag-evidence': { up: tagEvidence.up },
  '0016-ledger': { up: ledger.up },
  '0017-trash': { up: trash.up },
  '0018-api-keys': { up: apiKeys.up },
  '0019-deliveries': { up: deliveries.up },
  '0020-expiring-deliveries': { up: expiringDeliveries.up },
  '0021-today': { up: today.up },
  '0022-alerts': { up: alerts.up },
  '0023-tag-tests': { up: tagTests.up },
  '0024-breaker': { up: breaker.up },
  '0025-passkeys': { up: passkeys.up },
  '0026-link-codes': { up: linkCodes.up },
  '0027-one-queue': { up: oneQueue.up },
  '0028-runs-in': { up: runsIn.up },
  '0029-consent-evidence': { up: consentEvidence.up },
  '0030-inventory': { up: inventory.up },
  '0031-cost-and-sign-ups': { up: costAndSignUps.up },
  '0034-refresh-counter': { up: refreshCounter.up },
  '0036-blocked-host-networks': { up: blockedHostNetworks.up },
  '0038-parties-last-served': { up: partiesLastServed.up },
  '0042-clock-seen': { up: clockSeen.up },
  '0044-blocked-host-code': { up: blockedHostCode.up },
  '0048-delivery-probes': { up: deliveryProbes.up },
  '0049-alert-kind': { up: alertKind.up },
  '0050-destination': { up: destination.up },
  '0053-counts': { up: counts.up },
  '0054-copy-counts': { up: copiedCounts.up },
}

/** A database that lists another one was used by a newer version. */
export const MIGRATION_NAMES: ReadonlySet<string> = new Set(Object.keys(MIGRATIONS))

export interface Migrated {
  applied: string[]
  /** Applied by a newer version of the program; this one does not know what they did. */
  newer: string[]
}

/**
 * Brings the database to the newest schema, all of it or nothing. Whoever comes second waits for as long as it takes,
 * and then finds nothing to do.
 */
export function migrate(db: Kysely<Schema>, migrations = MIGRATIONS): Promise<Migrated> {
  return db.transaction().execute(async (trx) => {
    if (engineOf(trx) === 'postgres') {
      await sql.raw(WITHOUT_TIME_LIMIT).execute(trx)
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
    }
    // Before the migrator's first statement: two that create its tables at once would collide.
    const { adapter } = trx.getExecutor()
    await adapter.acquireMigrationLock(trx, { lockTable: '', lockRowId: '' })
    const newer = await findNewer(trx, migrations)
    if (newer.length > 0) return { applied: [], newer }
    const migrator = new Migrator({ db: trx, provider: { getMigrations: async () => migrations } })
    const { error, results = [] } = await migrator.migrateToLatest()
    if (error !== undefined) throw error
    return { applied: results.map((result) => result.migrationName), newer }
  })
}

async function findNewer(trx: Kysely<Schema>, migrations: Record<string, Migration>): Promise<string[]> {
  const tables = await trx.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(trx)
  const done = rows.map(({ name }) => name)
  const newer = done.filter((name) => !Object.hasOwn(migrations, name))
  const missing = Object.keys(migrations).filter((name) => !done.includes(name))
  if (newer.length > 0 && missing.length > 0) {
    throw new Error(
      `ele tem migrações de outra versão do programa (${newer.join(', ')}) e não tem as desta (${missing.join(', ')})`,
    )
  }
  return newer
}
