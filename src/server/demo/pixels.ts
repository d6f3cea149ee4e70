import { generateKeyPairSync } from 'node:crypto'
import { DAY_MS } from '#contract/durations.ts'
import { EXPIRED, FAILING_HOST } from './stand-ins.ts'
import type { TagBehaviour } from './visitors.ts'

/** A function that keeps its calls until the vendor's script loads, and that script. */
function loader(name: string, address: string, ...lines: string[]): string {
  return [
    '<script>',
    `window.${name} = window.${name} || function () { (${name}.queue = ${name}.queue || []).push(arguments) };`,
    '(function (page) {',
    `  var script = page.createElement('script'); script.async = true; script.src = '${address}';`,
    '  page.head.appendChild(script)',
    '})(document);',
    ...lines,
    '</script>',
  ].join('\n')
}

/** A text of this length that is no real secret. */
const secret = (letters: string) => `whsec_${Buffer.from(letters.repeat(32).slice(0, 32)).toString('base64')}`

function hotjar(...lines: string[]): string {
  return [
    '<script>',
    '(function (w, d, id, version) {',
    ...lines,
    '  w._hjSettings = { hjid: id, hjsv: version };',
    "  var script = d.createElement('script'); script.async = true;",
    "  script.src = 'https://static.hotjar.com/c/hotjar-' + id + '.js?sv=' + version;",
    '  d.head.appendChild(script)',
    '})(window, document, 3918274, 6);',
    '</script>',
  ].join('\n')
}

/** The file that Google gives to a service account, with a key that opens nothing. */
export function makeServiceAccountKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return JSON.stringify({
    client_email: 'portico@demonstracao.iam.gserviceaccount.com',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  })
}

interface DemoPixel {
  name: string
  row: Record<string, unknown>
  behaviour?: TagBehaviour
}

/** By the name in the administrators' script. */
export const DEMO_PIXELS = {
  meta: {
    name: 'Meta Pixel',
    row: {
      type: 'meta',
      pixel_id: '482910377165024',
      reason: 'Medir os anúncios no Facebook e no Instagram e criar públicos parecidos.',
    },
    behaviour: { blocked: 0.06, ms: 15, requests: 4 },
  },
  analytics: {
    name: 'Google Analytics 4',
    row: {
      type: 'google_analytics',
      pixel_id: 'G-7XK2M9QTLP',
      reason: 'Saber de onde vêm as visitas e quais seções são lidas.',
    },
    behaviour: { blocked: 0.05, ms: 18, requests: 3 },
  },
  tagManager: {
    name: 'Google Tag Manager',
    row: { type: 'google_tag_manager', pixel_id: 'GTM-K4R7W2N', reason: 'Tags que a agência publica.' },
    behaviour: {
      blocked: 0.05,
      ms: 30,
      requests: 6,
    },
  },
  linkedin: {
    name: 'LinkedIn Insight Tag',
    row: {
      type: 'custom',
      code: loader(
        'lintrk',
        'https://snap.licdn.com/li.lms-analytics/insight.min.js',
        '_linkedin_partner_id = "5647382";',
        'window._linkedin_data_partner_ids = [_linkedin_partner_id];',
      ),
      conversion_labels: { lead: '18273645', contact: '18273653' },
      runs_in: 'isolated',
      reason: 'Campanhas para donos de empresas.',
    },
    behaviour: { blocked: 0.04, ms: 9, requests: 3 },
  },
  tiktok: {
    name: 'TikTok Pixel',
    row: {
      type: 'custom',
      code: `<script>
window.TiktokAnalyticsObject = 'ttq';
window.ttq = window.ttq || [];
['page', 'track', 'identify'].forEach(function (method) {
  ttq[method] = ttq[method] || function () { ttq.push([method].concat([].slice.call(arguments))) }
});
ttq.load = ttq.load || function (id) {
  var script = document.createElement('script'); script.async = true;
  script.src = 'https://analytics.tiktok.com/i18n/pixel/events.js?sdkid=' + id + '&lib=ttq';
  document.head.appendChild(script)
};
ttq.load('CPRT1C0ABCDEFGHIJKL0');
ttq.page();
</script>`,
      reason: 'Vídeos da campanha "Venda sem maquininha".',
    },
    behaviour: { blocked: 0.24, ms: 23, requests: 5 },
  },
  clarity: {
    name: 'Microsoft Clarity',
    row: {
      type: 'custom',
      consent_category: 'desempenho',
      code: loader('clarity', 'https://www.clarity.ms/tag/pq7rtz4k2m'),
      reason: 'Ver onde as pessoas param na página.',
    },
    behaviour: { blocked: 0.03, ms: 38, requests: 4 },
  },
  hotjar: {
    name: 'Hotjar',
    row: {
      type: 'custom',
      consent_category: 'desempenho',
      code: hotjar('  w.hj = w.hj || function () { (w.hj.queue = w.hj.queue || []).push(arguments) };'),
      reason: 'Pesquisa de satisfação.',
    },
    behaviour: { blocked: 0.04, ms: 26, requests: 4 },
  },
  rdStation: {
    name: 'RD Station',
    row: {
      type: 'custom',
      code: '<script type="text/javascript" async src="https://d335luupugsy2.cloudfront.net/js/loader-scripts/5f0c2a71-3b84-4d19-9e62-7a1c4b8d2e05-loader.js"></script>',
      auto_disable: true,
      reason: 'Automação de e-mail da equipe comercial.',
    },
    behaviour: { blocked: 0.04, ms: 21, requests: 3 },
  },
  chat: {
    name: 'Chat de atendimento',
    row: {
      type: 'custom',
      consent_category: 'funcionalidade',
      code: loader(
        'atende',
        'https://widget.atendimento.example/v2/loader.js',
        "atende('start', { equipe: 'vendas' });",
      ),
      reason: 'Atendimento no horário comercial.',
    },
    behaviour: { blocked: 0.02, ms: 12, requests: 2 },
  },
  verification: {
    name: 'Verificação do Google',
    row: {
      type: 'custom',
      code: '<meta name="google-site-verification" content="Pq7RtZ4k2mXw9LcVb1NdYs6HfJgUaEo3iTzKxQvWc0M">',
      reason: 'Prova ao Search Console que o site é nosso.',
    },
  },
  crm: {
    name: 'CRM (webhook)',
    row: {
      type: 'custom',
      consent_category: 'funcionalidade',
      delivery: 'server',
      webhook_url: 'https://crm.exemplo.com.br/eventos/portico',
      access_token: secret('demonstracao'),
      reason: 'Abre uma oportunidade para a equipe comercial.',
    },
  },
  erp: {
    name: 'ERP (webhook)',
    row: {
      type: 'custom',
      consent_category: 'funcionalidade',
      delivery: 'server',
      webhook_url: `https://${FAILING_HOST}/webhooks/conversoes`,
      access_token: secret('demonstracao-erp'),
      reason: 'Conciliação das vendas por origem.',
    },
  },
  partners: {
    name: 'Meta Pixel (parceiros)',
    row: {
      type: 'meta',
      pixel_id: '571038264910375',
      delivery: 'server',
      access_token: 'EAAG-demonstracao-parceiros',
      reason: 'Campanhas feitas com revendedores.',
    },
  },
  ads: {
    name: 'Google Ads (campanha de inverno)',
    row: {
      type: 'google_analytics',
      pixel_id: 'AW-1029384756',
      consent_category: 'marketing',
      conversion_labels: { lead: 'kQ7vCMv1xZkBEPTe2uoD' },
      reason: 'Campanha de inverno, encerrada.',
    },
    behaviour: { blocked: 0.06, ms: 16, requests: 3 },
  },
  searchAds: {
    name: 'Google Ads (importação)',
    row: {
      type: 'custom',
      consent_category: 'marketing',
      delivery: 'server',
      destination: 'google_ads',
      destination_account: '102-938-4756',
      event_ids: { lead: '6482910377', contact: '6482910385', sign_up: '6482910393' },
      reason: 'Conversões de quem chegou por um anúncio da busca.',
    },
  },
  pinterest: {
    name: 'Pinterest Tag',
    row: {
      type: 'custom',
      code: loader(
        'pintrk',
        'https://s.pinimg.com/ct/core.js',
        "pintrk('load', '2613504817263');",
        "pintrk('page');",
      ),
      reason: 'Teste com lojas de decoração.',
    },
    behaviour: { isUnseen: true },
  },
  kwai: {
    name: 'Kwai Pixel',
    row: {
      type: 'custom',
      code: loader(
        'kwaiq',
        'https://s21-def.ap4r.com/kos/s101/nlav112572/pixel/events.js?sdkid=573829104657382',
        "kwaiq.load = function () { kwaiq('load', arguments) };",
        "kwaiq.load('573829104657382');",
      ),
    },
    behaviour: { blocked: 0.09, ms: 35, requests: 5 },
  },
  oldAnalytics: {
    name: 'Analytics antigo',
    row: { type: 'google_analytics', pixel_id: 'G-2QF8H4VNBD', is_active: false },
  },
} satisfies Record<string, DemoPixel>

export type DemoPixelName = keyof typeof DEMO_PIXELS

export const DEMO_PIXEL_NAMES = Object.keys(DEMO_PIXELS) as DemoPixelName[]

/** Broken on purpose: the function that keeps calls is missing. */
export const BROKEN_HOTJAR = hotjar("  w.hj('event', 'visita_com_preco');")

export const BROKEN_TOKEN = `EAAG-demonstracao-${EXPIRED}`

/** How long before the end of the past these began. */
export const HOTJAR_BROKE_MS = 1.6 * DAY_MS
export const BURST_MS = 1.15 * DAY_MS

/** Added to the container a few days ago, and stopped by the page's policy. */
export const STOPPED_HOST = {
  host: 'cdn.mediaprogramatica.example',
  directive: 'script-src',
  share: 0.16,
}
export const STOPPED_SINCE_MS = 3 * DAY_MS
