import type { Vendor } from '../vendor.ts'

export const googleAds: Vendor = {
  id: 'google-ads',
  kind: 'script',
  name: 'Google Ads',
  company: 'Google LLC',
  country: 'US',
  purpose: 'Mede conversões de anúncios do Google e cria listas de remarketing.',
  category: 'marketing',
  signs: [
    /googletagmanager\.com\/gtag\/js\?id=AW-/i,
    /googleadservices\.com\/pagead\/conversion/i,
    /googleads\.g\.doubleclick\.net\/pagead\/viewthroughconversion/i,
    /\bgtag\s*\(\s*['"]config['"]\s*,\s*['"]AW-/,
    /send_to['"]?\s*:\s*['"]AW-/,
  ],
  ids: [/\b(AW-\d{6,14})\b/, /google_conversion_id\s*=\s*(\d{6,14})/],
  idLabel: 'ID de conversão (AW-…)',
  extra: [{ label: 'Rótulo da conversão', pattern: /AW-\d{6,14}\/([A-Za-z0-9_-]{5,60})/ }],
  sample: {
    code: "gtag('config', 'AW-1234567890'); gtag('event', 'conversion', {'send_to': 'AW-1234567890/AbCdEfGhIjKlMn'});",
    id: 'AW-1234567890',
  },
  hosts: {
    script: [
      'www.googletagmanager.com',
      'www.googleadservices.com',
      'www.google.com',
      'pagead2.googlesyndication.com',
      'googleads.g.doubleclick.net',
    ],
    connect: [
      'pagead2.googlesyndication.com',
      'www.googleadservices.com',
      'googleads.g.doubleclick.net',
      'ad.doubleclick.net',
      'www.google.com',
      'google.com',
      'www.google.com.br',
    ],
    img: [
      'www.googletagmanager.com',
      'googleads.g.doubleclick.net',
      'www.google.com',
      'google.com',
      'www.google.com.br',
      'pagead2.googlesyndication.com',
      'www.googleadservices.com',
    ],
    frame: ['www.googletagmanager.com', 'td.doubleclick.net'],
  },
  optionalHosts: [{ when: 'older remarketing tags', hosts: { frame: ['bid.g.doubleclick.net'] } }],
  pageView: {
    hosts: [
      'googleads.g.doubleclick.net',
      'www.googleadservices.com',
      'www.google.com',
      'google.com',
      'www.google.com.br',
      'ad.doubleclick.net',
      'pagead2.googlesyndication.com',
    ],
    showsId: true,
  },
  conversion: {
    call: 'gtag',
    args: {
      lead: [
        'event',
        'conversion',
        { send_to: '$account/$label', transaction_id: '$id', transport_type: 'beacon' },
      ],
      contact: [
        'event',
        'conversion',
        { send_to: '$account/$label', transaction_id: '$id', transport_type: 'beacon' },
      ],
      sign_up: [
        'event',
        'conversion',
        { send_to: '$account/$label', transaction_id: '$id', transport_type: 'beacon' },
      ],
    },
    label: { name: 'Rótulo da conversão', example: 'AbCdEfGhIjKlMn' },
  },
  isolated: 'works',
  suffixes: [
    'googleadservices.com',
    'googlesyndication.com',
    'doubleclick.net',
    'googletagservices.com',
    'adservice.google.com',
    'adservice.google.com.br',
  ],
  cookies: [
    {
      name: { exact: '_gcl_au' },
      duration: '90 dias',
      purpose: 'Liga a visita ao clique em anúncio do Google (conversões).',
    },
    {
      name: { pattern: /^_gcl_(aw|dc|gb|gs|ag|ha|gf)$/, sample: '_gcl_aw' },
      duration: '90 dias',
      purpose: 'Guarda o clique no anúncio do Google para medir conversões.',
    },
    {
      name: { pattern: /^_gac_.+$/, sample: '_gac_UA-1' },
      duration: '90 dias',
      purpose: 'Guarda dados da campanha do Google Ads que trouxe a visita.',
    },
  ],
  thirdPartyCookies: [
    { name: 'IDE', domain: 'doubleclick.net', duration: '13 a 24 meses' },
    { name: 'test_cookie', domain: 'doubleclick.net', duration: '15 minutos' },
  ],
  storage: [{ area: 'local', key: { exact: '_gcl_ls' } }],
}
