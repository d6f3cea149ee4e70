import type { Vendor } from '../vendor.ts'

export const snapPixel: Vendor = {
  id: 'snap-pixel',
  kind: 'script',
  name: 'Snap Pixel',
  company: 'Snap Inc.',
  country: 'US',
  purpose: 'Mede conversões e cria públicos para anúncios no Snapchat.',
  category: 'marketing',
  signs: [/sc-static\.net\/scevent\.min\.js/i, /\bsnaptr ?\(/],
  ids: [/\bsnaptr ?\( ?['"]init['"] ?, ?['"]([0-9a-fA-F]{8}-[0-9a-fA-F-]{27})['"]/],
  base: /\bsnaptr ?\( ?['"]init['"]|scevent\.min\.js/,
  idLabel: 'ID do Snap Pixel',
  sample: {
    code: "sc-static.net/scevent.min.js … snaptr('init', '01234567-89ab-4cde-8f01-23456789abcd'); snaptr('track', 'PAGE_VIEW');",
    id: '01234567-89ab-4cde-8f01-23456789abcd',
  },
  hosts: {
    script: ['sc-static.net', 'tr.snapchat.com'],
    connect: ['tr.snapchat.com', 'tr6.snapchat.com'],
    img: ['tr.snapchat.com'],
    frame: ['tr.snapchat.com'],
    form: ['tr.snapchat.com'],
  },
  optionalHosts: [
    { when: 'identity partner sync observed in some accounts', hosts: { img: ['pixel.tapad.com'] } },
  ],
  pageView: { hosts: ['tr.snapchat.com', 'tr6.snapchat.com'], showsId: false },
  conversion: {
    call: 'snaptr',
    events: { lead: 'CUSTOM_EVENT_1', contact: 'CUSTOM_EVENT_2', sign_up: 'SUBSCRIBE' },
    args: {
      lead: ['track', 'CUSTOM_EVENT_1', { client_dedup_id: '$id' }],
      contact: ['track', 'CUSTOM_EVENT_2', { client_dedup_id: '$id' }],
      sign_up: ['track', 'SUBSCRIBE', { client_dedup_id: '$id' }],
    },
  },
  isolated: 'works',
  suffixes: ['sc-static.net', 'snapchat.com'],
  cookies: [
    {
      name: { exact: '_scid' },
      duration: '13 meses',
      purpose: 'Identifica o navegador para medir anúncios do Snapchat.',
    },
    { name: { exact: '_scid_r' }, duration: '13 meses', purpose: 'Renova o identificador do Snapchat.' },
    {
      name: { exact: '_sctr' },
      duration: '13 meses',
      purpose: 'Registra a última atualização do identificador do Snapchat.',
    },
    {
      name: { exact: '_ScCbts' },
      duration: 'não informado',
      purpose: 'Controle interno do pixel do Snapchat.',
    },
    { name: { exact: '_schn1' }, duration: '1 dia', purpose: 'Controle interno do pixel do Snapchat.' },
    {
      name: { exact: '_screload' },
      duration: 'sessão',
      purpose: 'Controla o recarregamento do pixel do Snapchat.',
    },
  ],
  thirdPartyCookies: [{ name: 'sc_at', domain: 'snapchat.com', duration: '1 ano' }],
  storage: [],
}
