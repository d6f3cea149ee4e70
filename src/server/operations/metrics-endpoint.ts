import type { FastifyInstance } from 'fastify'
import { type Config, VERSION } from '../config.ts'
import type { Metrics, WatchedState } from './metrics.ts'

/** `/metrics`, where somebody asked for it. What tells it is loaded then: it is some megabytes. */
export async function composeMetrics(
  scope: FastifyInstance,
  metrics: Metrics | null,
  { host, metrics: config }: Pick<Config, 'host' | 'metrics'>,
  state: Omit<WatchedState, 'version'>,
): Promise<void> {
  if (metrics === null || config === null) return
  metrics.watchState({ ...state, version: VERSION })
  const { registerMetrics } = await import('./metrics.ts')
  registerMetrics(scope, metrics, { host, metrics: config })
}
