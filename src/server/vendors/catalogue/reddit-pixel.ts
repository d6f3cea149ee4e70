import type { Vendor } from '../vendor.ts'

export const redditPixel: Vendor = {
  id: 'reddit-pixel',
  kind: 'script',
  name: 'Reddit Pixel',
  company: 'Reddit, Inc.',
  country: 'US',
  purpose: 'Mede conversões e cria públicos para anúncios no Reddit.',
  category: 'marketing',
  signs: [/www\.redditstatic\.com\/ads\/pixel\.js/i, /\brdt ?\( ?['"]init['"]/],
  ids: [
    /\brdt ?\( ?['"]init['"] ?, ?['"]((?:a2|t2)_[a-z0-9]{4,20})['"]/,
    /ads\/pixel\.js\?pixel_id=((?:a2|t2)_[a-z0-9]{4,20})/,
  ],
  idLabel: 'ID do pixel do Reddit',
  sample: {
    code: "www.redditstatic.com/ads/pixel.js … rdt('init','a2_abc123def456'); rdt('track','PageVisit');",
    id: 'a2_abc123def456',
  },
  hosts: {
    script: ['www.redditstatic.com'],
    connect: [
      'pixel-config.reddit.com',
      'conversions-config.reddit.com',
      'alb.reddit.com',
      'www.redditstatic.com',
    ],
    img: ['alb.reddit.com'],
  },
  pageView: { hosts: ['alb.reddit.com'], showsId: true },
  conversion: {
    call: 'rdt',
    events: { lead: 'Lead', contact: 'Contact', sign_up: 'SignUp' },
    args: {
      lead: ['track', 'Lead', { conversionId: '$id' }],
      contact: ['track', 'Custom', { customEventName: 'Contact', conversionId: '$id' }],
      sign_up: ['track', 'SignUp', { conversionId: '$id' }],
    },
  },
  isolated: 'works',
  suffixes: [
    'redditstatic.com',
    'alb.reddit.com',
    'pixel-config.reddit.com',
    'conversions-config.reddit.com',
    'reddit.com',
  ],
  cookies: [
    {
      name: { exact: '_rdt_uuid' },
      duration: '90 dias',
      purpose: 'Identifica o navegador para medir anúncios do Reddit.',
    },
    { name: { exact: '_rdt_cid' }, duration: '90 dias', purpose: 'Guarda o clique no anúncio do Reddit.' },
    {
      name: { exact: '_rdt_em' },
      duration: '90 dias',
      purpose: 'Guarda o hash do e-mail que o Reddit usa para reconhecer a pessoa.',
    },
  ],
  thirdPartyCookies: [],
  storage: [],
}
