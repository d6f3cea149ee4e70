import { DAY_MS, MINUTE_MS } from '#contract/durations.ts'
import { formatPart } from '#contract/format-count.ts'
import { recordAudit } from '#server/activity/trail.ts'
import type { AdministratorNews } from '#server/auth/account-mail.ts'
import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/dialect.ts'
import type { TagBreakers } from '#server/db/schema/tags.ts'
import { change } from '#server/db/transactions/change.ts'
import type { Logger } from '#server/http/logging/logger.ts'
import type { Actor } from '#server/http/security/administrators.ts'
import { forgetCounts, type Stats, sumCounts } from '#server/stats/counts.ts'
import type { SeriesKeys } from '#server/stats/series.ts'
import type { TagStore } from '../serve/tag-store.ts'
import { raiseTagsVersion } from '../serve/tag-version.ts'

export interface BreakerDeps {
  db: Db
  log: Logger
  tags: TagStore
  stats: Stats
  /** Called in the transaction that pauses the tag. */
  mailAdministrators: (trx: Db, news: AdministratorNews) => Promise<void>
}

/** Counts the visits of each tag by minute. */
export interface VisitWatch {
  add(pixelId: string, revision: string, failed: boolean, now?: number): void
  /** A visit that measured the tag's cost. */
  addCost(pixelId: string, revision: string, ms: number, now?: number): void
}

/** Watches the visits of every tag. The page is served without a paused tag before anybody is informed. */
export function createBreaker({ db, log, tags, stats, mailAdministrators }: BreakerDeps): VisitWatch {
  const onFailing = async (failing: Failing) => {
    // Observations of an older revision say nothing about the current one.
    if (tags.prepared.get(failing.pixelId)?.revision !== failing.revision) return
    const trip = await tripBreaker({ db, mailAdministrators }, failing)
    if (trip === null) return
    const { pixelId, reason } = failing
    log.warn({ pixel: pixelId, state: trip.state, reason }, 'breaker: too many failed or slow visits')
    if (trip.state === 'warned') return
    // The tag stays paused if this fails: every process reads the version again within a second.
    await tags
      .refresh()
      .catch((error) => log.warn({ err: error }, 'breaker: page refresh failed, will retry'))
  }
  stats.onWritten('tag.breaker', async (written) => {
    for (const suspect of suspectsOf(written)) {
      try {
        const counts = await readWindow(db, suspect)
        if (BREAKER_RULES[suspect.reason].isBroken(counts)) await onFailing({ ...suspect, ...counts })
      } catch (error) {
        // The counts are stored: the next failing visit repeats the check.
        log.warn({ err: error }, 'breaker: check failed')
      }
    }
  })
  const count = (subject: string, key: SeriesKeys['tag.breaker'], at: number | undefined) =>
    stats.add({ series: 'tag.breaker', subject, key, ...(at === undefined ? {} : { at }) })
  return {
    add(pixelId, revision, failed, now) {
      count(pixelId, `${revision} visits`, now)
      if (failed) count(pixelId, `${revision} failed`, now)
    },
    addCost(pixelId, revision, ms, now) {
      count(pixelId, `${revision} measured`, now)
      if (isTooDear(ms)) count(pixelId, `${revision} slow`, now)
    },
  }
}

function newsOf(name: string, failing: Failing): AdministratorNews {
  const isSlow = failing.reason === 'slow'
  return {
    kind: 'tag-paused',
    subject: `O pixel "${name.slice(0, 80)}" foi pausado automaticamente`,
    paragraphs: [
      `${describeTrip(`O pixel "${name}"`, failing)}. Como a pausa automática está ativada, ele saiu do site. No painel, aparece como "Pausado automaticamente".`,
      `${isSlow ? 'Veja o impacto na página do pixel, fale com a plataforma ou troque o código. Depois, clique em "Retomar".' : 'Veja o erro, corrija o código e clique em "Retomar".'} Esses dados vêm do navegador dos visitantes e podem ser falsificados. Se a tag estiver funcionando, clique em "Retomar".`,
    ],
    path: `/admin/pixels/${failing.pixelId}`,
    label: 'Ver o pixel',
  }
}

/** The actor in the audit trail. */
const ACTOR = { actor_id: null, actor: 'disjuntor' }

const ACTIONS = {
  failing: { paused: { action: 'tags.breaker_pause' }, warned: { action: 'tags.breaker_warn' } },
  slow: { paused: { action: 'tags.breaker_pause_cost' }, warned: { action: 'tags.breaker_warn_cost' } },
} as const

/**
 * Pauses a tag if its administrator allowed it, else stores a warning. The first process does it: null for all others,
 * and for a revision that was reported before.
 */
async function tripBreaker(
  { db, mailAdministrators }: Pick<BreakerDeps, 'db' | 'mailAdministrators'>,
  failing: Failing,
  now = new Date(),
): Promise<Pick<TagBreakers, 'state'> | null> {
  const { pixelId, revision, reason, visits, failed } = failing
  return change(db, async (trx) => {
    const pixel = await locked(
      trx,
      trx
        .selectFrom('tracking_pixels')
        .select(['name', 'auto_disable'])
        .where('id', '=', pixelId)
        .where('is_active', '=', true),
    ).executeTakeFirst()
    if (pixel === undefined) return null
    const state: TagBreakers['state'] = pixel.auto_disable ? 'paused' : 'warned'
    const before = await trx
      .selectFrom('tag_breakers')
      .select(['state', 'reason', 'revision'])
      .where('pixel_id', '=', pixelId)
      .executeTakeFirst()
    if (before?.state === 'paused') return null
    const isSame = before?.state === state && before.revision === revision
    // "Failing" replaces "slow", never the other way, so that two true reasons do not alternate.
    if (isSame && (before.reason === reason || before.reason === 'failing')) return null
    const row = { revision, state, reason, visits, failed, tripped_at: now.toISOString() }
    await trx
      .insertInto('tag_breakers')
      .values({ pixel_id: pixelId, ...row })
      .onConflict((conflict) => conflict.column('pixel_id').doUpdateSet(row))
      .execute()
    const action = ACTIONS[reason][state].action
    await recordAudit(trx, { ...ACTOR, action, subject: pixelId, after: { visits, failed } }, now)
    if (state === 'warned') return { state }
    await mailAdministrators(trx, newsOf(pixel.name, failing))
    await raiseTagsVersion(trx, [pixelId])
    return { state }
  })
}

/** Ends a pause or a warning. Earlier visits are forgotten: it takes fifty new ones to trip again. */
export async function rearmBreaker(trx: Db, actor: Actor, pixelId: string): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('tag_breakers')
    .where('pixel_id', '=', pixelId)
    .executeTakeFirstOrThrow()
  // Of two concurrent calls, the second finds nothing to do.
  if (numDeletedRows === 0n) return
  await forgetCounts(trx, 'tag.breaker', pixelId)
  // Processes of the version before count here.
  await trx.deleteFrom('tag_minutes').where('pixel_id', '=', pixelId).execute()
  await recordAudit(trx, { ...actor, action: 'tags.breaker_rearm', subject: pixelId })
  await raiseTagsVersion(trx, [pixelId])
}

/** The state of the breaker, shown beside the tag's health. */
export interface Breaker {
  state: 'paused' | 'warned'
  reason: BreakerReason
  visits: number
  failed: number
  tripped_at: string
}

/** By pixel. A warning is for one revision and one day; a pause lasts until somebody ends it. */
export async function readBreakers(
  db: Db,
  revisions: ReadonlyMap<string, string>,
  now = Date.now(),
): Promise<ReadonlyMap<string, Breaker>> {
  const rows = await db.selectFrom('tag_breakers').selectAll().execute()
  return new Map(
    rows
      .filter(
        ({ pixel_id, state, revision, tripped_at }) =>
          state === 'paused' ||
          (revisions.get(pixel_id) === revision && Date.parse(tripped_at) > now - DAY_MS),
      )
      .map(({ pixel_id, revision: _revision, ...breaker }) => [pixel_id, breaker]),
  )
}

/** The reason as a sentence without its full stop; `whose` is its subject. */
export function describeTrip(
  whose: string,
  { reason, visits, failed }: WindowCounts & { reason: BreakerReason },
): string {
  return reason === 'failing'
    ? `${whose} falhou em ${formatPart(failed, visits, 'visita', 'visitas')} em 10 minutos`
    : `${whose} deixou a página lenta (mais de 500 ms) em ${formatPart(failed, visits, 'visita medida', 'visitas medidas')} em 1 hora`
}

/** The counts behind each reason: all visits, and bad ones. */
const JUDGED_BY = {
  failing: ['visits', 'failed'],
  slow: ['measured', 'slow'],
} as const satisfies Record<BreakerReason, readonly [string, string]>

const REASONS = Object.keys(JUDGED_BY) as BreakerReason[]

interface Suspect {
  pixelId: string
  revision: string
  reason: BreakerReason
}

/** A tag with too many bad visits in the window, from all processes. */
interface Failing extends Suspect, WindowCounts {}

/** Tags with a bad visit among the counts just written. */
function suspectsOf(written: readonly { subject: string; key: string }[]): Suspect[] {
  const suspects = new Map<string, Suspect>()
  for (const reason of REASONS)
    for (const { subject, key } of written) {
      const [revision = '', what] = key.split(' ')
      if (what === JUDGED_BY[reason][1])
        suspects.set(`${subject} ${revision} ${reason}`, { pixelId: subject, revision, reason })
    }
  return [...suspects.values()]
}

async function readWindow(
  db: Db,
  { pixelId, revision, reason }: Suspect,
  now = Date.now(),
): Promise<WindowCounts> {
  const rows = await sumCounts(db, {
    series: 'tag.breaker',
    resolution: 'minute',
    subject: pixelId,
    from: now - BREAKER_RULES[reason].windowMs + 1,
  })
  const [visits, failed] = JUDGED_BY[reason].map(
    (what) => rows.find(({ key }) => key === `${revision} ${what}`)?.count ?? 0,
  ) as [number, number]
  return { visits, failed }
}

/** Why a tag is paused or warned about. */
type BreakerReason = TagBreakers['reason']

/** Visits of one revision within a window, and the bad ones among them. */
interface WindowCounts {
  visits: number
  failed: number
}

interface Rule {
  /** How far visits are looked back at. */
  windowMs: number
  isBroken: (counts: WindowCounts) => boolean
}

const MIN_VISITS = 50

/** Main-thread time per visit above which a visit is slow. */
const COST_LIMIT_MS = 500

/** One visit in ten measures, so costs have a longer window. */
const BREAKER_RULES: Readonly<Record<BreakerReason, Rule>> = {
  failing: { windowMs: 10 * MINUTE_MS, isBroken: isFailing },
  slow: { windowMs: 60 * MINUTE_MS, isBroken: isSlow },
}

/** More than half of enough visits failed. */
export function isFailing({ visits, failed }: WindowCounts): boolean {
  return visits >= MIN_VISITS && failed * 2 > visits
}

/** The 75th percentile is above the limit: fewer than three of four visits were within it. */
export function isSlow({ visits, failed }: WindowCounts): boolean {
  return visits >= MIN_VISITS && visits - failed < Math.ceil(0.75 * visits)
}

export function isTooDear(ms: number): boolean {
  return ms > COST_LIMIT_MS
}
