/**
 * `npm run judge -- --google=FOLDER`: what we send, judged by code that its readers published. FOLDER is a copy of
 * github.com/googleanalytics/ga-dev-tools, whose event schema Google's own Event Builder validates with; Meta's parameter
 * builder comes from npm. Neither is part of this repository.
 */
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { createServer } from 'vite'
import { SERVER_EVENTS } from '#contract/server-event.ts'
import type { Job, Target } from '#server/conversions/destinations/destination.ts'
import { googleAnalytics } from '#server/conversions/destinations/google-analytics.ts'
import { hashEmail } from '#server/conversions/sign-up-email.ts'
import { installNpmTool } from '../support/install-npm-tool.ts'

const SCHEMA = '/src/components/ga4/EventBuilder/ValidateEvent/schemas/baseContent.ts'
const require = createRequire(import.meta.url)
const EMAILS = [
  '  Maria.Silva@Example.COM.BR ',
  'contato+news@Gmail.com',
  'John_Smith@gmail.com',
  'ana@exemplo.com.br',
]
const VISITOR = '7f3c2a10-9b4e-4c58-8e21-0d6a5b1c9e77'

type Judged = [what: string, isSo: boolean]

async function judgeByMeta(): Promise<Judged[]> {
  const folder = installNpmTool('capi-param-builder-nodejs', '1.3.2')
  const { ParamBuilder } = require(folder)
  const builder = new ParamBuilder()
  // Its hash may carry an appendix that names the library.
  const hash = (text: string, type: string) =>
    String(builder.getNormalizedAndHashedPII(text, type)).split('.')[0]
  return [
    ...EMAILS.map(
      (email): Judged => [`Meta: hash of ${email.trim()}`, hash(email, 'email') === hashEmail(email)],
    ),
    [
      'Meta: hash of an external ID',
      hash(VISITOR, 'external_id') === createHash('sha256').update(VISITOR).digest('hex'),
    ],
  ]
}

async function judgeByGoogle(folder: string | undefined): Promise<Judged[]> {
  if (folder === undefined) return []
  const library = installNpmTool('json-schema-library', '7.4.7')
  const { Draft07 } = require(library)
  const vite = await createServer({
    root: folder,
    configFile: false,
    logLevel: 'error',
    server: { middlewareMode: true },
  })
  try {
    const { baseContentSchema } = await vite.ssrLoadModule(SCHEMA)
    const schema = new Draft07(baseContentSchema)
    const isValid = (body: unknown) => schema.isValid(body) as boolean
    const judged = SERVER_EVENTS.map((event): Judged => {
      // Documented since, and unknown to this schema.
      const { consent: _consent, ...body } = googleAnalytics.request(TARGET, [jobOf(event)]).body as Record<
        string,
        unknown
      >
      return [`Google: ${event}`, isValid(body)]
    })
    const { consent: _consent, ...good } = googleAnalytics.request(TARGET, [jobOf('lead')]).body as Record<
      string,
      unknown
    >
    return [...judged, ['Google: refuses a body with a key of ours', !isValid({ ...good, portico: 1 })]]
  } finally {
    await vite.close()
  }
}

const TARGET: Target = {
  destination: googleAnalytics,
  account: 'G-7XK2M9QTLP',
  secret: 'secret',
  url: null,
  sendsEmail: true,
  siteUrl: 'https://www.exemplo.com.br',
  graphVersion: 'v26.0',
}

function jobOf(event: Job['event']): Job {
  return {
    id: '',
    pixel_id: '',
    event_id: '',
    event,
    consent_id: '',
    category: 'desempenho',
    attempts: 1,
    created_at: '',
    expires_at: '',
    payload: {
      at: Date.UTC(2026, 10, 15),
      path: '/',
      title: 'Início',
      campaign: { utm_source: 'boletim', utm_medium: 'email', utm_campaign: 'novembro' },
      address: '189.6.10.20',
      agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0',
      marketing: true,
      visitor: VISITOR,
      client: '1873645021.1794737900',
      session: '1794737900',
      engagementMs: 4_200,
    },
  }
}

const { values } = parseArgs({ options: { google: { type: 'string' } } })
const verdicts = [...(await judgeByMeta()), ...(await judgeByGoogle(values.google))]
for (const [what, isSo] of verdicts) console.log(`${isSo ? 'agrees' : 'DISAGREES'}  ${what}`)
process.exit(verdicts.every(([, isSo]) => isSo) ? 0 : 1)
