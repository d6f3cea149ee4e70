import type { FastifyInstance } from 'fastify'
import {
  type FirstSteps,
  HIDES_FIRST_STEPS,
  type InstallationProblem,
  KEEPS_PASSWORD,
  type Notices,
  type ProductionGap,
} from '#contract/admin-page.ts'
import { DAY_MS } from '#contract/durations.ts'
import { isLoopbackHost } from '#contract/public-host.ts'
import { SITE_TIME_ZONE } from '#contract/site.ts'
import { recordAudit } from '../activity/trail.ts'
import { hasGeneratedPassword } from '../auth/accounts/users.ts'
import type { Config } from '../config.ts'
import { findApiProblems } from '../conversions/destinations/destinations.ts'
import { describeClock, readClock } from '../db/clock.ts'
import type { Db } from '../db/database.ts'
import { readWindows } from '../http/limits/counter.ts'
import {
  CEILING_SETTINGS,
  ceilingKey,
  ceilingOf,
  HOURLY_CEILINGS,
  type Storable,
} from '../http/limits/limits.ts'
import type { Actor } from '../http/security/administrators.ts'
import { readCounts } from '../stats/counts.ts'
import { CEILING_KEY } from '../stats/series.ts'

interface NoticesDeps {
  db: Db
  config: Facts
  /** The first steps of an invented site are nobody's. */
  isDemonstration: boolean
  listReachedCeilings: () => Promise<ProductionGap[]>
  /** What the last check of the database file found; null if nothing. */
  fileDamage: () => InstallationProblem | null
}

/** Notices for the operator, shown to administrators and logged. */
export function registerNotices(scope: FastifyInstance, deps: NoticesDeps): void {
  /** What is missing for production, problems of the database file or the clock, and the first steps of the caller. */
  scope.get('/admin/api/notices', async ({ caller }): Promise<Notices> => {
    const problems = [deps.fileDamage(), describeClock(await readClock(deps.db))]
    return {
      gaps: [...(await deps.listReachedCeilings()), ...findProductionGaps(deps.config)],
      problems: problems.filter((problem) => problem !== null),
      ...(caller.kind !== 'user' || deps.isDemonstration
        ? { first_steps: null, offers_password: false }
        : await readWelcome(deps, caller.userId)),
    }
  })
  /** Confirms that the clock is right after it jumped. */
  scope.post('/admin/api/clock/confirm', async (request, reply) => {
    await request.change(deps.db, confirmClock)
    return reply.code(204).send()
  })
}

/** What is left to do for this person after the installation. */
async function readWelcome(
  { db, config }: Pick<NoticesDeps, 'db' | 'config'>,
  userId: string,
): Promise<Pick<Notices, 'first_steps' | 'offers_password'>> {
  const { user_metadata: own, app_metadata: known } = await db
    .selectFrom('auth_users')
    .select(['user_metadata', 'app_metadata'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const factor = await db
    .selectFrom('auth_factors')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', '=', 'verified')
    .executeTakeFirst()
  const setup = describeSetup(config)
  return {
    first_steps: {
      ...setup,
      tested: await wasTested(db),
      second_factor: factor !== undefined,
      hidden: own[HIDES_FIRST_STEPS] === true,
    },
    offers_password: hasGeneratedPassword(known) && own[KEEPS_PASSWORD] !== true,
  }
}

/** Somebody started a test visit, or a visit ran a tag. */
async function wasTested(db: Db): Promise<boolean> {
  const ran = await db
    .selectFrom('tag_last_seen')
    .select('pixel_id')
    .where('last_ran_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  if (ran !== undefined) return true
  const test = await db
    .selectFrom('audit_events')
    .select('id')
    .where('action', '=', 'tags.test')
    .limit(1)
    .executeTakeFirst()
  return test !== undefined
}

/** What only the operator can set. */
export function describeSetup({
  siteUrl,
  mail,
  site,
}: Pick<Facts, 'siteUrl' | 'mail' | 'site'>): Pick<FirstSteps, 'mail' | 'https' | 'data_contact'> {
  return {
    mail: mail.smtpUrl !== null,
    https: new URL(siteUrl).protocol === 'https:',
    data_contact: site.legalName !== null && site.dpoEmail !== null,
  }
}

type Facts = Pick<Config, 'siteUrl' | 'adminUrl' | 'trustProxy' | 'databaseUrl'> & {
  site: Pick<Config['site'], 'legalName' | 'dpoEmail'>
  mail: Pick<Config['mail'], 'smtpUrl'>
  backup: Pick<Config['backup'], 'everyMs'>
  outgoing: Pick<Config['outgoing'], 'apis'>
}

/** What a public site should have and this one lacks. A local installation lacks nothing. */
export function findProductionGaps(config: Omit<Facts, 'site'>, now = Date.now()): ProductionGap[] {
  const { protocol, hostname } = new URL(config.siteUrl)
  if (isLoopbackHost(hostname)) return []
  const gaps: ProductionGap[] = []
  const add = (isMissing: boolean, code: string, message: string) => {
    if (isMissing) gaps.push({ code, message })
  }
  add(
    protocol === 'http:',
    'plain_http',
    'O site está em http, sem criptografia. Configure o TLS no proxy e use https em SITE_URL.',
  )
  add(
    config.adminUrl === null,
    'no_admin_url',
    'O painel usa o mesmo endereço do site, onde as tags rodam. Defina um endereço só para o painel em ADMIN_URL.',
  )
  add(
    config.mail.smtpUrl === null,
    'no_smtp_url',
    'Os e-mails não estão sendo enviados: convites e recuperações de senha ficam na pasta outbox. Defina SMTP_URL.',
  )
  // This process does not use TLS: an https address means that a proxy does.
  add(
    protocol === 'https:' && config.trustProxy === false,
    'no_trust_proxy',
    'O site está atrás de um proxy e TRUST_PROXY não está definida. Sem ela, todos os visitantes contam como um só nos limites de acesso. Informe o endereço do proxy.',
  )
  add(
    config.databaseUrl === null && config.backup.everyMs === null,
    'no_backups',
    'Não há backup automático. Defina BACKUP_EVERY (por exemplo, 24h) ou agende "npm run backup".',
  )
  const { unknown, ending } = findApiProblems(config.outgoing.apis, now)
  add(
    unknown.length > 0,
    'unknown_destination',
    `DESTINATION_APIS tem nomes que não existem e não fazem efeito: ${unknown.join(', ')}. Use os nomes da documentação, como linkedin.`,
  )
  for (const { name, version, hasEnded } of ending)
    add(
      true,
      'api_version_ends',
      `A versão ${version} da API do ${name} ${hasEnded ? 'já foi encerrada' : 'será encerrada em menos de 30 dias'}. Atualize o Pórtico ou informe a nova versão em DESTINATION_APIS.`,
    )
  return gaps
}

const SHOWN_FOR_MS = DAY_MS

const NAMES: Record<Storable, string> = {
  newsletter: 'inscrições na newsletter',
  consent: 'registros de consentimento',
  'tag-report': 'relatórios de tags',
  event: 'eventos para plataformas',
  'visit-code': 'códigos de visita',
  'csp-report': 'avisos de bloqueio',
  'blocked-host': 'novos endereços bloqueados',
  signup: 'cadastros',
}

/** From this part of a ceiling on, the dashboard says how near it is. */
const NEAR = 0.5

/** Hourly ceilings that are near, and those that refused rows in the last day, with the number and the last time. */
export async function listReachedCeilings(
  db: Db,
  { perHour }: Pick<Config, 'perHour'>,
  now = Date.now(),
): Promise<ProductionGap[]> {
  const kinds = (Object.keys(HOURLY_CEILINGS) as Storable[]).sort()
  const [counts, used] = await Promise.all([
    readCounts(db, { series: 'site', resolution: 'ten_minutes', from: now - SHOWN_FOR_MS }),
    readWindows(db, kinds.map(ceilingKey), now),
  ])
  const near = kinds.flatMap((what): ProductionGap[] => {
    const { max } = ceilingOf(what, perHour)
    const count = used.get(ceilingKey(what)) ?? 0
    if (count < max * NEAR) return []
    const message = `Nesta hora já foram guardados ${toText(count)} de até ${toText(max)} ${NAMES[what]} (${Math.floor((count / max) * 100)}%).`
    return [{ code: `ceiling_near_${what.replace('-', '_')}`, message: [message, ...advice(what)].join(' ') }]
  })
  const refused = counts.filter(({ key }) => key.startsWith(CEILING_KEY))
  const reached = [...Map.groupBy(refused, ({ key }) => key)].sort().flatMap(([key, slots]) => {
    const what = key.slice(CEILING_KEY.length)
    if (!isStorable(what)) return []
    const count = slots.reduce((sum, slot) => sum + slot.count, 0)
    const last =
      slots
        .map(({ at }) => at)
        .sort()
        .at(-1) ?? ''
    const sentences = [
      `O limite de ${toText(ceilingOf(what, perHour).max)} ${NAMES[what]} por hora foi atingido (última vez: ${toTime(last)}).`,
      `Recusados nas últimas 24 horas: ${toText(count)}.`,
      ...advice(what),
    ]
    return [{ code: `ceiling_${what.replace('-', '_')}`, message: sentences.join(' ') }]
  })
  return [...near, ...reached]
}

function advice(what: Storable): string[] {
  const setting = CEILING_SETTINGS[what]
  return setting === undefined ? [] : [`Se forem visitas reais, aumente ${setting}.`]
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

/** Confirms the clock: rows may be deleted by age again. */
export async function confirmClock(trx: Db, actor: Actor, now = new Date()): Promise<void> {
  await trx.updateTable('site_state').set({ clock_seen_at: now.toISOString() }).execute()
  await recordAudit(trx, { ...actor, action: 'clock.confirmed', after: { clock: now.toISOString() } }, now)
}
