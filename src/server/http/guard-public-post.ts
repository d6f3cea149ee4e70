import type { FastifyRequest } from 'fastify'
import { AppError } from './app-error.ts'
import type { PublicCall, Storable } from './limits.ts'
import { isFromOwnPage } from './own-page.ts'
import type { PublicLimits } from './public-limits.ts'

/** What a public endpoint needs to know who it may listen to. */
export interface PublicGuard {
  limits: PublicLimits
  siteUrl: string
}

/** Anyone can post to `/api/`, so: only from our own pages, and only so often from one place. */
export function guardPublicPost(
  { limits, siteUrl }: PublicGuard,
  request: FastifyRequest,
  call: PublicCall,
): void {
  if (!isFromOwnPage(request, siteUrl))
    throw new AppError(403, 'cross_site', 'Only pages of this site may call this')
  limitPublicCall(limits, request, call)
}

/** What anyone may ask from anywhere, but only so often from one place. */
export function limitPublicCall(limits: PublicLimits, request: FastifyRequest, call: PublicCall): void {
  const wait = limits.takeByAddress(request, call)
  if (wait !== null) throw tooMany(wait, 'too_many_requests', 'Too many requests')
}

/** Past the hour's ceiling nothing is stored, and the caller is told so. */
export function storeWithin<T>(
  { limits }: PublicGuard,
  request: FastifyRequest,
  what: Storable,
  store: (giveBack: () => void) => Promise<T>,
): Promise<T> {
  return limits.storeWithin(what, request, store, (wait) => {
    throw tooMany(wait, 'not_recorded', 'Not recorded: too many were sent to us in this hour')
  })
}

function tooMany(wait: number, code: string, message: string): AppError {
  return new AppError(429, code, message, { headers: { 'retry-after': String(wait) } })
}
