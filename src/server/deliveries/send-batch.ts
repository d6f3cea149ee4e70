import type { Channel, Job, Target } from './job.ts'
import type { Outcome } from './lane.ts'
import { untouched } from './outcome.ts'
import type { OutgoingClient } from './outgoing-client.ts'
import type { Stop } from './pixels/record-outcomes.ts'
import type { Verdict } from './verdict.ts'

interface Sent {
  outcomes: Outcome<Job>[]
  stop: Stop | null
}

interface SendDeps {
  client: OutgoingClient
  channel: Channel
  target: Target
  signal: AbortSignal
}

/**
 * Sends jobs in one request and says what became of each. A request that is refused for one bad event is halved until
 * that one stands alone; once the vendor stops us, the rest waits.
 */
export async function sendBatch(deps: SendDeps, jobs: readonly Job[]): Promise<Sent> {
  const verdict = await deps.channel.send(deps.client, deps.target, jobs, deps.signal)
  if (verdict.kind !== 'split') return spread(jobs, verdict)
  const middle = Math.ceil(jobs.length / 2)
  const first = await sendBatch(deps, jobs.slice(0, middle))
  const rest = jobs.slice(middle)
  if (first.stop !== null)
    return { ...first, outcomes: [...first.outcomes, ...rest.map((job) => untouched(job))] }
  const second = await sendBatch(deps, rest)
  return { outcomes: [...first.outcomes, ...second.outcomes], stop: second.stop }
}

function spread(jobs: readonly Job[], verdict: Exclude<Verdict, { kind: 'split' }>): Sent {
  if (verdict.kind === 'interrupted') return { outcomes: jobs.map((job) => untouched(job)), stop: null }
  const { answer, message } = verdict
  const said = { answer, message, isUntouched: false }
  if (verdict.kind === 'settled') {
    const { state, reason } = verdict
    return { outcomes: jobs.map((job) => ({ job, state, reason, afterMs: null, ...said })), stop: null }
  }
  const afterMs = verdict.kind === 'retry' ? verdict.afterMs : null
  return {
    outcomes: jobs.map((job) => ({ job, state: 'waiting', reason: '', afterMs, ...said })),
    stop: verdict.kind === 'stop' ? { code: verdict.code, message } : null,
  }
}
