import type { Vendor } from '../vendor.ts'

export const pinterestTag: Vendor = {
  id: 'pinterest-tag',
  kind: 'script',
  name: 'Tag do Pinterest',
  company: 'Pinterest, Inc.',
  country: 'US',
  purpose: 'Mede conversões e cria públicos para anúncios no Pinterest.',
  category: 'marketing',
  signs: [/s\.pinimg\.com\/ct\/core\.js/i, /ct\.pinterest\.com\/v3\//i, /\bpintrk ?\(/],
  ids: [
    /\bpintrk ?\( ?['"]load['"] ?, ?['"](\d{10,16})['"]/,
    /ct\.pinterest\.com\/v3\/\?(?:[^"' >?]*[&;])?tid=(\d{10,16})/,
  ],
  base: /\bpintrk ?\( ?['"]load['"]|ct\.pinterest\.com/,
  idLabel: 'ID da tag do Pinterest',
  sample: {
    code: "s.pinimg.com/ct/core.js … pintrk('load', '2612345678901'); pintrk('page');",
    id: '2612345678901',
  },
  hosts: {
    script: ['s.pinimg.com', 'ct.pinterest.com'],
    connect: ['ct.pinterest.com'],
    img: ['ct.pinterest.com'],
    frame: ['ct.pinterest.com'],
  },
  pageView: { hosts: ['ct.pinterest.com'], showsId: true },
  conversion: {
    call: 'pintrk',
    events: { lead: 'lead', contact: 'contact', sign_up: 'signup' },
    args: {
      lead: ['track', 'lead', { event_id: '$id' }],
      contact: ['track', 'contact', { event_id: '$id' }],
      sign_up: ['track', 'signup', { event_id: '$id' }],
    },
  },
  isolated: 'works',
  suffixes: ['pinimg.com', 'ct.pinterest.com', 'pinterest.com'],
  cookies: [
    {
      name: { exact: '_pin_unauth' },
      duration: '1 ano',
      purpose: 'Identifica o navegador para medir anúncios do Pinterest.',
    },
    { name: { exact: '_epik' }, duration: '1 ano', purpose: 'Guarda o clique no anúncio do Pinterest.' },
    {
      name: { exact: '_derived_epik' },
      duration: '1 ano',
      purpose: 'Identifica a pessoa quando não há outro cookie do Pinterest.',
    },
  ],
  thirdPartyCookies: [{ name: '_pinterest_ct_ua', domain: 'ct.pinterest.com', duration: '1 ano' }],
  storage: [],
}
