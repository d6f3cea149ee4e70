import type { Generated } from 'kysely'
import type { AlertKind, ChatFormat } from '#contract/alerts.ts'
import type { Json, Timestamp } from './index.ts'

/** A person's alert settings. */
interface AlertChoices {
  user_id: string
  kinds: Json<AlertKind[]>
  changed_at: Timestamp
}

/** Known states: each is reported once. */
interface AlertStates {
  pixel_id: string
  kind: AlertKind
  /** A host, or empty. */
  subject: string
  since: Timestamp
}

/** One line of a pending email to a person. */
interface AlertMails {
  id: string
  user_id: string
  pixel_id: string
  /** Date at the site. */
  day: string
  /** Immediate, at most one per person, pixel and day; or in the next morning's digest. */
  way: 'at_once' | 'digest'
  /** Null in rows of an earlier version. */
  kind: AlertKind | null
  text: string
  attempts: Generated<number>
  due_at: Timestamp
  /** While in the future, a process holds it. */
  leased_until: Timestamp | null
  /** When it was sent or given up. */
  sent_at: Timestamp | null
}

/** The chat that gets alerts; one row at most. */
interface AlertWebhooks {
  /** Always `alerts`. */
  name: string
  format: ChatFormat
  /** Encrypted: whoever knows it can write to the chat. */
  url: string
  kinds: Json<AlertKind[]>
  changed_at: Timestamp
  /** When the chat last answered, or did not. */
  tried_at: Timestamp | null
  /** A code; null after a delivery. */
  last_error: string | null
}

/** One line of a pending message to the chat. */
interface AlertPosts {
  id: string
  pixel_id: string
  /** Date at the site. */
  day: string
  /** Immediate, at most one per pixel and day; or in the next morning's digest. */
  way: 'at_once' | 'digest'
  kind: AlertKind
  text: string
  due_at: Timestamp
  sent_at: Timestamp | null
}

/** Whether a person gets the summary of the week. The row stays, so that links in earlier emails go on working. */
interface SummaryChoices {
  user_id: string
  /** When it was switched on; null if it is off. */
  chosen_at: Timestamp | null
  /** Signs the link that ends it. */
  link_key: string
}

/** Weeks whose summary was sent: the process that inserts the row sends it. */
interface SummaryWeeks {
  /** `2026-11-16`, the day on which it is sent. */
  monday: string
  sent_at: Timestamp
}

/** Alerts by email and to a chat, and the summary of the week. */
export interface AlertTables {
  alert_choices: AlertChoices
  alert_states: AlertStates
  alert_mails: AlertMails
  alert_webhooks: AlertWebhooks
  alert_posts: AlertPosts
  summary_choices: SummaryChoices
  summary_weeks: SummaryWeeks
}
