import { Gauge, type Registry } from 'prom-client'

/** What is read from the database when somebody asks. */
export interface WatchedState {
  readQueue(): Promise<{ pending: number; failed: number; oldestPendingAt: string | null }>
  /** What waits to be sent, by kind. */
  readDeliveries(): Promise<{ kind: string; waiting: number; oldestAt: string | null }[]>
  /** How many pixels are how. */
  readTagHealth(): Promise<ReadonlyMap<string, number>>
  version: string
}

/** Several who ask within this time are told the same. */
const FRESH_MS = 5_000

/** Gauges of what is stored. While the database is away they are left out, and everything else is told all the same. */
export function addStateGauges(registry: Registry, state: WatchedState): void {
  const registers = [registry]
  const queue = remembered(() => state.readQueue())
  const health = remembered(() => state.readTagHealth())
  new Gauge({
    name: 'portico_newsletter_queue',
    help: 'Subscriptions that wait for their delivery, or were given up.',
    labelNames: ['status'],
    registers,
    async collect() {
      this.reset()
      const size = await queue()
      if (size === null) return
      this.set({ status: 'pending' }, size.pending)
      this.set({ status: 'failed' }, size.failed)
    },
  })
  new Gauge({
    name: 'portico_newsletter_queue_age_seconds',
    help: 'How long the oldest subscription has waited.',
    registers,
    async collect() {
      const size = await queue()
      this.remove()
      if (size === null) return
      const { oldestPendingAt } = size
      this.set(ageOf(oldestPendingAt))
    },
  })
  const deliveries = remembered(() => state.readDeliveries())
  new Gauge({
    name: 'portico_deliveries_waiting',
    help: 'What waits to be sent, by kind.',
    labelNames: ['kind'],
    registers,
    async collect() {
      this.reset()
      for (const { kind, waiting } of (await deliveries()) ?? []) this.set({ kind }, waiting)
    },
  })
  new Gauge({
    name: 'portico_deliveries_oldest_seconds',
    help: 'How long the oldest of a kind has waited to be sent.',
    labelNames: ['kind'],
    registers,
    async collect() {
      this.reset()
      for (const { kind, oldestAt } of (await deliveries()) ?? []) this.set({ kind }, ageOf(oldestAt))
    },
  })
  new Gauge({
    name: 'portico_tags',
    help: 'Active pixels by their health.',
    labelNames: ['health'],
    registers,
    async collect() {
      this.reset()
      for (const [name, count] of (await health()) ?? []) this.set({ health: name }, count)
    },
  })
  new Gauge({
    name: 'portico_build_info',
    help: 'The release that runs.',
    labelNames: ['version'],
    registers,
  }).set({ version: state.version }, 1)
}

function ageOf(at: string | null): number {
  return at === null ? 0 : Math.max(0, (Date.now() - Date.parse(at)) / 1000)
}

/** Null when it could not be read. */
function remembered<T>(read: () => Promise<T>): () => Promise<T | null> {
  let readAt = Number.NEGATIVE_INFINITY
  let known: Promise<T | null> = Promise.resolve(null)
  return () => {
    if (performance.now() - readAt > FRESH_MS) {
      readAt = performance.now()
      known = read().catch(() => null)
    }
    return known
  }
}
