import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import {
  type CreatedOutcomeKey,
  OUTCOME_KEY_NAME_MAX_LENGTH,
  OUTCOME_LABEL_MAX_LENGTH,
  OUTCOME_MODES,
  OUTCOME_NAME,
  OUTCOMES_PATH,
  type OutcomeReport,
} from '#contract/outcomes.ts'
import type { Config } from '../config.ts'
import type { ServerPixelList } from '../conversions/targets.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/errors.ts'
import { pathId, readBody } from '../http/security/administrators.ts'
import type { Stats } from '../stats/counts.ts'
import { chooseEvent } from './destinations.ts'
import { makeKey, revokeKey } from './keys.ts'
import { type DeclaredName, declareName, relabelName } from './names.ts'
import { type OutcomeDeps, registerOutcomes } from './post-outcomes.ts'
import { readReport } from './report.ts'

interface OutcomeParts {
  config: Pick<Config, 'siteUrl'>
  db: Db
  stats: Stats
  pixels: ServerPixelList
}

/** Outcomes: what the customer's own system reports, with the keys that it uses. */
export function composeOutcomes({ config: { siteUrl }, db, stats, pixels }: OutcomeParts) {
  return {
    registerAdmin: (scope: FastifyInstance) =>
      registerAdmin(scope, { db, pixels, url: siteUrl + OUTCOMES_PATH }),
    registerPublic: (scope: FastifyInstance, { limits }: Pick<OutcomeDeps, 'limits'>): void =>
      registerOutcomes(scope, { db, stats, pixels, limits }),
  }
}

const DAYS = ['7', '30', '90'] as const
const querySchema = z.strictObject({
  mode: z._default(z.enum(OUTCOME_MODES), 'live'),
  days: z._default(z.enum(DAYS), '30'),
})

const text = (maxLength: number) =>
  z.string().check(z.trim(), z.minLength(1), z.maxLength(maxLength), z.regex(/^\P{C}*$/u))
const keySchema = z.strictObject({ name: text(OUTCOME_KEY_NAME_MAX_LENGTH), mode: z.enum(OUTCOME_MODES) })
const nameSchema = z.strictObject({
  name: z.string().check(z.regex(OUTCOME_NAME)),
  label: text(OUTCOME_LABEL_MAX_LENGTH),
})
const eventSchema = z.strictObject({
  event: z.nullable(z.string().check(z.trim(), z.minLength(1), z.maxLength(100))),
  sends_value: z.boolean(),
})
const labelSchema = z.strictObject({ label: text(OUTCOME_LABEL_MAX_LENGTH) })

/** Routes of "Resultados" under `/admin/api`. */
function registerAdmin(
  scope: FastifyInstance,
  { db, pixels, url }: { db: Db; pixels: ServerPixelList; url: string },
): void {
  /** Counts and values of outcomes by name, their keys, and calls with test keys. Query: `mode` (`live` or `test`), `days` (7, 30 or 90). */
  scope.get('/admin/api/outcomes', async (request): Promise<OutcomeReport> => {
    const parsed = querySchema.safeParse(request.query)
    if (!parsed.success) throw new AppError(400, 'bad_request', 'Escolha um período de 7, 30 ou 90 dias.')
    const { mode, days } = parsed.data
    return readReport(db, { mode, days: Number(days) }, url)
  })

  /** Declares the name of an outcome. Body: `{ name, label }`. */
  scope.post('/admin/api/outcomes/names', async (request, reply): Promise<DeclaredName> => {
    const declared = readBody(nameSchema, request)
    reply.code(201)
    return request.change(db, (trx, actor) => declareName(trx, actor, declared))
  })

  /** Changes the label of an outcome. Body: `{ label }`. */
  scope.put('/admin/api/outcomes/names/:name', async (request): Promise<DeclaredName> => {
    const { name } = request.params as { name: string }
    const { label } = readBody(labelSchema, request)
    return request.change(db, (trx, actor) => relabelName(trx, actor, { name, label }))
  })

  /** Chooses the event under which a pixel's destination gets an outcome, or none, and whether it gets the value. Body: `{ event, sends_value }`. */
  scope.put('/admin/api/outcomes/names/:name/destinations/:id', async (request, reply) => {
    const { name } = request.params as { name: string }
    const wanted = { name, pixelId: pathId(request), ...readBody(eventSchema, request) }
    await request.change(db, (trx, actor) => chooseEvent(trx, actor, wanted))
    pixels.forget()
    return reply.code(204).send()
  })

  /** Makes a key for sending outcomes. Body: `{ name, mode }`. Only this answer has the key. */
  scope.post('/admin/api/outcomes/keys', async (request, reply): Promise<CreatedOutcomeKey> => {
    const wanted = readBody(keySchema, request)
    reply.code(201).header('cache-control', 'no-store')
    return request.change(db, (trx, actor) => makeKey(trx, actor, wanted))
  })

  /** Revokes a key of outcomes. */
  scope.delete('/admin/api/outcomes/keys/:id', async (request, reply) => {
    const id = pathId(request)
    await request.change(db, (trx, actor) => revokeKey(trx, actor, id))
    return reply.code(204).send()
  })
}
