import type {
  KyselyPlugin,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  QueryResult,
  RootOperationNode,
  UnknownRow,
} from 'kysely'
import { BOOLEAN_COLUMNS, JSON_COLUMNS } from './stored-columns.ts'

/** Gives booleans and JSON back as PostgreSQL does. By column name, never by guessing: a tag's code can look like JSON. */
export class SqliteValuesPlugin implements KyselyPlugin {
  transformQuery(args: PluginTransformQueryArgs): RootOperationNode {
    return args.node
  }

  async transformResult(args: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    const { rows } = args.result
    const first = rows[0]
    if (first === undefined) return args.result
    const booleans: string[] = []
    const documents: string[] = []
    for (const column of Object.keys(first)) {
      if (BOOLEAN_COLUMNS.has(column)) booleans.push(column)
      else if (JSON_COLUMNS.has(column)) documents.push(column)
    }
    for (const row of rows) {
      for (const column of booleans) row[column] = row[column] === null ? null : row[column] === 1
      for (const column of documents) {
        const text = row[column]
        if (typeof text === 'string') row[column] = JSON.parse(text)
      }
    }
    return args.result
  }
}
