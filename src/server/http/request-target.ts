import type { IncomingMessage } from 'node:http'
import { AppError } from './app-error.ts'
import { canonicalTarget, type Target } from './canonical-target.ts'

const targets = new WeakMap<IncomingMessage, Target>()

/** The raw server sets it, once, before anything else looks at the request. */
export function setRequestTarget(request: IncomingMessage, target: Target): void {
  targets.set(request, target)
}

/** The one target that headers, host rule, error pages and log go by. */
export function requestTarget(request: IncomingMessage): Target {
  const target = findRequestTarget(request)
  if (target === null) throw new AppError(400, 'bad_request', 'The request target is not canonical')
  return target
}

/** Null for a request made in process, past the raw server, whose target is not canonical. */
export function findRequestTarget(request: IncomingMessage): Target | null {
  const known = targets.get(request)
  if (known !== undefined) return known
  const target = canonicalTarget(request)
  if ('refusal' in target) return null
  targets.set(request, target)
  return target
}
