import type { FastifyInstance } from 'fastify'
import type { EvidencePartiesContent } from '#contract/consent.ts'
import { CONSENT_TEXT_VERSION, EMAIL_TEXT_VERSION } from '#contract/consent-choice.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { AdminAccess } from '../http/admin-request.ts'
import type { Logger } from '../http/logger.ts'
import type { CompressText } from '../http/prepared-response.ts'
import { otherHeaders } from '../http/security-headers.ts'
import { registerTagAdmin } from './admin-routes.ts'
import type { TagSet } from './compose-tag-set.ts'
import { countHealth } from './count-health.ts'
import { describeParties } from './describe-parties.ts'
import { ownHosts } from './own-hosts.ts'
import type { MeasureHead } from './policy-budget.ts'
import { readOverview } from './read-overview.ts'
import { registerTags, type TagPorts } from './register-tags.ts'
import { PixelReview } from './review-pixels.ts'
import { createRoomRenderer } from './rooms/create-room-renderer.ts'
import { readRoomScript } from './rooms/read-room-script.ts'
import { TagCompiler } from './tag-compiler.ts'
import { TagStore } from './tag-store.ts'
import { registerTestAdmin } from './testing/register-test-admin.ts'
import type { TodayDeps } from './today/read-today.ts'
import { SiteCounts } from './today/site-counts.ts'
import { describeServedTags } from './tools/describe-served-tags.ts'
import { describeTools } from './tools/describe-tools.ts'

interface TagParts {
  config: Config
  db: Db
  log: Logger
  distDir: string
  flushMs: number
  compressPage: CompressText
  measureHead: MeasureHead
  /** Told of every set before a page shows it: the words in which it asks, and who is behind it. */
  keepPremises: (textVersion: number, parties: EvidencePartiesContent) => Promise<void>
  /** Puts the set on the page; when it resolves, the next request gets the new one. */
  swapPage: (set: TagSet, served: ReturnType<typeof describeServedSet>) => Promise<void>
}

/** The tags that run on the page: kept in memory as they are stored, compiled, counted, and looked after. */
export function composeTags({
  config,
  db,
  log,
  distDir,
  flushMs,
  compressPage,
  measureHead,
  keepPremises,
  swapPage,
}: TagParts) {
  const { siteUrl, hsts, site, databaseUrl, retention } = config
  const rooms = createRoomRenderer(readRoomScript(distDir), config)
  const budget = { ownHosts: ownHosts(config), measureHead, measureRoom: rooms.measure }
  const compiler = new TagCompiler()
  const counts = new SiteCounts(db, log, flushMs)
  const store = new TagStore({
    db,
    log,
    compiler,
    ...budget,
    headers: otherHeaders(hsts),
    compressFile: compressPage,
    renderRoom: rooms.render,
    swapPage: (set, tagsVersion) => swapPage(set, describeServedSet(set, tagsVersion)),
    noteSet: (set) =>
      keepPremises(set.sendsEmail ? EMAIL_TEXT_VERSION : CONSENT_TEXT_VERSION, describeParties(site, set)),
  })
  const overview = () => readOverview({ db, tags: store, ...budget })
  return {
    store,
    counts,
    readOverview: overview,
    isInHtml: (pixelId: string) => (store.prepared.get(pixelId)?.compiled.head.length ?? 0) > 0,
    readHealth: async () => countHealth(await overview()),

    /** What every write of pixels goes through, whoever makes it. */
    pixels: {
      review: () =>
        new PixelReview({
          compiler,
          ...budget,
          noteChange: (version, ids) => store.noteChange(version, ids),
        }),
    },

    registerAdmin: async (
      scope: FastifyInstance,
      access: AdminAccess,
      ports: Omit<TodayDeps, 'db'>,
    ): Promise<void> => {
      await registerTagAdmin(scope, { ...access, ...ports, ...budget, db, tags: store, compiler })
      await registerTestAdmin(scope, { ...access, db, tags: store, siteUrl })
    },

    registerPublic: (scope: FastifyInstance, ports: TagPorts): void =>
      registerTags(scope, {
        ...ports,
        db,
        log,
        databaseUrl,
        retention,
        tags: store,
        compiler,
        counts,
        siteUrl,
        ownHosts: budget.ownHosts,
        flushMs,
      }),
  }
}

/** What is written down of a set that is put on the page. */
function describeServedSet(set: TagSet, tagsVersion: number) {
  return {
    tagsVersion,
    tagSetVersion: set.version ?? '',
    tools: describeTools(set),
    tags: describeServedTags(set),
  }
}
