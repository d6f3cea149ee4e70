import type { Db } from '../db/database.ts'
import { toCsvLine } from '../http/csv-line.ts'
import { readPageCursor } from '../http/page-cursor.ts'
import { listActivity, type readActivityQuery } from './list-activity.ts'

/** All that the same query would show, page after page. */
export async function* exportActivity(
  db: Db,
  query: ReturnType<typeof readActivityQuery>,
): AsyncGenerator<string> {
  yield toCsvLine(['quando', 'quem', 'o_que'])
  let before = query.before
  while (true) {
    const { events, next } = await listActivity(db, { ...query, before })
    if (events.length > 0) yield events.map(({ at, by, text }) => toCsvLine([at, by, text])).join('')
    if (next === null) return
    before = readPageCursor(next)
  }
}
