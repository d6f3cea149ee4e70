import { sql } from 'kysely'
import type { ProductionGap } from '#contract/admin-page.ts'
import { SITE_TIME_ZONE } from '#contract/site.ts'
import type { Config } from '#server/config.ts'
import type { Db } from '#server/db/database.ts'
import { HOURLY_CEILINGS, type Storable } from '#server/http/limits.ts'
import { CEILING_SUBJECT } from './count-subject.ts'

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
  const rows = await db
    .selectFrom('site_counts')
    .select(['subject', sql<number | string>`sum(count)`.as('count'), sql<string>`max(slot)`.as('last')])
    .where('slot', '>=', new Date(now - TOLD_FOR_MS).toISOString())
    .where('subject', 'like', `${CEILING_SUBJECT}%`)
    .groupBy('subject')
    .orderBy('subject')
    .execute()
  return rows.flatMap(({ subject, count, last }) => {
    const what = subject.slice(CEILING_SUBJECT.length)
    if (!isStorable(what)) return []
    const { max } = what === 'event' ? { max: eventsPerHour } : HOURLY_CEILINGS[what]
    const sentences = [
      `O limite de ${toText(max)} ${NAMES[what]} por hora foi atingido (última vez: ${toTime(last)}).`,
      `Recusados nas últimas 24 horas: ${toText(Number(count))}.`,
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
