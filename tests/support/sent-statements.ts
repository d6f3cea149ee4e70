import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { vi } from 'vitest'
import { SQLITE_FILE } from '#server/db/database.ts'
import type { Storage } from './engines.ts'

interface Statement {
  sql: string
  parameters: (string | number)[]
}

/** Tables that grow with visits, years or people. Pixels and their hosts are entered by hand. */
export const LARGE_TABLES: ReadonlySet<string> = new Set([
  'audit_events',
  'auth_challenges',
  'auth_logins',
  'auth_one_time_tokens',
  'auth_refresh_tokens',
  'auth_sessions',
  'consent_leaves',
  'consent_records',
  'consent_seals',
  'consent_tree_nodes',
  'counts',
  'deliveries',
  'delivery_counts',
  'delivery_log',
  'newsletter_subscriptions',
  'outcome_campaign_values',
  'outcome_values',
  'outcomes',
  'rate_limits',
  'rate_windows',
  'site_counts',
  'tag_evidence',
  'tag_reports',
  'visit_keys_even',
  'visit_keys_odd',
])

/** The statements that reach the database during the work. */
export function statementsOn(
  { databaseUrl }: Pick<Storage, 'databaseUrl'>,
  work: () => Promise<unknown>,
): Promise<Statement[]> {
  return databaseUrl === null ? sentStatements(work) : sentToPostgres(work)
}

/** Steps of the plans of these statements that read a large table, or an index of it, from end to end. */
export async function findScans(
  { dataDir, databaseUrl }: Pick<Storage, 'dataDir' | 'databaseUrl'>,
  statements: readonly Statement[],
): Promise<string[]> {
  const explained = statements.filter(({ sql }) => EXPLAINED.test(sql))
  const found =
    databaseUrl === null
      ? findSqliteScans(join(dataDir, SQLITE_FILE), explained)
      : await findPostgresScans(databaseUrl, explained)
  return [...new Set(found)]
}

const EXPLAINED = /^\s*(?:select|with|insert|update|delete)\b/i

/** The statements that reach the SQLite thread during the work. */
export async function sentStatements(work: () => Promise<unknown>): Promise<Statement[]> {
  const posts = vi.spyOn(Worker.prototype, 'postMessage')
  try {
    await work()
    const sent = posts.mock.calls.flatMap(([batch]) => (Array.isArray(batch) ? (batch as Statement[]) : []))
    // Begin and end of a transaction have no text.
    return sent.filter(({ sql }) => sql !== '')
  } finally {
    posts.mockRestore()
  }
}

async function sentToPostgres(work: () => Promise<unknown>): Promise<Statement[]> {
  const queries = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return queries.mock.calls.flatMap(([query]) => {
      const { text, values = [] } = query as unknown as { text?: string; values?: Statement['parameters'] }
      return text === undefined ? [] : [{ sql: text, parameters: values }]
    })
  } finally {
    queries.mockRestore()
  }
}

/** SQLite's query plan of a statement. */
export function explain(file: string, { sql, parameters }: Statement): string[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const plan = database.prepare(`explain query plan ${sql}`).all(...parameters)
    return plan.map((step) => String(step.detail))
  } finally {
    database.close()
  }
}

/** Aliases of a statement, with their tables. */
function tablesByAlias(sql: string): Map<string, string> {
  return new Map([...sql.matchAll(/"(\w+)" as "(\w+)"/g)].map(([, table = '', alias = '']) => [alias, table]))
}

/** An index of waiting rows only may be read whole. */
function findSqliteScans(file: string, statements: readonly Statement[]): string[] {
  const database = new DatabaseSync(file, { readOnly: true })
  // The function that the SQLite thread defines.
  database.function('connection_id', () => 1)
  try {
    const partial = new Set(
      database
        .prepare(`select name from sqlite_master where type = 'index' and sql like '% where %'`)
        .all()
        .map(({ name }) => String(name)),
    )
    return statements.flatMap(({ sql, parameters }) => {
      const aliases = tablesByAlias(sql)
      return database
        .prepare(`explain query plan ${sql}`)
        .all(...parameters)
        .flatMap(({ detail }) => {
          const [, name = '', index = ''] = /^SCAN (\w+)(?:.* INDEX (\w+))?/.exec(String(detail)) ?? []
          const table = aliases.get(name) ?? name
          return LARGE_TABLES.has(table) && !partial.has(index) ? [`${detail} | ${sql}`] : []
        })
    })
  } finally {
    database.close()
  }
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: PlanNode[]
}

/**
 * Scans of whole tables, and joins that need them, are forbidden to its planner: it uses them only where no index
 * helps. An index without a condition is read whole, unless a limit ends it.
 */
async function findPostgresScans(databaseUrl: string, statements: readonly Statement[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off')
    const { rows } = await client.query(
      'select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid where i.indpred is not null',
    )
    const partial = new Set(rows.map(({ relname }) => relname as string))
    const faults: string[] = []
    for (const { sql, parameters } of statements) {
      const { rows: plans } = await client.query(`explain (format json) ${sql}`, parameters)
      const visit = (node: PlanNode, isLimited: boolean) => {
        const { 'Node Type': type, 'Relation Name': table, 'Index Name': index = '' } = node
        const readsAll = type === 'Seq Scan' || (/^Index.*Scan$/.test(type) && !node['Index Cond'])
        if (readsAll && LARGE_TABLES.has(table ?? '') && !partial.has(index) && !(isLimited && index !== ''))
          faults.push(`${type} ${table} ${index} | ${sql}`)
        const passesLimit = type === 'Limit' || (isLimited && /Nested Loop|LockRows|Result/.test(type))
        for (const child of node.Plans ?? []) visit(child, passesLimit)
      }
      visit(plans[0]['QUERY PLAN'][0].Plan, false)
    }
    return faults
  } finally {
    await client.end()
  }
}
