import type { Vendor } from '../vendor.ts'

export const xPixel: Vendor = {
  id: 'x-pixel',
  kind: 'script',
  name: 'X Pixel',
  company: 'X Corp.',
  country: 'US',
  purpose: 'Mede conversões e cria públicos para anúncios no X (Twitter).',
  category: 'marketing',
  signs: [/static\.ads-twitter\.com\/uwt\.js/i, /platform\.twitter\.com\/oct\.js/i, /\btwq ?\(/],
  ids: [/\btwq ?\( ?['"](?:config|init)['"] ?, ?['"]([a-z0-9]{4,10})['"]/],
  base: /\btwq ?\( ?['"](?:config|init)['"]|uwt\.js/,
  idLabel: 'ID do pixel do X',
  extra: [
    {
      label: 'ID do evento',
      pattern: /\btwq ?\( ?['"]event['"] ?, ?['"](tw-[a-z0-9]{4,10}-[a-z0-9]{4,10})['"]/,
    },
  ],
  sample: { code: "static.ads-twitter.com/uwt.js … twq('config','abc12');", id: 'abc12' },
  hosts: {
    script: ['static.ads-twitter.com'],
    connect: ['analytics.twitter.com', 'analytics.x.com', 't.co'],
    img: ['t.co', 'analytics.twitter.com', 'analytics.x.com'],
  },
  pageView: { hosts: ['t.co', 'analytics.twitter.com', 'analytics.x.com'], showsId: true },
  conversion: {
    call: 'twq',
    events: { lead: '$label', contact: '$label', sign_up: '$label' },
    args: {
      lead: ['event', '$label', { conversion_id: '$id' }],
      contact: ['event', '$label', { conversion_id: '$id' }],
      sign_up: ['event', '$label', { conversion_id: '$id' }],
    },
    label: { name: 'ID do evento (tw-…)', example: 'tw-abc12-def34' },
  },
  isolated: 'works',
  suffixes: [
    'ads-twitter.com',
    'analytics.twitter.com',
    'analytics.x.com',
    'twitter.com',
    'twimg.com',
    't.co',
  ],
  cookies: [
    {
      name: { exact: '_twpid' },
      duration: '13 meses',
      purpose: 'Identifica o navegador para medir anúncios do X.',
    },
    {
      name: { exact: '_twclid' },
      duration: 'não informado',
      purpose: 'Guarda o clique no anúncio do X (twclid).',
    },
    {
      name: { exact: '_twsid' },
      duration: 'não informado',
      purpose: 'Identifica a sessão para o pixel do X.',
    },
  ],
  thirdPartyCookies: [
    { name: 'muc_ads', domain: 't.co', duration: '13 a 24 meses' },
    { name: 'guest_id_ads', domain: 'twitter.com', duration: '13 a 24 meses' },
    { name: 'personalization_id', domain: 'twitter.com', duration: '13 a 24 meses' },
  ],
  storage: [],
}
