import type { Vendor } from '../vendor.ts'

/** Hosts are observed, not documented: missing ones are reported and permitted by name. */
export const kwaiPixel: Vendor = {
  id: 'kwai-pixel',
  kind: 'script',
  name: 'Kwai for Business',
  company: 'Kuaishou Technology (Kwai)',
  country: 'CN',
  purpose: 'Mede conversões e cria públicos para anúncios no Kwai.',
  category: 'marketing',
  signs: [
    /\/kos\/s101\/nlav\d+\/pixel\/events\.js/i,
    /\bKwaiAnalyticsObject\b/,
    /\bkwaiq\.(?:load|page|track|instance)\b/,
  ],
  ids: [/\bkwaiq\.load ?\( ?['"](\d{8,24})['"]/],
  idLabel: 'ID do pixel do Kwai',
  sample: {
    code: "e.KwaiAnalyticsObject=n … /kos/s101/nlav112572/pixel/events.js … kwaiq.load('123456789012345'); kwaiq.page();",
    id: '123456789012345',
  },
  hosts: {
    script: ['s21-def.ap4r.com', 's21-def.ks-la.net', 's1.kwai.net', 's16-11187.ap4r.com'],
    connect: ['www.adsnebula.com', 'logsdk.kwai-pro.com', 's21-def.ap4r.com'],
    img: ['www.adsnebula.com'],
  },
  pageView: { hosts: ['www.adsnebula.com', 'logsdk.kwai-pro.com'], showsId: false },
  conversion: {
    call: 'kwaiq.track',
    events: { lead: 'formSubmit', contact: 'contact', sign_up: 'completeRegistration' },
    args: { lead: ['formSubmit'], contact: ['contact'], sign_up: ['completeRegistration'] },
  },
  isolated: 'works',
  suffixes: ['kwai.net', 'kwai.com', 'ap4r.com', 'ks-la.net', 'adsnebula.com', 'kwai-pro.com'],
  cookies: [
    {
      name: { exact: 'kwai_uuid' },
      duration: 'não informado',
      purpose: 'Identifica o navegador para medir anúncios do Kwai.',
    },
    {
      name: { exact: '_k_gid_collect' },
      duration: 'não informado',
      purpose: 'Controle interno do pixel do Kwai.',
    },
    { name: { exact: '_k_cp' }, duration: 'não informado', purpose: 'Controle interno do pixel do Kwai.' },
  ],
  thirdPartyCookies: [],
  storage: [],
}
