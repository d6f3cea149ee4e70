import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import * as z from 'zod/mini'
import { ACTIVITY_ACTORS } from '#contract/activity.ts'
import {
  CONSENT_MAX_DAYS,
  type ConsentCount,
  type ConsentOverview,
  type FoundRecord,
} from '#contract/consent.ts'
import { DAY_MS } from '#contract/durations.ts'
import type { Dossier } from '#contract/inventory.ts'
import { nextSiteDay, siteDate, startOfSiteDate } from '#contract/site.ts'
import { recordAudit } from '../activity/trail.ts'
import type { Db } from '../db/database.ts'
import { AppError } from '../http/errors.ts'
import { toCsvLine } from '../http/requests.ts'
import { auditActor, type Caller } from '../http/security/administrators.ts'
import { listCheckpoints, readCheckpointState } from './checkpoints.ts'
import { summarizeConsent } from './choice-counts.ts'
import { composeDossier, type DossierDeps } from './dossier.ts'
import { readNotices } from './notice.ts'
import { exportConsentProof } from './proof/export.ts'
import { findRecordsByCode } from './records.ts'

/** Functions that other modules supply. */
export interface ConsentAdminPorts extends Pick<DossierDeps, 'describeVendor'> {
  /** Renders the dossier as one HTML file. */
  renderDossier: (dossier: Dossier) => string
}

interface ConsentAdminDeps extends ConsentAdminPorts, DossierDeps {}

/** Routes of "Consentimento": figures, records, export and dossier. */
export function registerConsentAdmin(scope: FastifyInstance, deps: ConsentAdminDeps): void {
  const { db } = deps
  /** Choices by day, notices and checkpoints. Query: `from`, `to` (days). */
  scope.get('/admin/api/consent', async (request): Promise<ConsentOverview> => {
    return readConsentOverview(db, readDayRange(request.query), deps.keptDays)
  })

  /** The choices of one browser. Query: `code`, as the visitor reads it. */
  scope.get('/admin/api/consent/records', async (request): Promise<{ records: FoundRecord[] }> => {
    const { code } = request.query as { code?: unknown }
    const records = await findRecordsByCode(db, typeof code === 'string' ? code : '')
    if (records === null)
      throw new AppError(
        400,
        'bad_request',
        'Código inválido. Copie o código que aparece nas preferências de cookies do visitante.',
      )
    return { records }
  })

  /** Choices by day as CSV. Query: `from`, `to`. The download is recorded. */
  scope.get('/admin/api/consent/export', async (request, reply) => {
    const { caller } = request
    const range = readDayRange(request.query)
    const counts = await summarizeConsent(db, range)
    await recordAudit(db, { ...auditActor(caller), action: 'consent.export', after: range })
    return reply
      .type('text/csv; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(exportCounts(counts))
  })

  /** Consent records with their proof, as JSON-LD. Query: `from`, `to`. The download is recorded. */
  scope.get('/admin/api/consent/records/export', async (request, reply) => {
    const { caller } = request
    const range = readDayRange(request.query)
    await recordAudit(db, { ...auditActor(caller), action: 'consent.records_export', after: range })
    const lines = exportConsentProof(db, {
      site: deps.site.siteUrl,
      from: new Date(startOfSiteDate(range.from)).toISOString(),
      to: new Date(nextSiteDay(startOfSiteDate(range.to))).toISOString(),
    })
    return reply
      .type('application/ld+json; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(Readable.from(lines))
  })

  /** A report for auditors. Query: `from`, `to`, `format` (`html` or `json`). The download is recorded. */
  scope.get('/admin/api/consent/dossier', async (request, reply) => {
    const { caller } = request
    const range = readDayRange(request.query)
    const { format } = request.query as { format?: unknown }
    if (format !== 'html' && format !== 'json')
      throw new AppError(400, 'bad_request', 'O formato precisa ser "html" ou "json".')
    const dossier = await make(caller, range)
    await recordAudit(db, { ...auditActor(caller), action: 'consent.dossier', after: { ...range, format } })
    // Sent as a download: opened in the browser it would be a document of the dashboard's origin.
    reply
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="dossie-${range.from}-a-${range.to}.${format}"`)
    return format === 'html'
      ? reply.type('text/html; charset=utf-8').send(deps.renderDossier(dossier))
      : reply.type('application/json; charset=utf-8').send(JSON.stringify(dossier, null, 2))
  })

  const make = (caller: Caller, range: DayRange) => {
    const { actor } = auditActor(caller)
    return composeDossier(deps, range, ACTIVITY_ACTORS[actor] ?? actor)
  }
}

const RECENT_CHECKPOINTS = 15

async function readConsentOverview(db: Db, range: DayRange, keptDays: number): Promise<ConsentOverview> {
  const [counts, notices, checkpoints, recent] = await Promise.all([
    summarizeConsent(db, range),
    readNotices(db),
    readCheckpointState(db),
    listCheckpoints(db, { limit: RECENT_CHECKPOINTS }),
  ])
  return {
    ...range,
    counts,
    notices: notices
      .map(({ version, hash, first_served_at, text }) => ({ version, hash, first_served_at, text }))
      .reverse(),
    seals: checkpoints,
    recent: recent.map(({ sequence, sealed_at, leaf_count }) => ({ sequence, sealed_at, leaf_count })),
    kept_days: keptDays,
  }
}

const YEARS = /^20[2-9]\d-/

const rangeSchema = z.object({ from: z.iso.date(), to: z.iso.date() })

export interface DayRange {
  from: string
  to: string
}

/** Reads `from` and `to`: days of the site, both included, `to` no later than today. */
function readDayRange(query: unknown, now = Date.now()): DayRange {
  const { from = '', to = '' } = rangeSchema.safeParse(query).data ?? {}
  const today = siteDate(now)
  if (!YEARS.test(from) || !YEARS.test(to) || from > to || from > today)
    throw new AppError(400, 'bad_request', 'Escolha um período válido: a data inicial vem antes da final.')
  if ((Date.parse(to) - Date.parse(from)) / DAY_MS >= CONSENT_MAX_DAYS)
    throw new AppError(400, 'bad_request', `Escolha um período de até ${CONSENT_MAX_DAYS} dias.`)
  return { from, to: to > today ? today : to }
}

const STATES = { accepted: 'aceitou', partial: 'aceitou em parte', refused: 'recusou' } as const

/** The figures of a period as CSV. */
function exportCounts(counts: readonly ConsentCount[]): string {
  return [
    ['dia', 'versao_do_aviso', 'botao', 'escolha', 'quantidade'],
    ...counts.map(({ day, text_version, action, choice, count }) => [
      day,
      String(text_version),
      action,
      STATES[choice],
      String(count),
    ]),
  ]
    .map(toCsvLine)
    .join('')
}
