import type { FastifyRequest } from 'fastify'
import { AppError } from '#server/http/app-error.ts'
import type { Caller } from '#server/http/caller.ts'
import { type DataService, readCall } from '../data-service.ts'
import type { Resource, Row } from '../resource.ts'
import { runChange } from '../run-change.ts'
import { CONTENT_COLUMNS } from './describe-version.ts'

interface RestoreInput {
  pixelId: string
  /** An event of the pixel's history. */
  version: string
}

/** Writes an older version's content again, as an edit like any other: reviewed, on the record, and itself a version. */
export async function restoreVersion(
  service: DataService,
  resource: Resource,
  { request, caller }: { request: FastifyRequest; caller: Caller },
  { pixelId, version }: RestoreInput,
): Promise<void> {
  const event = await service.db
    .selectFrom('audit_events')
    .select('after')
    .where('id', '=', version)
    .where('subject', '=', pixelId)
    .where('action', 'in', ['tracking_pixels.insert', 'tracking_pixels.update'])
    .executeTakeFirst()
  if (event === undefined || event.after === null) throw notFound()
  const stored = event.after as Row
  const content = Object.fromEntries(
    CONTENT_COLUMNS.filter((name) => stored[name] !== undefined).map((name) => [name, stored[name]]),
  )
  const { rows } = await runChange(service, readCall(request, resource, caller), async (writer) => {
    const [pixel] = await writer.load([pixelId])
    return { rows: pixel === undefined ? [] : [await writer.update(pixel, content)] }
  })
  if (rows.length === 0) throw notFound()
}

const notFound = () => new AppError(404, 'not_found', 'Esta versão não foi encontrada.')
