import type { Vendor } from '../vendor.ts'

export const fullstory: Vendor = {
  id: 'fullstory',
  kind: 'script',
  name: 'Fullstory',
  company: 'FullStory, Inc.',
  country: 'US',
  purpose: 'Grava sessões para entender dificuldades de uso do site.',
  category: 'desempenho',
  signs: [/edge\.(?:eu1\.)?fullstory\.com\/s\/fs\.js/i, /['"]?_fs_org['"]?/],
  ids: [/_fs_org['"]?\]? ?= ?['"]([A-Za-z0-9-]{4,24})['"]/],
  idLabel: 'ID da organização (org)',
  sample: {
    code: "window['_fs_script'] = 'edge.fullstory.com/s/fs.js'; window['_fs_org'] = 'o-ABC123-na1';",
    id: 'o-ABC123-na1',
  },
  hosts: {
    script: ['edge.fullstory.com'],
    connect: ['edge.fullstory.com', 'rs.fullstory.com'],
    img: ['rs.fullstory.com'],
  },
  optionalHosts: [
    {
      when: 'EU data centre',
      hosts: {
        script: ['edge.eu1.fullstory.com'],
        connect: ['edge.eu1.fullstory.com', 'rs.eu1.fullstory.com'],
        img: ['rs.eu1.fullstory.com'],
      },
    },
  ],
  pageView: { hosts: ['rs.fullstory.com'], showsId: false },
  conversion: {
    call: 'FS',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: {
      lead: ['trackEvent', { name: 'lead', properties: {} }],
      contact: ['trackEvent', { name: 'contact', properties: {} }],
      sign_up: ['trackEvent', { name: 'sign_up', properties: {} }],
    },
  },
  isolated: { needs: 'grava o que acontece na página' },
  suffixes: ['fullstory.com'],
  cookies: [
    {
      name: { exact: 'fs_uid' },
      duration: '1 ano',
      purpose: 'Identifica o visitante nas gravações da Fullstory.',
    },
    {
      name: { exact: 'fs_cid' },
      duration: '1 ano',
      purpose: 'Guarda o estado de consentimento na Fullstory.',
    },
    {
      name: { exact: 'fs_lua' },
      duration: '30 minutos',
      purpose: 'Guarda o horário da última ação do visitante.',
    },
  ],
  thirdPartyCookies: [],
  storage: [],
}
