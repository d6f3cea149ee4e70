import type { Checkpoint, ConsentCount } from '#contract/consent.ts'
import type { Dossier, DossierFigures } from '#contract/inventory.ts'
import { nextSiteDay, type SiteInfo, siteDate, startOfSiteDate } from '#contract/site.ts'
import type { Db } from '../db/database.ts'
import { type DescribeVendor, readTagPeriods, readTagsKnownSince } from '../inventory/served-page.ts'
import type { DayRange } from './admin-routes.ts'
import { summarizeConsent } from './choice-counts.ts'
import { readNotices } from './notice.ts'
import { toCheckpoint } from './proof/canonical.ts'
import { TreeReader } from './proof/merkle-store.ts'

export interface DossierDeps {
  db: Db
  site: SiteInfo
  keptDays: number
  describeVendor: DescribeVendor
}

/** Everything recorded about a period. */
export async function composeDossier(
  { db, site, keptDays, describeVendor }: DossierDeps,
  range: DayRange,
  madeBy: string,
  now = Date.now(),
): Promise<Dossier> {
  const from = new Date(startOfSiteDate(range.from)).toISOString()
  const until = new Date(Math.min(now, nextSiteDay(startOfSiteDate(range.to)))).toISOString()
  const [counts, notices, tags, known, headers, checkpoints] = await Promise.all([
    summarizeConsent(db, range),
    readNotices(db),
    readTagPeriods(db, { from, until }, describeVendor),
    readTagsKnownSince(db),
    readHeaders(db, { from, until }),
    readDayCheckpoints(db, range),
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
    seals: checkpoints,
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

/**
 * The checkpoints around a period: one before it, the last of each day, and the proof that nothing before was changed.
 */
async function readDayCheckpoints(db: Db, { from, to }: DayRange): Promise<Dossier['seals']> {
  const start = startOfSiteDate(from)
  const before = await lastBefore(db, start)
  const days: Checkpoint[] = []
  for (let day = start; day <= startOfSiteDate(to); day = nextSiteDay(day)) {
    const checkpoint = await lastBefore(db, nextSiteDay(day), day)
    if (checkpoint !== null) days.push(checkpoint)
  }
  const last = days.at(-1) ?? null
  return {
    before,
    days,
    last,
    consistency:
      before === null || last === null
        ? []
        : await new TreeReader(db).proveConsistency(before.tree_size, last.tree_size),
  }
}

async function lastBefore(db: Db, time: number, since?: number): Promise<Checkpoint | null> {
  const row = await db
    .selectFrom('consent_seals')
    .selectAll()
    .where('sealed_at', '<', new Date(time).toISOString())
    .$if(since !== undefined, (query) => query.where('sealed_at', '>=', new Date(since ?? 0).toISOString()))
    .orderBy('sealed_at', 'desc')
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : toCheckpoint(row)
}
