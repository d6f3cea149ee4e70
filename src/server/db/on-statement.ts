import type { LogEvent } from 'kysely'

/** Told of a statement that has ended: its kind, such as `SelectQueryNode`, how long it took, and whether it failed. */
export type OnStatement = (kind: string, ms: number, failed: boolean) => void

/** The query builder measures only when it is given somebody to tell. */
export function tellStatements(onStatement: OnStatement | undefined): { log?: (event: LogEvent) => void } {
  if (onStatement === undefined) return {}
  return {
    log: ({ level, query, queryDurationMillis }) =>
      onStatement(query.query.kind, queryDurationMillis, level === 'error'),
  }
}
