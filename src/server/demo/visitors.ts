import type { ConsentCategory, OptionalCategory } from '#contract/consent.ts'
import {
  CONSENT_PATH,
  type ConsentAction,
  type ConsentChoice,
  countsOnText,
  formatConsent,
  OPTIONAL_CATEGORIES,
} from '#contract/consent-choice.ts'
import type { Conversion } from '#contract/conversions.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '#contract/durations.ts'
import { NEWSLETTER_PATH } from '#contract/newsletter.ts'
import type { ServerEventName } from '#contract/server-event.ts'
import { SITE_TIME_ZONE } from '#contract/site.ts'
import { nichePath } from '#contract/site-content.ts'
import type { ManifestTag } from '#contract/tag-manifest.ts'
import {
  CSP_REPORT_PATH,
  EVENTS_PATH,
  TAG_REPORT_PATH,
  type TagReport,
  type TagResult,
} from '#contract/tag-report.ts'
import { allowsVisitCode, VISITS_PATH } from '#contract/visit-code.ts'
import { CLICKS_PATH } from '#contract/visit-paths.ts'
import type { TagSet } from '../tags/serve/tag-set.ts'
import type { Random } from './random.ts'
import content from './site.json' with { type: 'json' }

/** A page of the site, as a visitor's browser asks for it. */
interface PageView {
  page: `/${string}`
  /** Campaign parameters and click IDs, without "?". */
  query: string
  /** The page before this one; empty for none. */
  referrer: string
  cookie: string
  address: string
  agent: string
}

/** What a page of the site sends to its server. */
interface Post {
  path: string
  body: object
  /** Address of the page that sends it. */
  page?: string
  cookie: string
  address: string
  agent: string
}

export interface Site {
  origin: string
  /** The tags of the page now. */
  tagSet: () => TagSet
  /** Opens the page at a given time. */
  view: (at: number, view: PageView) => Promise<void>
  /** Sends this at a given time; resolves when it is answered. */
  post: (at: number, post: Post) => Promise<void>
}

/** The results of a tag: how many visits cannot load it, how many see it fail, and its costs. */
export interface TagBehaviour {
  blocked?: number
  failed?: number
  error?: string
  /** Main-thread milliseconds, and requests. */
  ms?: number
  requests?: number
  /** A host that the page's policy stops, in this share of the visits. */
  stopped?: { host: string; directive: string; share: number }
  /** No visit reports it: these visitors' pages are older than the tag. */
  isUnseen?: boolean
}

export interface Behaviours {
  of: (pixelId: string, at: number) => TagBehaviour
  /** From here on pages report everything. Earlier reports of hosts and costs are deleted by the end. */
  detailedFrom: number
}

interface Browser {
  agent: string
  /** A complete timeline with response details. */
  seesAll: boolean
  /** Measures costs of tags. */
  measures: boolean
}

const BROWSERS: Record<string, Browser> = {
  chromeAndroid: {
    agent:
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36',
    seesAll: false,
    measures: true,
  },
  safariPhone: {
    agent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1',
    seesAll: false,
    measures: false,
  },
  chromeDesktop: {
    agent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
    seesAll: false,
    measures: true,
  },
  chromeTablet: {
    agent:
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36',
    seesAll: false,
    measures: true,
  },
  firefox: {
    agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
    seesAll: true,
    measures: false,
  },
}

const SHARE_OF_BROWSERS = {
  chromeAndroid: 0.47,
  safariPhone: 0.18,
  chromeDesktop: 0.26,
  chromeTablet: 0.02,
  firefox: 0.07,
}

/** Of ten visits with a choice, six accept; campaigns bring phones, whose owners decide faster. */
const DECISIONS = { accept_all: 0.53, reject: 0.24, save: 0.07, none: 0.16 }

const CONVERSIONS = { lead: 0.055, contact: 0.026, sign_up: 0.013, none: 0.906 }

/** A way to the site. */
interface Way {
  query?: string
  referrer?: string
  /** Words that were searched for, one of them in each visit. */
  terms?: readonly string[]
  share: number
  /** Clicks and subscriptions compared with other ways. */
  pull: number
  /** Runs in some weeks only: in `weeks` of every six, from this one on. */
  from?: number
  weeks?: number
}

/** Now and then its readers come at once. */
const MAILING: Way = {
  query: 'utm_source=newsletter&utm_medium=email&utm_campaign=novidades',
  share: 3,
  pull: 1.7,
}

const WAYS: readonly Way[] = [
  { share: 19, pull: 1.1 },
  { referrer: 'https://www.google.com/', share: 17, pull: 1 },
  { referrer: 'https://www.bing.com/', share: 2, pull: 0.9 },
  { referrer: 'https://www.instagram.com/', share: 4, pull: 0.5 },
  { referrer: 'https://www.linkedin.com/', share: 2, pull: 0.9 },
  { referrer: 'https://chatgpt.com/', share: 3, pull: 1.5 },
  { referrer: 'https://blog-do-lojista.example/guia-de-pagamentos', share: 3, pull: 1.2 },
  {
    query: 'utm_source=google&utm_medium=cpc&utm_campaign=taxas-2026&gclid=demonstracao',
    terms: ['gateway de pagamento', 'taxa de cartao', 'maquininha online', 'link de pagamento'],
    share: 19,
    pull: 1.6,
  },
  {
    query: 'utm_source=google&utm_medium=cpc&utm_campaign=marca&gclid=demonstracao',
    terms: ['portico pagamentos', 'portico'],
    share: 6,
    pull: 2.2,
  },
  {
    query: 'utm_source=instagram&utm_medium=paid-social&utm_campaign=lojistas&fbclid=demonstracao',
    share: 14,
    pull: 0.55,
  },
  {
    query: 'utm_source=facebook&utm_medium=paid-social&utm_campaign=semana-do-lojista&fbclid=demonstracao',
    share: 22,
    pull: 0.8,
    from: 1,
    weeks: 2,
  },
  {
    query: 'utm_source=tiktok&utm_medium=paid-social&utm_campaign=pix-parcelado&ttclid=demonstracao',
    share: 10,
    pull: 0.35,
    from: 3,
    weeks: 3,
  },
  MAILING,
]

/** The weeks after which campaigns begin again. */
const WEEKS = 6

function weekOf(at: number): number {
  return Math.floor(at / (7 * DAY_MS)) % WEEKS
}

/** Of one visit. */
type ChosenWay = Required<Pick<Way, 'query' | 'referrer' | 'pull'>>

function conversionsOf({ pull }: ChosenWay): typeof CONVERSIONS {
  const { lead, contact, sign_up } = CONVERSIONS
  return { lead: lead * pull, contact: contact * pull, sign_up, none: 1 - (lead + contact) * pull - sign_up }
}

const NICHE_PAGES = content.niches.map(({ slug }) => nichePath(slug))

/** Every fifth visitor opens the page of a niche too. */
function nicheOf(id: string): PageView['page'] | undefined {
  return NICHE_PAGES[Number.parseInt(id.slice(0, 4), 16) % (5 * NICHE_PAGES.length)]
}

const ROBOT_VIEW: PageView = {
  page: '/',
  query: '',
  referrer: '',
  cookie: '',
  address: '192.0.2.80',
  agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
}

const FIRST_NAMES = `
  adriana alexandre aline anderson beatriz bruno caio camila carla cesar cristiane daniel debora diego
  eduardo elaine fabio fernanda gabriel giovana gustavo helio igor isabela jessica joana julio karina
  larissa leandro leticia lucas luciana marcelo marcia mariana mateus monica natalia otavio patricia
  paulo priscila rafaela renata ricardo rodrigo sabrina sergio simone tatiane thiago vanessa vinicius
  viviane
`
  .trim()
  .split(/\s+/)
const LAST_NAMES = `
  almeida amaral andrade araujo azevedo barbosa barros batista borges campos cardoso carvalho castro
  coelho correia costa dias farias ferreira fonseca freitas gomes lima lopes machado martins melo
  mendes miranda monteiro moraes moreira nogueira oliveira pinto prado queiroz ramos reis ribeiro
  rocha santana teixeira vieira
`
  .trim()
  .split(/\s+/)
/** Names that nobody can register (RFC 2606). */
const SHOPS = `
  padariaestrela mercadinhosol oficinacentral floricultura-bela petamigo cafedaserra modaflor
  acougueboavista livrariaponto oticavisao doceria-da-vila autopecas-norte studiocorte casaverde
`
  .trim()
  .split(/\s+/)

export interface Converted {
  at: number
  conversion: Conversion
  /** The code that the link to the app carries; null without consent to it. */
  visit: string | null
}

interface Visitor {
  id: string
  browser: Browser
  address: string
  /** Null until they chose. */
  choice: ConsentChoice | null
}

/** Everything that chance decides, drawn before the visit begins: parallel visits draw in the order of their times. */
export interface Visit {
  at: number
  visitor: Visitor
  way: ChosenWay
  decidesAfter: number
  decision: ConsentAction | 'none'
  saved: readonly OptionalCategory[]
  staysFor: number
  page: string
  conversion: Conversion | 'none'
  /** Two clicks are counted as two. */
  clicks: number
  reloads: boolean
  isCrawled: boolean
  email: string
  revokes: boolean
  id: string
  report: TagReportDraft
}

/** The visitors of the site. The same seed gives the same visitors and choices. */
export class Visitors {
  readonly #random: Random
  readonly #site: Site
  readonly #behaviours: Behaviours
  /** Visitors who chose and may come back, newest last. */
  readonly #known: Visitor[] = []

  constructor(random: Random, site: Site, behaviours: Behaviours) {
    this.#random = random
    this.#site = site
    this.#behaviours = behaviours
  }

  /** A visit that begins at this time. Readers of a mailing come from it; others in any way. */
  draw(at: number, { isReader = false } = {}): Visit {
    const random = this.#random
    const visitor = this.#arrive()
    const way = this.#chooseWay(at, isReader)
    return {
      at,
      visitor,
      way,
      decidesAfter: random.around(7) * SECOND_MS,
      decision: random.weighted(DECISIONS),
      saved: OPTIONAL_CATEGORIES.filter(() => random.chance(0.55)),
      staysFor: random.around(38, 0.7) * SECOND_MS,
      page: way.query === '' ? '/' : `/?${way.query}`,
      conversion: random.weighted(conversionsOf(way)),
      clicks: random.chance(0.12) ? 2 : 1,
      reloads: random.chance(0.22),
      isCrawled: random.chance(0.08),
      email: random.chance(0.12)
        ? `${random.pick(FIRST_NAMES)}.${random.pick(LAST_NAMES)}@exemplo.com.br`
        : `${random.pick(FIRST_NAMES)}.${random.pick(LAST_NAMES)}@${random.pick(SHOPS)}.example`,
      revokes: random.chance(0.006),
      id: random.uuid(),
      report: new TagReportDraft(random, visitor.browser),
    }
  }

  /**
   * Resolves when all that the visit's page sends is stored: to the moment of a conversion, which leaves for its
   * destinations at once.
   */
  async live(plan: Visit): Promise<Converted | null> {
    const { at, visitor, way } = plan
    const set = this.#site.tagSet()
    // First, so that parallel visits are counted in the order in which they began.
    await this.#view(visitor, at, way)
    if (plan.isCrawled) await this.#site.view(at + 20 * SECOND_MS, ROBOT_VIEW)
    if (plan.reloads) await this.#view(visitor, at + plan.staysFor / 2, way)
    const niche = nicheOf(plan.id)
    if (niche !== undefined)
      await this.#view(
        visitor,
        at + plan.staysFor / 3,
        { query: '', referrer: `${this.#site.origin}/` },
        niche,
      )
    let now = at + 1_500
    if (this.#isAsked(visitor, set)) {
      if (plan.decision === 'none') {
        // A click needs no answer to the notice.
        await this.#click(visitor, now + plan.staysFor, plan)
        return null
      }
      now += plan.decidesAfter
      await this.#choose(visitor, set, now, plan.decision, plan.saved)
    }
    // The current choice: the visitor may withdraw it in another visit meanwhile.
    const { choice } = visitor
    const granted = choice?.granted ?? []
    const sender = { ...visitor, choice }
    const isGranted = ({ category }: { category: ConsentCategory }) =>
      category === 'essenciais' || granted.includes(category)
    const running = set.tags.filter(isGranted)
    const isSentByServer = set.recipients.some(
      ({ prepared }) => prepared.isSentByServer && isGranted(prepared.tag),
    )
    if (isSentByServer)
      await this.#send(sender, now + 400, EVENTS_PATH, { name: 'page_view', path: plan.page })
    if (running.length > 0 && plan.staysFor > 4 * SECOND_MS) {
      const report = plan.report.describe(
        set,
        running,
        (id) => this.#behaviours.of(id, at),
        at >= this.#behaviours.detailedFrom,
      )
      // Browsers report what the policy stopped by themselves, and the page says it too.
      for (const { host, directive } of report.stopped ?? [])
        await this.#send(sender, now + 2 * SECOND_MS, CSP_REPORT_PATH, {
          'csp-report': {
            'document-uri': `${this.#site.origin}/`,
            'blocked-uri': `${host}/loader.js`,
            'effective-directive': directive,
          },
        })
      await this.#send(sender, now + 5 * SECOND_MS, TAG_REPORT_PATH, report)
    }
    const clickedAt = now + plan.staysFor
    await this.#click(sender, clickedAt, plan)
    const isLink = plan.conversion === 'lead' || plan.conversion === 'contact'
    const visit = isLink && allowsVisitCode(granted) ? `v_${plan.id.replaceAll('-', '')}` : null
    if (visit !== null) {
      const { host } = URL.parse(way.referrer) ?? {}
      await this.#send(sender, clickedAt, VISITS_PATH, { code: visit, query: way.query, referrer: host })
    }
    if (plan.conversion !== 'none')
      await this.#convert(sender, set, clickedAt, { ...plan, running, isSentByServer })
    if (plan.revokes && granted.length > 0)
      await this.#choose(visitor, set, clickedAt + 20 * SECOND_MS, 'revoke', [])
    return plan.conversion === 'none' ? null : { at: clickedAt, conversion: plan.conversion, visit }
  }

  #arrive(): Visitor {
    const random = this.#random
    // A third of the visits are by returning visitors; most of them of the last weeks.
    const back = Math.floor(random.next() ** 2 * Math.min(this.#known.length, 2_000))
    const known = random.chance(0.32) ? this.#known.at(-1 - back) : undefined
    const browser = BROWSERS[random.weighted(SHARE_OF_BROWSERS)] as Browser
    const address = `${random.pick([177, 179, 187, 189, 191, 200, 201])}.${random.integer(1, 254)}.${random.integer(1, 254)}.${random.integer(1, 254)}`
    const id = random.uuid()
    return known ?? { id, browser, address, choice: null }
  }

  #chooseWay(at: number, isReader: boolean): ChosenWay {
    const random = this.#random
    const ways = WAYS.filter(({ from = 0, weeks = WEEKS }) => (weekOf(at) - from + WEEKS) % WEEKS < weeks)
    let rest = random.next() * ways.reduce((sum, { share }) => sum + share, 0)
    const drawn = ways.find(({ share }) => {
      rest -= share
      return rest < 0
    })
    const { query = '', referrer = '', terms = [], pull = 1 } = isReader ? MAILING : (drawn ?? MAILING)
    const term = random.pick(['', ...terms, ...terms])
    const words = term ? `&utm_term=${encodeURIComponent(term)}` : ''
    return { query: query + words, referrer, pull }
  }

  #view(
    visitor: Visitor,
    at: number,
    { query, referrer }: Pick<ChosenWay, 'query' | 'referrer'>,
    page: PageView['page'] = '/',
  ): Promise<void> {
    const { address, browser } = visitor
    const cookie = cookieOf(visitor)
    return this.#site.view(at, { page, query, referrer, address, agent: browser.agent, cookie })
  }

  /** Counted for everybody. */
  async #click(visitor: Visitor, at: number, { conversion: name, clicks, page, way }: Visit): Promise<void> {
    if (name !== 'lead' && name !== 'contact') return
    const { host } = URL.parse(way.referrer) ?? {}
    for (let click = 0; click < clicks; click++)
      await this.#send(visitor, at + click * 3 * SECOND_MS, CLICKS_PATH, { name, referrer: host }, page)
  }

  #isAsked({ choice }: Visitor, set: TagSet): boolean {
    const asked = set.categories.filter((category) => category !== 'essenciais')
    if (asked.length === 0) return false
    return (
      choice === null ||
      !countsOnText(choice.textVersion, set.textVersion) ||
      asked.some((category) => !choice.asked.includes(category))
    )
  }

  async #choose(
    visitor: Visitor,
    set: TagSet,
    at: number,
    action: ConsentAction,
    saved: readonly OptionalCategory[],
  ): Promise<void> {
    const categories =
      action === 'accept_all' ? [...OPTIONAL_CATEGORIES] : action === 'save' ? [...saved] : []
    const before = visitor.choice === null ? '' : cookieOf(visitor)
    if (visitor.choice === null) this.#known.push(visitor)
    visitor.choice = {
      textVersion: set.textVersion,
      granted: categories,
      asked: set.categories.filter((category) => category !== 'essenciais'),
      id: visitor.id,
    }
    await this.#site.post(at, {
      path: CONSENT_PATH,
      body: {
        id: visitor.id,
        action,
        categories,
        text_version: set.textVersion,
        tag_set_version: set.version ?? '',
      },
      cookie: before,
      address: visitor.address,
      agent: visitor.browser.agent,
    })
  }

  async #convert(
    visitor: Visitor,
    set: TagSet,
    at: number,
    plan: {
      conversion: Conversion | 'none'
      email: string
      id: string
      page: string
      running: readonly ManifestTag[]
      isSentByServer: boolean
    },
  ): Promise<void> {
    const name = plan.conversion
    if (name === 'none') return
    if (name === 'sign_up') await this.#send(visitor, at, NEWSLETTER_PATH, { email: plan.email })
    const ids = plan.running
      .filter(({ conversions }) => conversions?.[name] !== undefined)
      .map(({ id }) => id)
    const event: { id: string; name: ServerEventName; path: string } = { id: plan.id, name, path: plan.page }
    if (plan.isSentByServer) await this.#send(visitor, at + 300, EVENTS_PATH, event)
    if (ids.length > 0)
      await this.#send(visitor, at + 400, TAG_REPORT_PATH, {
        ...(set.version === null ? {} : { set: set.version }),
        results: [],
        conversion: { name, ids },
      } satisfies TagReport)
  }

  #send(visitor: Visitor, at: number, path: string, body: object, page?: string): Promise<void> {
    return this.#site.post(at, {
      path,
      body,
      ...(page === undefined ? {} : { page }),
      cookie: cookieOf(visitor),
      address: visitor.address,
      agent: visitor.browser.agent,
    })
  }
}

function cookieOf({ choice }: Visitor): string {
  return choice === null ? '' : `portico_consent=${formatConsent(choice)}`
}

/** What one page saw of its tags. Everything is drawn beforehand, for as many tags as a page may have. */
class TagReportDraft {
  readonly #browser: Browser
  readonly #fate: readonly number[]
  readonly #cost: readonly number[]
  readonly #seen: readonly number[]
  readonly #isMeasured: boolean

  constructor(random: Random, browser: Browser) {
    const MOST_TAGS = 24
    const draw = (make: () => number) => Array.from({ length: MOST_TAGS }, make)
    this.#browser = browser
    this.#fate = draw(() => random.next())
    this.#cost = draw(() => random.around(1, 0.6))
    this.#seen = draw(() => random.next())
    this.#isMeasured = browser.measures && random.chance(0.3)
  }

  describe(
    set: TagSet,
    running: readonly ManifestTag[],
    behaviour: (id: string) => TagBehaviour,
    isDetailed: boolean,
  ): TagReport {
    const shown = running.filter(({ id }) => behaviour(id).isUnseen !== true)
    const isMeasured = this.#isMeasured && isDetailed
    const results = shown.map((tag, index) => this.#resultOf(tag, behaviour(tag.id), index, isMeasured))
    if (!isDetailed) return { ...(set.version === null ? {} : { set: set.version }), results }
    const hosts: NonNullable<TagReport['hosts']> = {}
    const stopped: NonNullable<TagReport['stopped']> = []
    shown.forEach((tag, index) => {
      const { outcome } = results[index] as TagResult
      const { stopped: kept } = behaviour(tag.id)
      for (const host of tag.hosts.filter((host) => !host.startsWith('*.')).slice(0, 4))
        hosts[host] = outcome === 'blocked' ? 'failed' : this.#browser.seesAll ? 'answered' : 'unknown'
      if (kept !== undefined && (this.#seen[index] ?? 0) < kept.share)
        stopped.push({ host: `https://${kept.host}`, directive: kept.directive, tag: tag.id })
    })
    return {
      ...(set.version === null ? {} : { set: set.version }),
      results,
      hosts,
      ...(this.#browser.seesAll ? { sees_all: true } : {}),
      ...(stopped.length === 0 ? {} : { stopped }),
      ...(isMeasured ? { unattributed_ms: Math.round((this.#cost[0] ?? 1) * 12) } : {}),
    }
  }

  #resultOf(tag: ManifestTag, behaviour: TagBehaviour, index: number, isMeasured: boolean): TagResult {
    const { blocked = 0.03, failed = 0, error, ms = 24, requests = 3 } = behaviour
    const fate = this.#fate[index] ?? 1
    const outcome = fate < blocked ? 'blocked' : fate < blocked + failed ? 'failed' : 'ran'
    const seen = this.#seen[index] ?? 0
    const hit =
      outcome !== 'ran' || tag.hit === undefined
        ? undefined
        : this.#browser.seesAll
          ? 'answered'
          : seen < 0.62
            ? 'sent'
            : seen < 0.94
              ? 'answered'
              : 'unknown'
    return {
      id: tag.id,
      outcome,
      ...(outcome === 'failed' && error !== undefined ? { error } : {}),
      ...(hit === undefined ? {} : { hit }),
      ...(isMeasured && outcome === 'ran'
        ? {
            ms: Math.round(ms * (this.#cost[index] ?? 1)),
            requests: Math.max(1, Math.round(requests * (this.#cost[index] ?? 1))),
          }
        : {}),
    }
  }
}

/** Share of a day's visits by hour of the site: few at night, most around noon and in the evening. */
const HOURS = [
  1.6, 0.9, 0.6, 0.4, 0.4, 0.7, 1.6, 3, 4.6, 6, 6.7, 7, 6.4, 6.2, 6.5, 6.6, 6.4, 6, 5.7, 5.8, 6, 5.3, 4, 2.6,
]
const HOURS_SUM = HOURS.reduce((sum, share) => sum + share, 0)

const CLOCK = new Intl.DateTimeFormat('en', {
  timeZone: SITE_TIME_ZONE,
  hour: '2-digit',
  hourCycle: 'h23',
  weekday: 'short',
})

const WEEKDAYS: Record<string, number> = {
  Mon: 1.1,
  Tue: 1.14,
  Wed: 1.12,
  Thu: 1.08,
  Fri: 1.02,
  Sat: 0.82,
  Sun: 0.72,
}

/** Visits of an hour: growing slowly, fewer at weekends, more during a campaign. */
function visitsInHour(random: Random, hour: number, { from, until, visits }: Span): number {
  const parts = CLOCK.formatToParts(hour)
  const part = (type: string) => parts.find((found) => found.type === type)?.value ?? ''
  const life = (hour - from) / (until - from)
  const campaign = [0.31, 0.66].some((start) => life > start && life < start + 0.06) ? 1.45 : 1
  const expected =
    visits *
    (0.78 + 0.44 * life) *
    campaign *
    (WEEKDAYS[part('weekday')] ?? 1) *
    ((HOURS[Number(part('hour'))] ?? 1) / HOURS_SUM)
  const drawn = expected * (0.72 + 0.56 * random.next())
  return Math.floor(drawn) + (random.chance(drawn % 1) ? 1 : 0)
}

export interface Span {
  from: number
  until: number
  /** On an ordinary day. */
  visits: number
}

/** Start times of the visits of a span. */
export function drawVisits(random: Random, span: Span): number[] {
  const { from, until } = span
  const begins: number[] = []
  for (let hour = Math.floor(from / HOUR_MS) * HOUR_MS; hour < until; hour += HOUR_MS)
    for (let left = visitsInHour(random, hour, span); left > 0; left--)
      begins.push(hour + Math.floor(random.next() * HOUR_MS))
  return begins.filter((at) => at >= from && at < until)
}
