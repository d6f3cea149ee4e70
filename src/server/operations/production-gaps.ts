import type { FastifyInstance } from 'fastify'
import type { InstallationProblem, Notices, ProductionGap } from '#contract/admin-page.ts'
import { SITE_TIME_ZONE } from '#contract/site.ts'
import { type AuditEntry, recordAudit } from '../activity/trail.ts'
import type { Config } from '../config.ts'
import { describeClock, readClock } from '../db/clock.ts'
import type { Db } from '../db/database.ts'
import { change } from '../db/transactions/change.ts'
import { HOURLY_CEILINGS, type Storable } from '../http/limits/limits.ts'
import { auditActor } from '../http/security/administrators.ts'
import { readCounts } from '../stats/counts.ts'
import { CEILING_KEY } from '../stats/series.ts'

interface NoticesDeps {
  db: Db
  gaps: readonly ProductionGap[]
  listReachedCeilings: () => Promise<ProductionGap[]>
  /** What the last check found wrong with the database's file; null when nothing was. */
  fileDamage: () => InstallationProblem | null
}

/** What the operator should know, told to administrators; the log says it too. */
export function registerNotices(scope: FastifyInstance, deps: NoticesDeps): void {
  scope.get('/admin/api/notices', async (): Promise<Notices> => {
    const problems = [deps.fileDamage(), describeClock(await readClock(deps.db))]
    return {
      gaps: [...(await deps.listReachedCeilings()), ...deps.gaps],
      problems: problems.filter((problem) => problem !== null),
    }
  })
  scope.post('/admin/api/clock/confirm', async (request, reply) => {
    const { caller } = request
    await confirmClock(deps.db, auditActor(caller))
    return reply.code(204).send()
  })
}

type Facts = Pick<Config, 'siteUrl' | 'adminUrl' | 'trustProxy' | 'databaseUrl'> & {
  mail: Pick<Config['mail'], 'smtpUrl'>
  backup: Pick<Config['backup'], 'everyMs'>
}

/** What a site that the world can reach should have and this one has not. On this machine nothing is missing. */
export function findProductionGaps(config: Facts): ProductionGap[] {
  const { protocol, hostname } = new URL(config.siteUrl)
  if (['localhost', '127.0.0.1', '[::1]'].includes(hostname)) return []
  const gaps: ProductionGap[] = []
  const add = (isMissing: boolean, code: string, message: string) => {
    if (isMissing) gaps.push({ code, message })
  }
  add(
    protocol === 'http:',
    'plain_http',
    'O site é servido por http, sem criptografia. Termine o TLS em um proxy e ponha https em SITE_URL.',
  )
  add(
    config.adminUrl === null,
    'no_admin_url',
    'O painel está no mesmo endereço que o site, onde rodam as tags. Dê a ele um endereço próprio em ADMIN_URL.',
  )
  add(
    config.mail.smtpUrl === null,
    'no_smtp_url',
    'Nenhum e-mail é enviado: convites e recuperação de senha ficam na pasta outbox. Defina SMTP_URL.',
  )
  // This process speaks no TLS: an https address means that something stands in front of it.
  add(
    protocol === 'https:' && config.trustProxy === false,
    'no_trust_proxy',
    'Há um proxy na frente, mas TRUST_PROXY não está definida: todos os visitantes contam como um só. Diga nela de quem é o proxy.',
  )
  add(
    config.databaseUrl === null && config.backup.everyMs === null,
    'no_backups',
    'Nenhum backup é feito por si só. Defina BACKUP_EVERY, como 24h, ou agende "npm run backup".',
  )
  return gaps
}

const TOLD_FOR_MS = 24 * 60 * 60_000

const NAMES: Record<Storable, string> = {
  newsletter: 'inscrições na newsletter',
  consent: 'registros de consentimento',
  'tag-report': 'relatórios de tags',
  event: 'eventos para plataformas',
  'csp-report': 'avisos de bloqueio',
  'blocked-host': 'novos endereços bloqueados',
  signup: 'cadastros',
}

/** Each hourly ceiling that kept something from being stored in the last day, with how much and when last. */
export async function listReachedCeilings(
  db: Db,
  { eventsPerHour }: Pick<Config, 'eventsPerHour'>,
  now = Date.now(),
): Promise<ProductionGap[]> {
  const counts = await readCounts(db, { series: 'site', resolution: 'ten_minutes', from: now - TOLD_FOR_MS })
  const refused = counts.filter(({ key }) => key.startsWith(CEILING_KEY))
  return [...Map.groupBy(refused, ({ key }) => key)].sort().flatMap(([key, slots]) => {
    const what = key.slice(CEILING_KEY.length)
    if (!isStorable(what)) return []
    const count = slots.reduce((sum, slot) => sum + slot.count, 0)
    const last =
      slots
        .map(({ at }) => at)
        .sort()
        .at(-1) ?? ''
    const { max } = what === 'event' ? { max: eventsPerHour } : HOURLY_CEILINGS[what]
    const sentences = [
      `O limite de ${toText(max)} ${NAMES[what]} por hora foi atingido (última vez: ${toTime(last)}).`,
      `Recusados nas últimas 24 horas: ${toText(count)}.`,
      ...(what === 'event' ? ['Se forem visitas reais, aumente EVENTS_PER_HOUR.'] : []),
    ]
    return [{ code: `ceiling_${what.replace('-', '_')}`, message: sentences.join(' ') }]
  })
}

function isStorable(what: string): what is Storable {
  return Object.hasOwn(HOURLY_CEILINGS, what)
}

const toText = (count: number) => count.toLocaleString('pt-BR')

function toTime(slot: string): string {
  return new Date(slot).toLocaleString('pt-BR', {
    timeZone: SITE_TIME_ZONE,
    day: '2-digit',
    month: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
}

/** An administrator or the operator says that the clock is right: rows may be removed by their age again. */
export async function confirmClock(
  db: Db,
  actor: Pick<AuditEntry, 'actor_id' | 'actor'>,
  now = new Date(),
): Promise<void> {
  await change(db, async (trx) => {
    await trx.updateTable('site_state').set({ clock_seen_at: now.toISOString() }).execute()
    await recordAudit(trx, { ...actor, action: 'clock.confirmed', after: { clock: now.toISOString() } }, now)
  })
}
