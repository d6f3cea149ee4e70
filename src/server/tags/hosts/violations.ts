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

/** What the page's policy stopped, so that an administrator may allow it. Only a host name is ever kept. */
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
      // A report that is not worth keeping is answered like any other: whoever forges one learns nothing.
      // One about what the page allows by now comes from a page that was loaded before.
      if (violation !== null && !isAllowed(violation, deps.tags.current.sources)) {
        // Counts in memory, which cannot fail.
        await storeWithin(deps.guard, request, 'csp-report', async () => {})
        const owners = attributeViolation(violation, deps.tags.recent)
        for (const blocked of blockedHostsOf(violation, owners))
          deps.buffer.add(
            {
              ...blocked,
              // Browsers do not say which set their page ran.
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
  /** Something was stopped that is known to be this tag's. */
  hinders: Hinders
  /** Something was stopped that may have kept this tag from sending. */
  mayHinder: Hinders
}

/**
 * Keeps what the page heard its policy stop, uncounted: each is counted when the browser's own report of it comes, and
 * once where none does. `sets` begins with the one that the page ran.
 */
export function noteStopped(
  { tags, blocked, siteUrl, ownHosts }: StoppedDeps,
  stopped: readonly StoppedRequest[],
  sets: readonly TagSet[],
  network: string | null,
): Stopped {
  const all = stopped.map((request): Stopped => {
    const violation = readStopped(request, siteUrl, ownHosts)
    if (violation === null) return { hinders: () => false, mayHinder: () => true }
    const owners = attributeViolation(violation, sets)
    if (!isAllowed(violation, policyOf(owners[0], tags.current)))
      for (const host of blockedHostsOf(violation, owners)) blocked.add({ ...host, count: 0 }, network)
    const hinders: Hinders = ({ tag }) => owners.some((owner) => owner.tag.id === tag.id)
    const isUnexplained = owners.length === 0 && vendorOfHost(violation.host) === null
    return { hinders, mayHinder: isUnexplained ? () => true : hinders }
  })
  return {
    hinders: (member) => all.some(({ hinders }) => hinders(member)),
    mayHinder: (member) => all.some(({ mayHinder }) => mayHinder(member)),
  }
}

/** One for each pixel that it is put down to, or one of nobody. */
function blockedHostsOf(
  { host, use, isSocket }: Violation,
  owners: readonly PreparedTag[],
): Omit<StoppedHost, 'count' | 'networks' | 'last_seen_at'>[] {
  const what = { host, use: isSocket ? 'socket' : use }
  if (owners.length === 0) return [{ ...what, pixel_id: null, code_hash: null }]
  return owners.map(({ tag, codeHash }) => ({ ...what, pixel_id: tag.id, code_hash: codeHash }))
}

/** A room's policy is its tag's own; all others share the page's. */
export function policyOf(
  owner: Pick<PreparedTag, 'tag'> | undefined,
  { members, sources }: TagSet,
): TagSources {
  const member = members.find(({ tag, room }) => room !== null && tag.id === owner?.tag.id)
  return member?.sources ?? sources
}

/** The policy is the page's: what is stopped of a vendor is stopped for each of its pixels, of which so many are named. */
const MAX_OWNERS = 20

/**
 * Which pixels it was, of the set that the page ran (the first) or of an older one. In this order: the one that the page
 * names, by the ID in the address of the script that tried; the one whose file it came from; the only one that loads
 * scripts from where it came; those of the vendor whose host it is. Chromium names no file for pictures, so that most
 * beacons are told by their vendor. A container loads what nobody here knows: whatever is left is put down to it.
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
  // What happens in a room is told as of its path.
  const members = known.filter(({ room }) => room === null)
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

/** True for a violation of a policy that the page no longer has. */
export function isAllowed(
  { host, use, isSocket }: Pick<Violation, 'host' | 'use' | 'isSocket'>,
  sources: TagSources,
): boolean {
  return sources[use].some((source) => isSocketSource(source) === isSocket && matchesSource(host, source))
}

interface Violation {
  /** The public host that the page was kept from. */
  host: string
  /** What it wanted to do there. */
  use: keyof TagSources
  /** A socket needs an entry of its own in the policy. */
  isSocket: boolean
  /** The script that tried, when the browser knows. */
  sourceFile: string | null
  /** The pixel that the page itself named. */
  tag: string | null
}

/** What allowing a host would open: a report about anything else leads to nothing that an administrator could do. */
const USES: Readonly<Record<string, keyof TagSources>> = {
  'script-src': 'script',
  'script-src-elem': 'script',
  'connect-src': 'connect',
  'img-src': 'image',
  'frame-src': 'frame',
}

/** Takes the body of a `report-uri` report apart. Whatever is not a plain violation on the landing page is null. */
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

/** The same of what the page itself heard. */
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
  // Unencrypted sockets, like plain http, are never opened: browsers refuse them on an https page by themselves.
  const host = publicHostOf(isSocket ? blocked.replace('wss:', 'https:') : blocked)
  if (use === undefined || host === null || ownHosts.has(host)) return null
  // Browser extensions meet the page's policy too, and no administrator can do anything about them.
  if (source !== null && !['https:', 'http:'].includes(source.protocol)) return null
  return { host, use, isSocket, sourceFile: source?.href ?? null, tag }
}

function field(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined
}

function parseUrl(value: unknown): URL | null {
  return typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
}
