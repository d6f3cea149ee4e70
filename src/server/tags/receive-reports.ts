import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import {
  TAG_ERROR_MAX_LENGTH,
  TAG_OUTCOMES,
  TAG_REPORT_MAX_RESULTS,
  TAG_REPORT_PATH,
} from '#contract/tag-report.ts'
import { AppError } from '../http/app-error.ts'
import { guardPublicPost, type PublicGuard, reserveRoom } from '../http/guard-public-post.ts'
import type { ReportBuffer } from './report-buffer.ts'
import type { TagStore } from './tag-store.ts'

const BODY_LIMIT_BYTES = 64_000

const reportSchema = z.object({
  results: z
    .array(
      z.object({
        id: z.string(),
        outcome: z.enum(TAG_OUTCOMES),
        error: z.optional(z.string()),
      }),
    )
    .check(z.maxLength(TAG_REPORT_MAX_RESULTS)),
})

/** Anyone can send these: only tags that run are counted, each once per report, and a text is only ever a short text. */
export function registerTagReports(
  app: FastifyInstance,
  { guard, tags, buffer }: { guard: PublicGuard; tags: TagStore; buffer: ReportBuffer },
): void {
  app.post(TAG_REPORT_PATH, { bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
    guardPublicPost(guard, request, 'tag-report')
    const parsed = reportSchema.safeParse(request.body)
    if (!parsed.success) throw new AppError(400, 'bad_request', 'Not a tag report')
    reserveRoom(guard, 'tag-report')
    const open = new Set(tags.recent.flatMap((set) => set.tags.map((tag) => tag.id)))
    for (const { id, outcome, error } of parsed.data.results) {
      if (open.delete(id)) buffer.add(id, outcome, outcome === 'failed' ? cleanError(error) : null)
    }
    return reply.code(204).send()
  })
}

function cleanError(error = ''): string | null {
  const text = error
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, TAG_ERROR_MAX_LENGTH)
  return text === '' ? null : text
}
