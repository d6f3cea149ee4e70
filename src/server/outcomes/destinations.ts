import type {
  OutcomeDeliveries,
  OutcomeDeliveryState,
  OutcomeDestination,
  OutcomeEventInput,
  OutcomeMode,
} from '#contract/outcomes.ts'
import { outcomeOf, toOutcomeEvent } from '#contract/server-event.ts'
import { recordAudit } from '../activity/trail.ts'
import { isAccepted } from '../conversions/destinations/destination.ts'
import { destinationOf, toServedField } from '../conversions/destinations/destinations.ts'
import type { Db } from '../db/database.ts'
import { locked } from '../db/dialect.ts'
import { AppError } from '../http/errors.ts'
import type { Actor } from '../http/security/administrators.ts'
import { sumCounts } from '../stats/counts.ts'

interface Wanted extends OutcomeEventInput {
  name: string
  pixelId: string
}

/** From the next outcome on, the pixel's destination gets this name as the event; null: not at all. */
export async function chooseEvent(
  trx: Db,
  actor: Actor,
  { name, pixelId, event, sends_value }: Wanted,
): Promise<void> {
  const declared = await locked(
    trx,
    trx.selectFrom('outcome_names').select('name').where('name', '=', name),
  ).executeTakeFirst()
  if (declared === undefined)
    throw new AppError(404, 'not_found', 'Este resultado não existe. Recarregue a página.')
  const pixel = (await listPixels(trx)).find(({ id }) => id === pixelId)
  if (pixel === undefined)
    throw new AppError(404, 'not_found', 'Este pixel não existe mais ou não envia pelo servidor.')
  const { outcomes, who } = pixel.destination
  if (outcomes === undefined) throw refused(`Não é possível enviar resultados para ${who}.`)
  if (event !== null && !isAccepted(outcomes.event, event))
    throw refused(`${outcomes.event.label}: ${outcomes.event.refusal}`)
  if (event !== null && outcomes.needValue?.includes(event) && !sends_value)
    throw refused(`Para enviar como ${event}, envie também o valor: sem ele, o evento é recusado.`)
  const before = await trx
    .selectFrom('outcome_events')
    .select(['event', 'sends_value'])
    .where('name', '=', name)
    .where('pixel_id', '=', pixelId)
    .executeTakeFirst()
  if (before?.event === event && before.sends_value === sends_value) return
  await trx
    .insertInto('outcome_events')
    .values({ name, pixel_id: pixelId, event, sends_value })
    .onConflict((conflict) => conflict.columns(['name', 'pixel_id']).doUpdateSet({ event, sends_value }))
    .execute()
  await recordAudit(trx, {
    ...actor,
    action: 'outcomes.event_chosen',
    subject: name,
    before: {
      name,
      pixel: pixel.name,
      event: before?.event ?? null,
      sends_value: before?.sends_value ?? false,
    },
    after: { name, pixel: pixel.name, event, sends_value },
  })
}

const refused = (message: string) => new AppError(400, 'outcome_event_refused', message)

interface ReadDestinations {
  list: OutcomeDestination[]
  /** Of one name. `tied` are all outcomes of the name that are tied to a visit. */
  deliveriesOf(name: string, tied: number): OutcomeDeliveries[]
}

/** The pixels that the server sends for, and what became of the outcomes of some days at each. */
export async function readDestinations(
  db: Db,
  mode: OutcomeMode,
  from: number,
  to: number,
): Promise<ReadDestinations> {
  if (mode === 'test') return { list: [], deliveriesOf: () => [] }
  const pixels = await listPixels(db)
  const [events, counts, waiting] = await Promise.all([
    db.selectFrom('outcome_events').selectAll().execute(),
    sumCounts(db, { series: 'outcome.delivery', resolution: 'day', from, to }),
    Promise.all(pixels.map(({ id }) => countWaiting(db, id, from, to))),
  ])
  const settled = counts.map(({ subject, key, count }) => {
    const [name = '', state = '', ...reason] = key.split(' ')
    return { pixelId: subject, name, state: state as OutcomeDeliveryState, reason: reason.join(' '), count }
  })
  return {
    list: pixels.map(({ id, name, is_active, consent_category, destination: { who, outcomes } }) => ({
      id,
      name,
      is_active,
      who,
      category: consent_category,
      event: toServedField(outcomes?.event),
      known_events: [...(outcomes?.known ?? [])],
      events_with_value: [...(outcomes?.needValue ?? [])],
    })),
    deliveriesOf: (name, tied) =>
      pixels.map(({ id, destination }, index) => {
        const chosen = events.find((each) => each.name === name && each.pixel_id === id)
        const own = settled.filter((each) => each.pixelId === id && each.name === name)
        const states = noStates()
        for (const { state, count } of own) states[state] += count
        states.waiting = waiting[index]?.get(name) ?? 0
        const sum = Object.values(states).reduce((total, count) => total + count, 0)
        return {
          pixel_id: id,
          event: chosen?.event ?? null,
          suggestion: chosen === undefined ? (destination.outcomes?.suggest?.(name) ?? null) : null,
          sends_value: chosen?.sends_value ?? false,
          states,
          // Reads are not of one moment: an outcome may be settled between them.
          not_sent: Math.max(0, tied - sum),
          refusals: own
            .filter(({ state }) => state === 'refused')
            .sort((a, b) => b.count - a.count)
            .map(({ reason, count }) => ({ reason, message: destination.refusalText(reason), count })),
        }
      }),
  }
}

function noStates(): Record<OutcomeDeliveryState, number> {
  return { accepted: 0, unconfirmed: 0, refused: 0, waiting: 0, expired: 0, withheld: 0, unmatched: 0 }
}

async function listPixels(db: Db) {
  const pixels = await db
    .selectFrom('tracking_pixels')
    .select(['id', 'name', 'type', 'destination', 'is_active', 'consent_category'])
    .where('delivery', '<>', 'browser')
    .where('deleted_at', 'is', null)
    .orderBy('name')
    .orderBy('id')
    .execute()
  return pixels.flatMap((pixel) => {
    const destination = destinationOf(pixel)
    return destination === null ? [] : [{ ...pixel, destination }]
  })
}

/** By name. The queue of one pixel is found by its index. */
async function countWaiting(
  db: Db,
  pixelId: string,
  from: number,
  to: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('deliveries')
    .select((eb) => ['event', eb.fn.countAll<number>().as('count')])
    .where('pixel_id', '=', pixelId)
    .where('event', 'like', toOutcomeEvent('%'))
    .where('created_at', '>=', new Date(from).toISOString())
    .where('created_at', '<', new Date(to).toISOString())
    .groupBy('event')
    .execute()
  return new Map(rows.map(({ event, count }) => [outcomeOf(event ?? '') ?? '', Number(count)]))
}
