import type { ConsentCount } from '#contract/consent.ts'
import type { Dossier, DossierFigures } from '#contract/inventory.ts'
import { nextSiteDay, type SiteInfo, siteDate, startOfSiteDate } from '#contract/site.ts'
import type { Db } from '#server/db/database.ts'
import type { DayRange } from '../admin/read-day-range.ts'
import { readNotices } from '../read-notices.ts'
import { summarizeConsent } from '../summarize-consent.ts'
import { readDaySeals } from './read-day-seals.ts'
import { type DescribeVendor, readTagPeriods, readTagsKnownSince } from './read-tag-periods.ts'

export interface DossierDeps {
  db: Db
  site: SiteInfo
  keptDays: number
  describeVendor: DescribeVendor
}

/** Everything that is known of a period, from what was written down in it. */
export async function composeDossier(
  { db, site, keptDays, describeVendor }: DossierDeps,
  range: DayRange,
  madeBy: string,
  now = Date.now(),
): Promise<Dossier> {
  const from = new Date(startOfSiteDate(range.from)).toISOString()
  const until = new Date(Math.min(now, nextSiteDay(startOfSiteDate(range.to)))).toISOString()
  const [counts, notices, tags, known, headers, seals] = await Promise.all([
    summarizeConsent(db, range),
    readNotices(db),
    readTagPeriods(db, { from, until }, describeVendor),
    readTagsKnownSince(db),
    readHeaders(db, { from, until }),
    readDaySeals(db, range),
  ])
  const versions = [...new Set(counts.map(({ text_version }) => text_version))].sort((a, b) => a - b)
  return {
    format: 'portico-dossier/1',
    site: site.siteUrl,
    controller: {
      name: site.brandName,
      legal_name: site.legalName,
      cnpj: site.cnpj,
      contact: site.dpoEmail ?? site.contactEmail,
    },
    ...range,
    made_at: new Date(now).toISOString(),
    made_by: madeBy,
    kept_days: keptDays,
    figures: {
      total: sum(counts),
      days: daysOf(range).map((day) => ({ day, ...sum(counts.filter((count) => count.day === day)) })),
      notices: versions.map((version) => ({
        version,
        ...sum(counts.filter(({ text_version }) => text_version === version)),
      })),
    },
    tags_known_since: known,
    tags,
    headers,
    notices: notices.filter(({ first_served_at }) => first_served_at < until),
    seals,
  }
}

function daysOf({ from, to }: DayRange): string[] {
  const days: string[] = []
  for (let day = startOfSiteDate(from); siteDate(day) <= to; day = nextSiteDay(day)) days.push(siteDate(day))
  return days
}

function sum(counts: readonly ConsentCount[]): DossierFigures {
  const of = (state: ConsentCount['choice']) =>
    counts.reduce((total, { choice, count }) => total + (choice === state ? count : 0), 0)
  return { accepted: of('accepted'), partial: of('partial'), refused: of('refused') }
}

async function readHeaders(
  db: Db,
  { from, until }: { from: string; until: string },
): Promise<Dossier['headers']> {
  const select = () =>
    db.selectFrom('served_headers').select(['headers_hash as hash', 'since', 'is_unasked as unasked'])
  const [before, within] = await Promise.all([
    select().where('since', '<', from).orderBy('since', 'desc').limit(1).execute(),
    select().where('since', '>=', from).where('since', '<', until).orderBy('since').execute(),
  ])
  return [...before, ...within].map((row) => ({ ...row, unasked: Boolean(row.unasked) }))
}
