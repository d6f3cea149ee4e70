import { sql } from 'kysely'
import type { TagResult } from '#contract/tag-report.ts'
import type { Db } from '../db/database.ts'
import { inSteps } from '../db/sweep.ts'
import type { Logger } from '../http/logging/logger.ts'
import { cappedSum, KeptCounts, ofExistingPixels } from '../stats/kept-counts.ts'

const HOUR_MS = 3_600_000

/** Pixels and hours. */
const REPORT_BUFFER_MAX_KEPT = 10_000

interface Counts {
  pixel_id: string
  hour: string
  ran: number
  blocked: number
  failed: number
  not_consented: number
  last_ran_at: string | null
  last_error: string | null
}

/** Adds reports of visits up, by pixel and hour. */
export class ReportBuffer {
  readonly #kept: KeptCounts<Counts>

  constructor(db: Db, log: Pick<Logger, 'warn'>, flushMs?: number) {
    this.#kept = new KeptCounts({
      what: 'tag reports',
      most: REPORT_BUFFER_MAX_KEPT,
      keyOf: ({ pixel_id, hour }) => `${pixel_id} ${hour}`,
      add: addCounts,
      write: (rows) => writeCounts(db, rows),
      log,
      flushMs,
    })
  }

  /** One visit that ran the tag. */
  add(pixelId: string, column: LedgerColumn, error: string | null, now = Date.now()): void {
    this.#kept.add({
      ...noCounts(pixelId, now),
      [column]: 1,
      last_ran_at: column === 'ran' ? new Date(now).toISOString() : null,
      last_error: error,
    })
  }

  /** Visits in which it was refused; less than none where they were counted before and the visitor has granted it since. */
  addRefusals(pixelId: string, at: string, visits: number): void {
    this.#kept.add({ ...noCounts(pixelId, Date.parse(at)), not_consented: visits })
  }

  flush(): Promise<void> {
    return this.#kept.flush()
  }

  stop(): Promise<void> {
    return this.#kept.stop()
  }
}

function addCounts(kept: Counts, more: Counts): void {
  kept.ran += more.ran
  kept.blocked += more.blocked
  kept.failed += more.failed
  kept.not_consented += more.not_consented
  kept.last_ran_at = more.last_ran_at ?? kept.last_ran_at
  kept.last_error = more.last_error ?? kept.last_error
}

function noCounts(pixelId: string, time: number): Counts {
  return {
    pixel_id: pixelId,
    hour: new Date(Math.floor(time / HOUR_MS) * HOUR_MS).toISOString(),
    ran: 0,
    blocked: 0,
    failed: 0,
    not_consented: 0,
    last_ran_at: null,
    last_error: null,
  }
}

async function writeCounts(db: Db, batch: readonly Counts[]): Promise<void> {
  const rows = await ofExistingPixels(db, batch)
  if (rows.length === 0) return
  const added = (column: LedgerColumn | 'not_consented') => cappedSum('tag_reports', column)
  await db
    .insertInto('tag_reports')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['pixel_id', 'hour']).doUpdateSet({
        ran: added('ran'),
        blocked: added('blocked'),
        failed: added('failed'),
        // Null in an hour that was counted in part: it is not told.
        not_consented: added('not_consented'),
        last_ran_at: sql`coalesce(excluded.last_ran_at, tag_reports.last_ran_at)`,
        last_error: sql`coalesce(excluded.last_error, tag_reports.last_error)`,
      }),
    )
    .execute()
}

/** What became of one visit that ran a tag; `ran` is told as `reached`. */
type LedgerColumn = 'ran' | 'blocked' | 'failed'

/** What else the report of the visit says of this tag. */
interface SeenBeside {
  /** Our policy stopped something that is known to be this tag's. */
  isHindered: boolean
  /** A container: that its script came proves nothing of what it then loads. */
  isLoader?: boolean
  /** The visit can tell that a page view which was not seen was not sent. */
  absenceTells: boolean
}

/**
 * A visit counts once, by its worst news, in this order: our policy stopped a script of the tag; the visitor's browser or
 * network stopped one, or its page view; its code threw. A tag that took all of its steps has reached its vendor unless
 * its page view was kept back by our policy or is known not to have been sent.
 */
export function chooseColumn({ outcome, hit }: TagResult, seen: SeenBeside): LedgerColumn {
  if (outcome === 'stopped') return 'failed'
  if (outcome === 'blocked' || hit === 'failed') return 'blocked'
  if (outcome === 'failed') return 'failed'
  if (seen.isHindered && seen.isLoader === true) return 'failed'
  if (hit === 'answered' || hit === 'sent') return 'ran'
  if (seen.isHindered) return 'failed'
  return hit === 'none' && seen.absenceTells ? 'failed' : 'ran'
}

const MAX_KEPT = 20_000

interface Evidence {
  pixel_id: string
  hour: string
  revision: string
  subject: string
  verdict: string
  count: number
}

/** Adds up what visits showed, as the other counts of reports are. */
export class EvidenceBuffer {
  readonly #kept: KeptCounts<Evidence>

  constructor(db: Db, log: Pick<Logger, 'warn'>, flushMs?: number) {
    this.#kept = new KeptCounts({
      what: 'evidence of tags',
      most: MAX_KEPT,
      keyOf: ({ pixel_id, hour, revision, subject, verdict }) =>
        `${pixel_id} ${hour} ${revision} ${subject} ${verdict}`,
      add: (kept, { count }) => {
        kept.count += count
      },
      write: (rows) => writeEvidence(db, rows),
      log,
      flushMs,
    })
  }

  add(pixelId: string, revision: string, subject: string, verdict: string, now = Date.now()): void {
    const hour = new Date(Math.floor(now / HOUR_MS) * HOUR_MS).toISOString()
    this.#kept.add({ pixel_id: pixelId, hour, revision, subject, verdict, count: 1 })
  }

  flush(): Promise<void> {
    return this.#kept.flush()
  }

  stop(): Promise<void> {
    return this.#kept.stop()
  }
}

async function writeEvidence(db: Db, batch: readonly Evidence[]): Promise<void> {
  const rows = await ofExistingPixels(db, batch)
  if (rows.length === 0) return
  await db
    .insertInto('tag_evidence')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['pixel_id', 'hour', 'revision', 'subject', 'verdict'])
        .doUpdateSet({ count: cappedSum('tag_evidence', 'count') }),
    )
    .execute()
}

const DAY_MS = 86_400_000

export interface TagRetention {
  readonly reportDays: number
}

/** Old visit results, but never the newest run of a tag: an old one must not say that it has never run. */
export async function forgetOldVisitResults(
  db: Db,
  { reportDays }: TagRetention,
  signal?: AbortSignal,
  now = Date.now(),
): Promise<{ tag_reports: number }> {
  const upTo = new Date(now - reportDays * DAY_MS).toISOString()
  const tag_reports = await inSteps(async (rows) => {
    const { numDeletedRows } = await db
      .deleteFrom('tag_reports')
      .where((eb) =>
        eb(
          eb.refTuple('pixel_id', 'hour'),
          'in',
          eb
            .selectFrom('tag_reports as old')
            .select(['old.pixel_id', 'old.hour'])
            .where('old.hour', '<=', upTo)
            .where((old) =>
              old.or([
                old('old.last_ran_at', 'is', null),
                old.exists(
                  old
                    .selectFrom('tag_reports as newer')
                    .select('newer.hour')
                    .whereRef('newer.pixel_id', '=', 'old.pixel_id')
                    .whereRef('newer.hour', '>', 'old.hour')
                    .where('newer.last_ran_at', 'is not', null),
                ),
              ]),
            )
            .limit(rows)
            .$asTuple('pixel_id', 'hour'),
        ),
      )
      .executeTakeFirstOrThrow()
    return numDeletedRows
  }, signal)
  return { tag_reports }
}
