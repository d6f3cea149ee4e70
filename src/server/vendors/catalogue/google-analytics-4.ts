import type { Vendor } from '../vendor.ts'

export const googleAnalytics4: Vendor = {
  id: 'google-analytics-4',
  kind: 'script',
  name: 'Google Analytics 4',
  company: 'Google LLC',
  country: 'US',
  purpose: 'Mede visitas, origem do tráfego e uso das páginas do site.',
  category: 'desempenho',
  signs: [/googletagmanager\.com\/gtag\/js\?id=(?:G|GT)-/i, /\bgtag ?\( ?['"]config['"] ?, ?['"](?:G|GT)-/],
  ids: [/\b((?:G|GT)-[A-Z0-9]{4,20})\b/],
  idLabel: 'Measurement ID (G-…) ou ID da tag do Google (GT-…)',
  sample: {
    code: "www.googletagmanager.com/gtag/js?id=G-ABC1234567 … gtag('js', new Date()); gtag('config', 'G-ABC1234567');",
    id: 'G-ABC1234567',
  },
  hosts: {
    script: ['*.googletagmanager.com'],
    connect: [
      '*.google-analytics.com',
      '*.analytics.google.com',
      'analytics.google.com',
      '*.googletagmanager.com',
      'www.google.com',
      '*.g.doubleclick.net',
    ],
    // Signals and audiences report here; sites without these hosts silently lose data.
    img: [
      '*.google-analytics.com',
      '*.googletagmanager.com',
      '*.g.doubleclick.net',
      'www.google.com',
      'www.google.com.br',
    ],
    frame: ['td.doubleclick.net'],
  },
  optionalHosts: [
    {
      when: 'Google Signals or a Google Ads link is on',
      hosts: {
        connect: ['*.google.com', 'www.google.com.br', 'pagead2.googlesyndication.com'],
        img: ['*.google.com'],
        frame: ['www.googletagmanager.com'],
      },
    },
  ],
  pageView: {
    hosts: ['*.google-analytics.com', '*.analytics.google.com', 'analytics.google.com'],
    showsId: true,
  },
  conversion: {
    call: 'gtag',
    events: { lead: 'generate_lead', contact: 'contact', sign_up: 'sign_up' },
    args: {
      lead: ['event', 'generate_lead', { event_id: '$id', transport_type: 'beacon' }],
      contact: ['event', 'contact', { event_id: '$id', transport_type: 'beacon' }],
      sign_up: ['event', 'sign_up', { event_id: '$id', transport_type: 'beacon' }],
    },
  },
  // Excluded from reports only if the property has an active developer-traffic filter.
  testMode: { call: 'gtag', args: ['set', { debug_mode: true }], shownIn: 'DebugView, no Google Analytics' },
  isolated: 'works',
  suffixes: ['google-analytics.com', 'analytics.google.com'],
  cookies: [
    {
      name: { exact: '_ga' },
      duration: '2 anos',
      purpose: 'Distingue visitantes para as estatísticas do Google Analytics.',
    },
    {
      name: { pattern: /^_ga_[A-Z0-9]+$/, sample: '_ga_ABC1234567' },
      duration: '2 anos',
      purpose: 'Mantém a sessão da propriedade do Google Analytics 4.',
    },
    {
      name: { exact: '_gid' },
      duration: '24 horas',
      purpose: 'Versão antiga do Analytics: distingue visitantes no dia.',
    },
    {
      name: { pattern: /^_gat(_.+)?$/, sample: '_gat_gtag_UA_1' },
      duration: '1 minuto',
      purpose: 'Versão antiga do Analytics: limita a taxa de envios.',
    },
    {
      name: { pattern: /^_dc_gtm_.+$/, sample: '_dc_gtm_UA-1' },
      duration: '1 minuto',
      purpose: 'Versão antiga do Analytics: limita a taxa de envios.',
    },
  ],
  thirdPartyCookies: [],
  storage: [],
}
