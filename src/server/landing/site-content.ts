import { createHash } from 'node:crypto'
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { type ClientLogo, NICHE_SLUGS, type SiteContent } from '#contract/site-content.ts'
import { ConfigError } from '../config.ts'
import type { Logger } from '../http/logging/logger.ts'

/** How often the file is looked at: a mounted file is replaced by a link, which change events miss. */
const LOOK_EVERY_MS = 2_000

const text = (most: number) => z.string().trim().min(1).max(most)

const url = z.url({ protocol: /^https$/, hostname: z.regexes.domain }).max(500)

const list = <Item extends z.ZodType>(item: Item, most: number) => z.array(item).min(1).max(most).optional()

/** The published form of the file: a test writes it to `docs/operate/site-content.schema.json`. */
export const SITE_CONTENT_SCHEMA = z.strictObject({
  $schema: z.string().optional(),
  fees: list(
    z.strictObject({
      method: text(40),
      percent: z.number().min(0).max(100),
      fixed_cents: z.int().min(0).max(100_000),
      settlement_days: z.int().min(0).max(365),
    }),
    12,
  ),
  analysis: z
    .strictObject({ business_days: z.int().min(1).max(90), documents: z.array(text(80)).min(1).max(12) })
    .optional(),
  regulation: z.strictObject({ text: text(300), url: url.optional() }).optional(),
  certificates: list(z.strictObject({ name: text(80), valid_until: z.iso.date(), url: url.optional() }), 8),
  developers: z
    .strictObject({
      docs_url: url.optional(),
      sandbox_url: url.optional(),
      status_url: url.optional(),
    })
    .optional(),
  plugins: list(z.strictObject({ name: text(40), url }), 20),
  addresses: list(z.strictObject({ name: text(60), address: text(200) }), 6),
  clients: list(
    z.strictObject({
      name: text(60),
      logo: text(200),
      url: url.optional(),
      permission: z.literal(true, 'só mostre o logo de quem autorizou: escreva true'),
    }),
    12,
  ),
  niches: list(
    z.strictObject({
      slug: z.enum(NICHE_SLUGS),
      headline: text(80),
      intro: text(300),
      points: z
        .array(z.strictObject({ title: text(60), text: text(240) }))
        .min(1)
        .max(8),
      questions: list(z.strictObject({ question: text(120), answer: text(400) }), 8),
    }),
    NICHE_SLUGS.length,
  ).refine(
    (niches) => new Set(niches?.map(({ slug }) => slug)).size === (niches?.length ?? 0),
    'cada nicho só pode aparecer uma vez',
  ),
})

/** Reads the file whole; throws a `ConfigError` that lists every fault. */
export function readSiteContent(file: string): SiteContent {
  const fail = (...faults: string[]) =>
    new ConfigError(faults.map((fault) => `SITE_CONTENT_FILE (${file}): ${fault}`))
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw fail(
      error instanceof SyntaxError
        ? `não é JSON válido. ${error.message}`
        : `não foi possível ler (${(error as NodeJS.ErrnoException).code})`,
    )
  }
  const { success, data, error } = SITE_CONTENT_SCHEMA.safeParse(value, { error: z.locales.pt().localeError })
  if (!success)
    throw fail(...error.issues.map(({ path, message }) => `${path.join('.') || 'o arquivo'}: ${message}`))
  const faults: string[] = []
  const clients = data.clients?.flatMap(({ name, url, logo }, index) => {
    const picture = readLogo(resolve(dirname(file), logo))
    if (typeof picture !== 'string') return [{ name, url, ...picture }]
    faults.push(`clients.${index}.logo (${logo}): ${picture}`)
    return []
  })
  if (faults.length > 0) throw fail(...faults)
  return { ...data, clients }
}

/** A page loads all of them. */
const LOGO_MAX_BYTES = 20_000

/** By what a file begins with, as browsers do. An SVG may begin with a comment or a declaration. */
const LOGO_TYPES = [
  { extension: 'png', type: 'image/png', begins: /^\x89PNG\r\n/ },
  { extension: 'webp', type: 'image/webp', begins: /^RIFF[\s\S]{4}WEBP/ },
  { extension: 'svg', type: 'image/svg+xml', begins: /^(?:\xef\xbb\xbf)?\s*<(?:[?!][\s\S]*<)?svg[\s>]/ },
]

/** A fault is returned as its text. */
function readLogo(file: string): Pick<ClientLogo, 'path' | 'type' | 'body'> | string {
  let body: Buffer
  try {
    body = readFileSync(file)
  } catch (error) {
    return `não foi possível ler (${(error as NodeJS.ErrnoException).code})`
  }
  if (body.length > LOGO_MAX_BYTES) return `tem ${body.length} bytes, e o máximo é ${LOGO_MAX_BYTES}`
  const start = body.toString('latin1')
  const found = LOGO_TYPES.find(({ begins }) => begins.test(start))
  if (found === undefined) return 'não é SVG, PNG nem WebP'
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 8)
  return { path: `/assets/cliente-${hash}.${found.extension}`, type: found.type, body }
}

/** Calls `onChange` with each valid new content. An invalid one is logged, and the last good one stays. Returns a stop. */
export function watchSiteContent(
  file: string,
  log: Logger,
  onChange: (content: SiteContent) => Promise<void>,
): () => void {
  const look = async () => {
    try {
      await onChange(readSiteContent(file))
      log.info({ file }, 'site content reloaded')
    } catch (error) {
      log.warn({ err: error, file }, 'site content not reloaded: the last valid one stays')
    }
  }
  const listener = () => void look()
  watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, listener)
  return () => unwatchFile(file, listener)
}
