import type { Db } from '#server/db/database.ts'
import type { PixelKind } from '#server/db/delivery-schema.ts'
import { makeDue } from '#server/db/make-due.ts'
import type { Logger } from '#server/http/logger.ts'
import { backOffBy, HOUR_MS, MINUTE_MS, SECOND_MS } from '../back-off.ts'
import { CHANNELS } from '../channels.ts'
import type { Job, Target } from '../job.ts'
import type { LaneSource, LaneWork, Outcome, RoundDeps, RoundEnd } from '../lane.ts'
import { beginProbe, listSending, type SendingPixel } from '../list-sending.ts'
import { endOf } from '../outcome.ts'
import type { OutgoingClient } from '../outgoing-client.ts'
import { readTarget, type TargetDeps } from '../read-target.ts'
import { runRound } from '../run-round.ts'
import { attemptEvents } from './attempt-events.ts'
import { recordOutcomes, type Stop } from './record-outcomes.ts'

const BACK_OFF = backOffBy([
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
])

const ROUNDS = 3

interface PixelLaneDeps extends Omit<TargetDeps, 'db'> {
  client: OutgoingClient
  log: Pick<Logger, 'warn'>
  /** A pixel's sending stopped: somebody has to know. */
  onStopped?: (pixel: { id: string; name: string }, stop: Stop, expiresAt: string | null) => void
  onSettled?: (kind: PixelKind, state: Outcome['state']) => void
}

/** Events of visitors: each pixel is a lane of its own. */
export function pixelLanes(deps: PixelLaneDeps): LaneSource {
  return {
    async list(db, now) {
      const pixels = await listSending(db, now)
      return pixels.map((pixel) => ({
        key: pixel.id,
        due: pixel.due,
        longestDelayMs: BACK_OFF.longestMs,
        rounds: ROUNDS,
        run: (round) => runPixel(deps, round, pixel),
      }))
    },
  }
}

async function runPixel(deps: PixelLaneDeps, round: RoundDeps, pixel: SendingPixel): Promise<RoundEnd> {
  const target = await readTarget({ ...deps, db: round.db }, pixel.id)
  if (target === null) return 'done'
  if (pixel.isProbe && !(await beginProbe(round.db, pixel.id, round.now()))) return 'done'
  const seen: { stop: Stop | null; isFirst: boolean } = { stop: null, isFirst: false }
  const outcomes = await runRound(round, workOf(deps, round, target, pixel, seen))
  for (const { state, isUntouched } of outcomes) if (!isUntouched) deps.onSettled?.(target.kind, state)
  if (seen.stop !== null && seen.isFirst) {
    deps.log.warn({ pixel: pixel.id, reason: seen.stop.code }, 'deliveries: sending for a pixel stopped')
    deps.onStopped?.(pixel, seen.stop, await findFirstExpiry(round.db, pixel.id))
  }
  if (!pixel.isProbe) return seen.stop === null ? endOf(outcomes) : 'done'
  if (outcomes.some(({ state }) => state === 'accepted'))
    await makeDue(round.db, { pixelId: pixel.id }, round.now())
  return 'done'
}

function workOf(
  { client }: PixelLaneDeps,
  { db, now }: RoundDeps,
  target: Target,
  { id: pixelId, isProbe }: SendingPixel,
  seen: { stop: Stop | null; isFirst: boolean },
): LaneWork<Job> {
  const channel = CHANNELS[target.kind]
  return {
    scope: { pixelId },
    limit: isProbe ? 1 : channel.batch * channel.parallel,
    atMostOnce: channel.atMostOnce,
    backOff: BACK_OFF,
    async attempt(claims, signal) {
      const { outcomes, stop } = await attemptEvents({ db, now, client, channel, target, signal }, claims)
      seen.stop = stop
      return outcomes
    },
    async record(trx, outcomes, isOurs) {
      seen.isFirst = await recordOutcomes(trx, { pixelId, outcomes, isOurs, stop: seen.stop, now: now() })
    },
  }
}

async function findFirstExpiry(db: Db, pixelId: string): Promise<string | null> {
  const row = await db
    .selectFrom('deliveries')
    .select((eb) => eb.fn.min('expires_at').as('first'))
    .where('pixel_id', '=', pixelId)
    .executeTakeFirstOrThrow()
  return row.first
}
