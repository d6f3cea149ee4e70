import { formatPart } from '#contract/format-count.ts'
import { recordAudit } from '#server/activity/trail.ts'
import type { AdministratorNews } from '#server/auth/account-mail.ts'
import type { Db } from '#server/db/database.ts'
import { locked } from '#server/db/dialect.ts'
import type { TagBreakers } from '#server/db/schema/tags.ts'
import { change } from '#server/db/transactions/change.ts'
import type { Logger } from '#server/http/logging/logger.ts'
import { auditActor, type Caller } from '#server/http/security/administrators.ts'
import { forgetCounts, type Stats, sumCounts } from '#server/stats/counts.ts'
import type { SeriesKeys } from '#server/stats/series.ts'
import type { TagStore } from '../serve/tag-store.ts'
import { raiseTagsVersion } from '../serve/tag-version.ts'

export interface BreakerDeps {
  db: Db
  log: Logger
  tags: TagStore
  stats: Stats
  /** In the transaction that pauses the tag. */
  mailAdministrators: (trx: Db, news: AdministratorNews) => Promise<void>
}

/** Counts the visits of each tag by minute. */
export interface VisitWatch {
  add(pixelId: string, revision: string, failed: boolean, now?: number): void
  /** A visit that measured what the tag cost it. */
  addCost(pixelId: string, revision: string, ms: number, now?: number): void
}

/** Watches the visits of every tag; when it pauses one, the page is without it before anybody is told. */
export function createBreaker({ db, log, tags, stats, mailAdministrators }: BreakerDeps): VisitWatch {
  const onFailing = async (failing: Failing) => {
    // What was seen of an older revision says nothing about the tag as it is.
    if (tags.prepared.get(failing.pixelId)?.revision !== failing.revision) return
    const trip = await tripBreaker({ db, mailAdministrators }, failing)
    if (trip === null) return
    const { pixelId, reason } = failing
    log.warn({ pixel: pixelId, state: trip.state, reason }, 'too many visits speak against a tag')
    if (trip.version === null) return
    tags.noteChange(await trip.version, [pixelId])
    // It is paused whatever happens here: every process looks at the version again within a second.
    await tags
      .refresh()
      .catch((error) => log.warn({ err: error }, 'a paused tag is still on the page for a moment'))
  }
  stats.onWritten('tag.breaker', async (written) => {
    for (const suspect of suspectsOf(written)) {
      try {
        const counts = await readWindow(db, suspect)
        if (BREAKER_RULES[suspect.reason].isBroken(counts)) await onFailing({ ...suspect, ...counts })
      } catch (error) {
        // The counts are stored: the next visit that fails has them looked at again.
        log.warn({ err: error }, 'a tag that fails could not be looked at')
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
    subject: `A tag "${name.slice(0, 80)}" foi pausada`,
    paragraphs: [
      `${describeTrip('Ela', failing)}, e o disjuntor dela está ligado. A página já está sem ela; o pixel continua ativo no painel, com a saúde "Pausado".`,
      `${isSlow ? 'Veja o custo dela na página do pixel, fale com a plataforma ou troque o código, e use "Religar".' : 'Veja o erro, corrija o código e use "Religar".'} Os avisos vêm dos navegadores das visitas e podem ser forjados: se a tag está boa, religue.`,
    ],
    path: `/admin/pixels/${failing.pixelId}`,
    label: 'Ver o pixel',
  }
}

/** What the audit trail calls whoever did it. */
const ACTOR = { actor_id: null, actor: 'disjuntor' }

const ACTIONS = {
  failing: { paused: { action: 'tags.breaker_pause' }, warned: { action: 'tags.breaker_warn' } },
  slow: { paused: { action: 'tags.breaker_pause_cost' }, warned: { action: 'tags.breaker_warn_cost' } },
} as const

interface Trip {
  state: 'paused' | 'warned'
  /** Of the tag set, when it has changed. */
  version: Promise<number> | null
}

/**
 * Pauses a tag that fails, where its administrator allowed it, or says that it does. Once, whichever process finds it
 * first: null for all others, and for what was said of the same revision before.
 */
async function tripBreaker(
  { db, mailAdministrators }: Pick<BreakerDeps, 'db' | 'mailAdministrators'>,
  failing: Failing,
  now = new Date(),
): Promise<Trip | null> {
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
    const state: Trip['state'] = pixel.auto_disable ? 'paused' : 'warned'
    const before = await trx
      .selectFrom('tag_breakers')
      .select(['state', 'reason', 'revision'])
      .where('pixel_id', '=', pixelId)
      .executeTakeFirst()
    if (before?.state === 'paused') return null
    const isSame = before?.state === state && before.revision === revision
    // That it fails is said instead of that it is slow, and never the other way: two that are both true would take turns.
    if (isSame && (before.reason === reason || before.reason === 'failing')) return null
    const row = { revision, state, reason, visits, failed, tripped_at: now.toISOString() }
    await trx
      .insertInto('tag_breakers')
      .values({ pixel_id: pixelId, ...row })
      .onConflict((conflict) => conflict.column('pixel_id').doUpdateSet(row))
      .execute()
    const action = ACTIONS[reason][state].action
    await recordAudit(trx, { ...ACTOR, action, subject: pixelId, after: { visits, failed } }, now)
    if (state === 'warned') return { state, version: null }
    await mailAdministrators(trx, newsOf(pixel.name, failing))
    return { state, version: (await raiseTagsVersion(trx)).version }
  })
}

/** Takes a pause or a warning back. What visits showed until now is forgotten: it takes fifty new ones to trip again. */
export async function rearmBreaker(db: Db, caller: Caller, pixelId: string): Promise<void> {
  await change(db, async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom('tag_breakers')
      .where('pixel_id', '=', pixelId)
      .executeTakeFirstOrThrow()
    // Of two who do it at once, the second finds it done.
    if (numDeletedRows === 0n) return
    await forgetCounts(trx, 'tag.breaker', pixelId)
    // Processes of the version before count here.
    await trx.deleteFrom('tag_minutes').where('pixel_id', '=', pixelId).execute()
    await recordAudit(trx, { ...auditActor(caller), action: 'tags.breaker_rearm', subject: pixelId })
    await raiseTagsVersion(trx)
  })
}

/** What visits made of a tag, as it is told beside its health. */
export interface Breaker {
  state: 'paused' | 'warned'
  reason: BreakerReason
  visits: number
  failed: number
  tripped_at: string
}

const DAY_MS = 86_400_000

/** By pixel. A warning is of one revision, and for a day; a pause is for as long as nobody takes it back. */
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

/** What visits showed, as a sentence without its end; `whose` is its subject. */
export function describeTrip(
  whose: string,
  { reason, visits, failed }: WindowCounts & { reason: BreakerReason },
): string {
  return reason === 'failing'
    ? `${whose} falhou em ${formatPart(failed, visits, 'visita', 'visitas')} em dez minutos`
    : `${whose} ocupou o navegador por mais de 500 ms em ${formatPart(failed, visits, 'visita medida', 'visitas medidas')} em uma hora`
}

/** What each reason is judged by: all visits, and those that speak against the tag. */
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

/** A tag that too many visits of the window speak against, whichever process heard of them. */
interface Failing extends Suspect, WindowCounts {}

/** Tags of which a visit that speaks against them was just written. */
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

/** Why a tag is paused or warned of. */
type BreakerReason = TagBreakers['reason']

/** Visits of one revision of a tag within a window, and those of them that speak against it. */
interface WindowCounts {
  visits: number
  failed: number
}

interface Rule {
  /** So long visits are looked back at. */
  windowMs: number
  isBroken: (counts: WindowCounts) => boolean
}

const MINUTE_MS = 60_000

const MIN_VISITS = 50

/** More than this, of the main thread and in one visit, is too much. */
const COST_LIMIT_MS = 500

/** A tenth of the visits measure, so that what a tag costs is looked at over a longer time. */
const BREAKER_RULES: Readonly<Record<BreakerReason, Rule>> = {
  failing: { windowMs: 10 * MINUTE_MS, isBroken: isFailing },
  slow: { windowMs: 60 * MINUTE_MS, isBroken: isSlow },
}

/** More than half of enough visits. */
export function isFailing({ visits, failed }: WindowCounts): boolean {
  return visits >= MIN_VISITS && failed * 2 > visits
}

/** The third quarter of enough visits is above the limit: fewer than three of four were within it. */
export function isSlow({ visits, failed }: WindowCounts): boolean {
  return visits >= MIN_VISITS && visits - failed < Math.ceil(0.75 * visits)
}

export function isTooDear(ms: number): boolean {
  return ms > COST_LIMIT_MS
}
