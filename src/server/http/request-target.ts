import type { IncomingMessage } from 'node:http'
import { AppError } from './app-error.ts'
import { canonicalTarget, type Target } from './canonical-target.ts'

const targets = new WeakMap<IncomingMessage, Target>()

/** The raw server sets it, once, before anything else looks at the request. */
export function setRequestTarget(request: IncomingMessage, target: Target): void {
  targets.set(request, target)
}

/** The one target that headers, host rule, error pages and log go by. A request made in process is judged here. */
export function requestTarget(request: IncomingMessage): Target {
  const known = targets.get(request)
  if (known !== undefined) return known
  const target = canonicalTarget(request)
  if ('refusal' in target) throw new AppError(400, 'bad_request', `The request target: ${target.refusal}`)
  targets.set(request, target)
  return target
}
