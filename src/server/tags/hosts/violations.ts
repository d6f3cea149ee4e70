import type { FastifyInstance } from 'fastify'
import { publicHostOf } from '#contract/public-host.ts'
import { CSP_REPORT_PATH, type StoppedRequest } from '#contract/tag-report.ts'
import { AppError } from '#server/http/errors.ts'
import { BODY_BYTES } from '#server/http/limits/limits.ts'
import { guardPublicPost, type PublicGuard, storeWithin } from '#server/http/limits/public.ts'
import {
  isSocketSource,
  matchesSource,
  type TagSources,
} from '#server/http/security/content-security-policy.ts'
import { ownOrigins } from '#server/http/security/own-origins.ts'
import { clientAddress, coarseNetwork } from '#server/http/sockets/addresses.ts'
import { vendorOfHost } from '#server/vendors/hosts.ts'
import type { PreparedTag } from '../serve/prepare-tag.ts'
import type { TagSet } from '../serve/tag-set.ts'
import type { TagStore } from '../serve/tag-store.ts'
import type { BlockedHostBuffer, StoppedHost } from './blocked-hosts.ts'

interface CspReportDeps {
  buffer: BlockedHostBuffer
  guard: PublicGuard
  tags: TagStore
  siteUrl: string
  ownHosts: ReadonlySet<string>
}

/** `POST` of CSP reports, so that an administrator can permit hosts. Only a host name is stored. */
export function registerCspReports(app: FastifyInstance, deps: CspReportDeps): void {
  app.register(async (scope) => {
    scope.addContentTypeParser(
      'application/csp-report',
      { parseAs: 'string', bodyLimit: BODY_BYTES.cspReport },
      (_request, body, done) => {
        try {
          done(null, JSON.parse(String(body)))
        } catch {
          done(new AppError(400, 'bad_request', 'Not a policy report'))
        }
      },
    )
    scope.post(CSP_REPORT_PATH, { bodyLimit: BODY_BYTES.cspReport }, async (request, reply) => {
      guardPublicPost(deps.guard, request, 'csp-report')
      const violation = readViolation(request.body, deps.siteUrl, deps.ownHosts)
      // Every report gets the same response, so that forging one reveals nothing. Reports about hosts that are now
      // allowed come from pages loaded before.
      if (violation !== null && !isAllowed(violation, deps.tags.current.sources)) {
        // Counted in memory, which cannot fail.
        await storeWithin(deps.guard, request, 'csp-report', async () => {})
        const owners = attributeViolation(violation, deps.tags.recent)
        for (const blocked of blockedHostsOf(violation, owners))
          deps.buffer.add(
            {
              ...blocked,
              // Browsers do not say which tag set their page ran.
              code_hash: deps.tags.isLongShown(blocked.pixel_id) ? blocked.code_hash : null,
              count: 1,
            },
            coarseNetwork(clientAddress(request)),
          )
      }
      return reply.code(204).send()
    })
  })
}

export interface StoppedDeps {
  tags: TagStore
  blocked: BlockedHostBuffer
  siteUrl: string
  ownHosts: ReadonlySet<string>
}

type Hinders = (member: PreparedTag) => boolean

interface Stopped {
  /** Something of this tag was stopped for certain. */
  hinders: Hinders
  /** Something was stopped that may have kept this tag from sending. */
  mayHinder: Hinders
}

/**
 * Stores what the page itself noticed, with a count of 0: it is counted with the browser's own report, or once if none
 * arrives. `sets` begins with the one that the page ran.
 */
export function noteStopped(
  { tags, blocked, siteUrl, ownHosts }: StoppedDeps,
  stopped: readonly StoppedRequest[],
  sets: readonly TagSet[],
  networkOf: () => string | null,
): Stopped {
  const all = stopped.map((request): Stopped => {
    const violation = readStopped(request, siteUrl, ownHosts)
    if (violation === null) return { hinders: () => false, mayHinder: () => true }
    const owners = attributeViolation(violation, sets)
    if (!isAllowed(violation, policyOf(owners[0], tags.current)))
      for (const host of blockedHostsOf(violation, owners)) blocked.add({ ...host, count: 0 }, networkOf())
    const hinders: Hinders = ({ tag }) => owners.some((owner) => owner.tag.id === tag.id)
    const isUnexplained = owners.length === 0 && vendorOfHost(violation.host) === null
    return { hinders, mayHinder: isUnexplained ? () => true : hinders }
  })
  return {
    hinders: (member) => all.some(({ hinders }) => hinders(member)),
    mayHinder: (member) => all.some(({ mayHinder }) => mayHinder(member)),
  }
}

/** One per pixel that it is attributed to, or one without a pixel. */
function blockedHostsOf(
  { host, use, isSocket }: Violation,
  owners: readonly PreparedTag[],
): Omit<StoppedHost, 'count' | 'networks' | 'last_seen_at'>[] {
  const what = { host, use: isSocket ? 'socket' : use }
  if (owners.length === 0) return [{ ...what, pixel_id: null, code_hash: null }]
  return owners.map(({ tag, codeHash }) => ({ ...what, pixel_id: tag.id, code_hash: codeHash }))
}

/** An isolated frame has its tag's own policy; all other tags share the page's. */
export function policyOf(
  owner: Pick<PreparedTag, 'tag'> | undefined,
  { members, sources }: TagSet,
): TagSources {
  const member = members.find(({ tag, frame }) => frame !== null && tag.id === owner?.tag.id)
  return member?.sources ?? sources
}

/**
 * The page's policy is shared: what is stopped of a vendor is stopped for all its pixels, of which at most this many
 * are named.
 */
const MAX_OWNERS = 20

/**
 * Finds the pixels, in the set that the page ran (the first) or an older one. In this order: the one named by the ID in
 * the address of the script; the one whose file it came from; the only one that loads scripts from that host; those of
 * the vendor that owns the host. Chromium names no file for images, so most beacons are attributed by vendor.
 * Everything else is attributed to a container, which loads unknown scripts.
 */
function attributeViolation(
  { host, sourceFile, tag: named }: Violation,
  sets: readonly TagSet[],
): PreparedTag[] {
  const known = sets[0]?.members ?? []
  if (named !== null) {
    const member = known.find(({ tag }) => tag.id === named)
    if (member !== undefined) return [member]
  }
  // Violations in isolated frames are reported with the frame's path.
  const members = known.filter(({ frame }) => frame === null)
  const containers = members.filter(isContainer)
  if (sourceFile !== null) {
    const { pathname, hostname, search } = new URL(sourceFile)
    for (const set of sets) {
      const owner = set.owners.get(pathname)
      if (owner !== undefined) return set.members.filter(({ tag }) => tag.id === owner)
    }
    const loaders = members.filter(({ tag, sources }) =>
      [...tag.hosts, ...sources.script].some((source) => matchesSource(hostname, source)),
    )
    const byId = loaders.filter(({ tag }) => tag.vendorId !== null && search.includes(tag.vendorId))
    if (byId.length > 0) return byId
    if (loaders.length === 1) return loaders
    if (loaders.length === 0 || loaders.some(isContainer)) {
      if (containers.length > 0) return containers.slice(0, MAX_OWNERS)
    }
  }
  const vendor = vendorOfHost(host)
  const ofVendor = members.filter(({ marks }) => marks.some(({ id }) => id === vendor?.id))
  return (ofVendor.length > 0 ? ofVendor : containers).slice(0, MAX_OWNERS)
}

export function isContainer({ tag }: PreparedTag): boolean {
  return tag.type === 'google_tag_manager'
}

/** True if the page's current policy allows it. */
export function isAllowed(
  { host, use, isSocket }: Pick<Violation, 'host' | 'use' | 'isSocket'>,
  sources: TagSources,
): boolean {
  return sources[use].some((source) => isSocketSource(source) === isSocket && matchesSource(host, source))
}

interface Violation {
  /** The public host that was blocked. */
  host: string
  /** The use that was blocked. */
  use: keyof TagSources
  /** A socket needs its own entry in the policy. */
  isSocket: boolean
  /** The script that tried, if the browser knows it. */
  sourceFile: string | null
  /** The pixel that the page named. */
  tag: string | null
}

/** Directives that permitting a host can open; other reports lead to no action. */
const USES: Readonly<Record<string, keyof TagSources>> = {
  'script-src': 'script',
  'script-src-elem': 'script',
  'connect-src': 'connect',
  'img-src': 'image',
  'frame-src': 'frame',
}

/** Parses a `report-uri` body; null for anything but a plain violation on the landing page. */
function readViolation(body: unknown, siteUrl: string, ownHosts: ReadonlySet<string>): Violation | null {
  const report = field(body, 'csp-report')
  const page = parseUrl(field(report, 'document-uri'))
  if (page === null || page.pathname !== '/' || !ownOrigins(siteUrl).includes(page.origin)) return null
  const [directive = ''] = String(
    field(report, 'effective-directive') ?? field(report, 'violated-directive') ?? '',
  ).split(' ', 1)
  const blocked = field(report, 'blocked-uri')
  const source = parseUrl(field(report, 'source-file'))
  return toViolation(
    { directive, blocked: typeof blocked === 'string' ? blocked : '', source, tag: null },
    ownHosts,
  )
}

/** The same for what the page itself noticed. */
function readStopped(
  { host, directive, source, tag }: StoppedRequest,
  siteUrl: string,
  ownHosts: ReadonlySet<string>,
): Violation | null {
  const from = source === undefined || source.startsWith('/') ? source : `https://${source}`
  const sourceUrl = from !== undefined && URL.canParse(from, siteUrl) ? new URL(from, siteUrl) : null
  const blocked = host.includes('://') ? host : `https://${host}`
  return toViolation({ directive, blocked, source: sourceUrl, tag: tag ?? null }, ownHosts)
}

function toViolation(
  {
    directive,
    blocked,
    source,
    tag,
  }: { directive: string; blocked: string; source: URL | null; tag: string | null },
  ownHosts: ReadonlySet<string>,
): Violation | null {
  const use = Object.hasOwn(USES, directive) ? USES[directive] : undefined
  const isSocket = blocked.startsWith('wss://')
  // Unencrypted sockets are never opened: browsers refuse them on https pages.
  const host = publicHostOf(isSocket ? blocked.replace('wss:', 'https:') : blocked)
  if (use === undefined || host === null || ownHosts.has(host)) return null
  // Violations of browser extensions are ignored: no administrator can fix them.
  if (source !== null && !['https:', 'http:'].includes(source.protocol)) return null
  return { host, use, isSocket, sourceFile: source?.href ?? null, tag }
}

function field(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined
}

function parseUrl(value: unknown): URL | null {
  return typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
}
