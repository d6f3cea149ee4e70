import type { Generated } from 'kysely'
import type { AlertKind } from '#contract/alerts.ts'
import type { Json, Timestamp } from './index.ts'

/** What a person wants to be told by mail. */
interface AlertChoices {
  user_id: string
  kinds: Json<AlertKind[]>
  changed_at: Timestamp
}

/** What is known to be so: it is told once. */
interface AlertStates {
  pixel_id: string
  kind: AlertKind
  /** A host, or nothing. */
  subject: string
  since: Timestamp
}

/** One line of a mail that is owed to a person. */
interface AlertMails {
  id: string
  user_id: string
  pixel_id: string
  /** Date of the site. */
  day: string
  /** At once, at most one for a person, a pixel and a day; or in the next morning's digest. */
  way: 'at_once' | 'digest'
  /** Null in rows of an earlier version. */
  kind: AlertKind | null
  text: string
  attempts: Generated<number>
  due_at: Timestamp
  /** While in the future, one process is at it. */
  leased_until: Timestamp | null
  /** Set when it was sent, or given up. */
  sent_at: Timestamp | null
}

/** Who is told what by mail. */
export interface AlertTables {
  alert_choices: AlertChoices
  alert_states: AlertStates
  alert_mails: AlertMails
}
