import { selectAdministrators } from '../db/administrators.ts'
import { engineOf } from '../db/column-types.ts'
import type { Db } from '../db/database.ts'
import { aheadRange } from '../db/stored-time.ts'
import type { Logger } from '../http/logger.ts'
import { type AlertLetter, alertLetter } from './alert-letter.ts'

const LEASE_MS = 120_000
const BATCH = 500
const LAST_ATTEMPT = 8
const FIRST_DELAY_MS = 60_000
/** The next morning is the furthest that one is put off. */
const LONGEST_DELAY_MS = 86_400_000

export interface SendDeps {
  db: Db
  adminUrl: string
  send: (to: string, letter: AlertLetter) => Promise<void>
  log: Pick<Logger, 'warn'>
}

/**
 * Sends what is due, one mail to a person however many pixels it is about. A row that one process has taken is not seen
 * by the others; one that a killed process had taken comes back when its lease ends.
 */
export async function sendAlerts({ db, adminUrl, send, log }: SendDeps, now: number): Promise<void> {
  const claimed = await claim(db, now)
  if (claimed.length === 0) return
  const ids = claimed.map(({ id }) => id)
  const rows = await selectAdministrators(db, now)
    .innerJoin('alert_mails', 'alert_mails.user_id', 'auth_users.id')
    .innerJoin('tracking_pixels', 'tracking_pixels.id', 'alert_mails.pixel_id')
    .select([
      'alert_mails.id',
      'alert_mails.user_id',
      'alert_mails.attempts',
      'alert_mails.kind',
      'alert_mails.text',
      'auth_users.email',
      'tracking_pixels.id as pixelId',
      'tracking_pixels.name as pixelName',
    ])
    .where('alert_mails.id', 'in', ids)
    .where('tracking_pixels.deleted_at', 'is', null)
    .orderBy('tracking_pixels.name')
    .execute()
  // Nobody is told about a pixel that was deleted since, and nobody who lost access since is told.
  const told = new Set(rows.map(({ id }) => id))
  await settle(db, { ids: ids.filter((id) => !told.has(id)), sent_at: new Date(now).toISOString() })
  for (const mails of Map.groupBy(rows, ({ user_id }) => user_id).values()) {
    const own = mails.map(({ id }) => id)
    const [{ email = '', attempts = 0 } = {}] = mails
    try {
      await send(email, alertLetter(mails, adminUrl))
      await settle(db, { ids: own, sent_at: new Date(now).toISOString() })
    } catch (error) {
      // Codes only: the text of a mail server's refusal often repeats the address.
      log.warn({ code: (error as { code?: unknown }).code }, 'an alert could not be mailed yet')
      const isLast = attempts + 1 >= LAST_ATTEMPT
      await settle(db, {
        ids: own,
        attempts: attempts + 1,
        due_at: new Date(now + FIRST_DELAY_MS * 2 ** attempts).toISOString(),
        ...(isLast ? { sent_at: new Date(now).toISOString() } : {}),
      })
    }
  }
}

function claim(db: Db, now: number): Promise<{ id: string }[]> {
  const at = new Date(now).toISOString()
  return db
    .with('due', (query) =>
      query
        .selectFrom('alert_mails')
        .select('id')
        .where('sent_at', 'is', null)
        .where((eb) =>
          eb.or([eb('due_at', '<=', at), eb('due_at', '>', aheadRange(LONGEST_DELAY_MS, now).upTo)]),
        )
        .where((eb) =>
          eb.or([
            eb('leased_until', 'is', null),
            eb('leased_until', '<=', at),
            eb('leased_until', '>', aheadRange(LEASE_MS, now).upTo),
          ]),
        )
        .orderBy('due_at')
        .limit(BATCH)
        .$if(engineOf(db) === 'postgres', (rest) => rest.forUpdate().skipLocked()),
    )
    .updateTable('alert_mails')
    .set({ leased_until: new Date(now + LEASE_MS).toISOString() })
    .where('id', 'in', (eb) => eb.selectFrom('due').select('id'))
    .returning('id')
    .execute()
}

interface Settled {
  ids: readonly string[]
  sent_at?: string
  attempts?: number
  due_at?: string
}

async function settle(db: Db, { ids, ...columns }: Settled): Promise<void> {
  if (ids.length === 0) return
  await db
    .updateTable('alert_mails')
    .set({ ...columns, leased_until: null })
    .where('id', 'in', [...ids])
    .execute()
}
