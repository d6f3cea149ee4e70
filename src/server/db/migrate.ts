import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { columnTypes, engineOf } from './dialect.ts'
import { WITHOUT_TIME_LIMIT } from './engines/postgres-pool.ts'
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
import * as destination from './migrations/0050-destination.ts'
import * as counts from './migrations/0053-counts.ts'
import * as copiedCounts from './migrations/0054-copy-counts.ts'
import * as laneRests from './migrations/0055-lane-rests.ts'
import * as tagSets from './migrations/0057-tag-sets.ts'
import * as rateWindows from './migrations/0058-rate-windows.ts'
import * as leafPositions from './migrations/0059-leaf-positions.ts'
import * as searchIndexes from './migrations/0060-search-indexes.ts'
import * as visits from './migrations/0061-visits.ts'
import * as alertWebhook from './migrations/0062-alert-webhook.ts'
import * as weeklySummary from './migrations/0063-weekly-summary.ts'
import * as outcomes from './migrations/0065-outcomes.ts'
import * as visitCodes from './migrations/0067-visit-codes.ts'
import * as outcomeEvents from './migrations/0068-outcome-events.ts'
import * as outcomeCampaignValues from './migrations/0069-outcome-campaign-values.ts'
import type { Schema, TableName } from './schema/index.ts'

/** Append-only and additive: a released migration is never edited, and older processes keep running beside it. */
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
  // Visits in which a pixel's category was refused. Null in older rows: nobody counted.
  '0016-ledger': addColumns('tag_reports', { not_consented: 'integer' }),
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
  // Which code of a pixel was kept from a host, and what it wanted there.
  '0044-blocked-host-code': addColumns('blocked_hosts', { code_hash: 'text', use: 'text' }),
  // When a stopped pixel was last tried again, separate from when it stopped.
  '0048-delivery-probes': addColumns('delivery_stops', { tried_at: 'timestamp' }),
  // What an alert mail is about, so that it can link to the page that shows it.
  '0049-alert-kind': addColumns('alert_mails', { kind: 'text' }),
  '0050-destination': { up: destination.up },
  '0053-counts': { up: counts.up },
  '0054-copy-counts': { up: copiedCounts.up },
  '0055-lane-rests': { up: laneRests.up },
  // Gives each started process its own rows of counts.
  '0056-process-shards': {
    up: async (db) => {
      if (engineOf(db) === 'postgres') await sql`create sequence process_shards`.execute(db)
    },
  },
  '0057-tag-sets': { up: tagSets.up },
  '0058-rate-windows': { up: rateWindows.up },
  '0059-leaf-positions': { up: leafPositions.up },
  '0060-search-indexes': { up: searchIndexes.up },
  '0061-visits': { up: visits.up },
  '0062-alert-webhook': { up: alertWebhook.up },
  '0063-weekly-summary': { up: weeklySummary.up },
  // What destinations need beside ID, address and secret.
  '0064-destination-settings': addColumns('tracking_pixels', {
    destination_account: 'text',
    event_ids: 'json',
  }),
  '0065-outcomes': { up: outcomes.up },
  '0067-visit-codes': { up: visitCodes.up },
  '0068-outcome-events': { up: outcomeEvents.up },
  '0069-outcome-campaign-values': { up: outcomeCampaignValues.up },
  '0070-sign-up-google-hash': addColumns('sign_up_hashes', { google_hash: 'text' }),
}

/**
 * Columns that hold nothing in the rows there are: processes of the release before go on writing rows without them.
 * @example
 * '0099-campaign': addColumns('tracking_pixels', { campaign: 'text' }),
 */
function addColumns(
  table: TableName,
  columns: Readonly<Record<string, keyof ReturnType<typeof columnTypes>>>,
): Migration {
  return {
    up: async (db) => {
      const types = columnTypes(db)
      for (const [name, type] of Object.entries(columns))
        await db.schema.alterTable(table).addColumn(name, types[type]).execute()
    },
  }
}

/** A database with other names was used by a newer version. */
export const MIGRATION_NAMES: ReadonlySet<string> = new Set(Object.keys(MIGRATIONS))

export interface Migrated {
  applied: string[]
  /** Applied by a newer version of the program. */
  newer: string[]
}

/** Migrates to the newest schema, completely or not at all. A second process waits and then finds nothing to do. */
export function migrate(db: Kysely<Schema>, migrations = MIGRATIONS): Promise<Migrated> {
  return db.transaction().execute(async (trx) => {
    if (engineOf(trx) === 'postgres') {
      await sql.raw(WITHOUT_TIME_LIMIT).execute(trx)
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
    }
    // Before the migrator's first statement: two processes that create its tables would collide.
    const { adapter } = trx.getExecutor()
    await adapter.acquireMigrationLock(trx, { lockTable: '', lockRowId: '' })
    const { done, newer } = await readDone(trx, migrations)
    // The usual start: the migrator, which first reads every column of every table, is not needed.
    if (newer.length > 0 || done.length === Object.keys(migrations).length) return { applied: [], newer }
    const migrator = new Migrator({ db: trx, provider: { getMigrations: async () => migrations } })
    const { error, results = [] } = await migrator.migrateToLatest()
    if (error !== undefined) throw error
    return { applied: results.map((result) => result.migrationName), newer }
  })
}

async function readDone(
  trx: Kysely<Schema>,
  migrations: Record<string, Migration>,
): Promise<{ done: string[]; newer: string[] }> {
  if (!(await hasMigrationTable(trx))) return { done: [], newer: [] }
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(trx)
  const done = rows.map(({ name }) => name)
  const newer = done.filter((name) => !Object.hasOwn(migrations, name))
  const missing = Object.keys(migrations).filter((name) => !done.includes(name))
  if (newer.length > 0 && missing.length > 0) {
    throw new Error(
      `o banco tem migrações de outra versão (${newer.join(', ')}) e não tem as desta (${missing.join(', ')}). Use a versão do Pórtico que criou este banco`,
    )
  }
  return { done, newer }
}

async function hasMigrationTable(trx: Kysely<Schema>): Promise<boolean> {
  const { rows } = await (engineOf(trx) === 'postgres'
    ? sql`select 1 where to_regclass('kysely_migration') is not null`
    : sql`select 1 from sqlite_master where type = 'table' and name = 'kysely_migration'`
  ).execute(trx)
  return rows.length > 0
}
