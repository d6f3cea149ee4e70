import type { Db } from '#server/db/database.ts'
import type { EventPayload } from '#server/db/delivery-schema.ts'
import { checkConsent } from '../check-consent.ts'
import type { Claim } from '../claim-due.ts'
import { GOOGLE_NEVER_TELLS } from '../destinations/google-analytics.ts'
import type { Channel, Job, Target } from '../job.ts'
import type { Outcome } from '../lane.ts'
import { settled, untouched } from '../outcome.ts'
import type { OutgoingClient } from '../outgoing-client.ts'
import { sendBatch } from '../send-batch.ts'
import type { Stop } from './record-outcomes.ts'

/** A choice whose record is on its way: looked at again. */
const EARLY_MS = 2_000

interface AttemptDeps {
  db: Db
  now: () => number
  client: OutgoingClient
  channel: Channel
  target: Target
  signal: AbortSignal
}

/** Asks for consent again, and tells the vendor of what it allows and is still of use. */
export async function attemptEvents(
  { db, now, ...sending }: AttemptDeps,
  claims: readonly Claim[],
): Promise<{ outcomes: Outcome<Job>[]; stop: Stop | null }> {
  const [maybeSent, rest] = split(claims, (claim) => claim.maybeSent)
  const [late, inTime] = split(rest.map(toJob), ({ expires_at }) => Date.parse(expires_at) <= now())
  const { granted, withheld, early } = await checkConsent(db, inTime, now())
  const sent = await Promise.all(
    chunk(granted, sending.channel.batch).map((jobs) => sendBatch(sending, jobs)),
  )
  return {
    stop: sent.find(({ stop }) => stop !== null)?.stop ?? null,
    outcomes: [
      ...maybeSent.map((claim) => settled(toJob(claim), 'unconfirmed', 'interrompido', GOOGLE_NEVER_TELLS)),
      ...late.map((job) =>
        settled(job, 'expired', 'prazo', 'O prazo em que o destino aceita o evento passou antes do envio.'),
      ),
      ...withheld.map((job) =>
        settled(
          job,
          'withheld',
          'consentimento',
          'Não enviado: o consentimento foi retirado antes do envio.',
        ),
      ),
      ...early.map((job) => untouched(job, EARLY_MS)),
      ...sent.flatMap(({ outcomes }) => outcomes),
    ],
  }
}

/** Rows of a pixel have all that an event has. */
function toJob({ payload, ...claim }: Claim): Job {
  return { ...claim, payload: JSON.parse(payload) as EventPayload } as Job
}

function split<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}
