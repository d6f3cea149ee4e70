import type { FastifyRequest } from 'fastify'
import type { Db } from '../db/database.ts'
import { addressBlock } from '../http/address-block.ts'
import { AppError } from '../http/app-error.ts'
import { countHit } from '../http/rate-limit.ts'

export interface PublicLimit {
  /** Names the counter. */
  name: string
  perWindow: number
  windowMs: number
}

/** Anyone can call these, so: only from our own pages as far as a browser says so, and only so often per address. */
export async function admitPublicCall(db: Db, request: FastifyRequest, limit: PublicLimit): Promise<void> {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') {
    throw new AppError(403, 'cross_site', 'Only pages of this site may call this')
  }
  const { count, retryAfterSeconds } = await countHit(
    db,
    `${limit.name}:${addressBlock(request.ip)}`,
    limit.windowMs,
  )
  if (count > limit.perWindow) {
    throw new AppError(429, 'too_many_requests', 'Too many requests', {
      headers: { 'retry-after': String(retryAfterSeconds) },
    })
  }
}
