import type { Vendor } from '../vendor.ts'

export const outbrainPixel: Vendor = {
  id: 'outbrain-pixel',
  kind: 'script',
  name: 'Outbrain Pixel',
  company: 'Teads Holding Co. (Outbrain Inc.)',
  country: 'US',
  purpose: 'Mede conversões e cria públicos para anúncios nativos da Outbrain.',
  category: 'marketing',
  signs: [/amplify\.outbrain\.com\/cp\/obtp\.js/i, /tr\.outbrain\.com\//i, /\bOB_ADV_ID\b/, /\bobApi ?\(/],
  ids: [/OB_ADV_ID ?= ?\[? ?['"]([0-9a-f]{20,60})['"]/],
  idLabel: 'ID do anunciante Outbrain',
  sample: {
    code: "var OB_ADV_ID = '00abcdef0123456789abcdef0123456789'; … amplify.outbrain.com/cp/obtp.js … obApi('track', 'PAGE_VIEW');",
    id: '00abcdef0123456789abcdef0123456789',
  },
  hosts: {
    script: ['amplify.outbrain.com', 'wave.outbrain.com'],
    connect: ['tr.outbrain.com', 'wave.outbrain.com'],
    img: ['tr.outbrain.com'],
  },
  pageView: { hosts: ['tr.outbrain.com'], showsId: true },
  conversion: {
    call: 'obApi',
    events: { lead: 'Lead', contact: 'Contact', sign_up: 'Sign up' },
    args: { lead: ['track', 'Lead'], contact: ['track', 'Contact'], sign_up: ['track', 'Sign up'] },
  },
  isolated: 'works',
  suffixes: ['outbrain.com', 'outbrainimg.com'],
  cookies: [
    {
      name: { exact: 'outbrain_cid_fetch' },
      duration: '5 minutos',
      purpose: 'Controla a busca do clique no anúncio da Outbrain.',
    },
    { name: { exact: 'dicbo_id' }, duration: '1 dia', purpose: 'Guarda o clique no anúncio da Outbrain.' },
    {
      name: { exact: 'outbrain_dicbo_id' },
      duration: '1 dia',
      purpose: 'Guarda o clique no anúncio da Outbrain.',
    },
    {
      name: { exact: 'unifiedPixel' },
      duration: 'sessão',
      purpose: 'Controle interno do pixel da Outbrain.',
    },
  ],
  thirdPartyCookies: [{ name: 'obuid', domain: 'outbrain.com', duration: '3 meses' }],
  storage: [],
}
