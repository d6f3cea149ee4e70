import type { Vendor } from '../vendor.ts'

export const hotjar: Vendor = {
  id: 'hotjar',
  kind: 'script',
  name: 'Hotjar',
  company: 'Hotjar Ltd. (grupo Contentsquare)',
  country: 'MT',
  purpose: 'Grava sessões, mapas de calor e pesquisas para entender o uso do site.',
  category: 'desempenho',
  signs: [
    /static\.hotjar\.com\/c\/hotjar-/i,
    /static\.hj\.contentsquare\.net\/c\/hotjar-/i,
    /\b_hjSettings\b/,
  ],
  ids: [/\bhjid ?: ?['"]?(\d{4,12})/, /\/c\/hotjar-(\d{4,12})\.js/],
  idLabel: 'ID do site no Hotjar',
  sample: {
    code: "h._hjSettings={hjid:1234567,hjsv:6}; … 'https://static.hotjar.com/c/hotjar-'",
    id: '1234567',
  },
  hosts: {
    script: ['*.hotjar.com'],
    connect: ['*.hotjar.com', '*.hotjar.io', 'wss://*.hotjar.com'],
    img: ['*.hotjar.com'],
    frame: ['*.hotjar.com'],
    style: ['*.hotjar.com'],
    font: ['*.hotjar.com'],
  },
  optionalHosts: [
    {
      when: 'account moved to the Contentsquare tag',
      hosts: {
        script: ['*.contentsquare.net'],
        connect: ['*.contentsquare.net', '*.contentsquare.com'],
        img: ['*.contentsquare.net'],
      },
    },
  ],
  conversion: {
    call: 'hj',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: { lead: ['event', 'lead'], contact: ['event', 'contact'], sign_up: ['event', 'sign_up'] },
  },
  isolated: { needs: 'grava o que acontece na página' },
  suffixes: ['hotjar.com', 'hotjar.io', 'hj.contentsquare.net'],
  cookies: [
    {
      name: { prefix: '_hjSessionUser_', sample: '_hjSessionUser_1234567' },
      duration: '365 dias',
      purpose: 'Identifica o visitante no Hotjar entre visitas.',
    },
    {
      name: { prefix: '_hjSession_', sample: '_hjSession_1234567' },
      duration: '30 minutos',
      purpose: 'Mantém os dados da sessão atual do Hotjar.',
    },
    {
      name: { exact: '_hjHasCachedUserAttributes' },
      duration: 'sessão',
      purpose: 'Indica se os atributos do visitante estão atualizados.',
    },
    {
      name: { exact: '_hjUserAttributesHash' },
      duration: '2 minutos',
      purpose: 'Detecta mudança nos atributos do visitante.',
    },
    {
      name: { exact: '_hjClosedSurveyInvites' },
      duration: '365 dias',
      purpose: 'Evita mostrar de novo um convite de pesquisa fechado.',
    },
    {
      name: { exact: '_hjDonePolls' },
      duration: '365 dias',
      purpose: 'Evita mostrar de novo uma pesquisa já respondida.',
    },
    {
      name: { exact: '_hjMinimizedPolls' },
      duration: '365 dias',
      purpose: 'Lembra que a pesquisa foi minimizada.',
    },
    {
      name: { pattern: /^_hj[A-Za-z]+(_\d+)?$/, sample: '_hjTLDTest' },
      duration: 'até 365 dias',
      purpose: 'Outros controles internos do Hotjar.',
    },
  ],
  thirdPartyCookies: [],
  storage: [
    { area: 'local', key: { exact: '_hjUserAttributes' } },
    { area: 'local', key: { exact: 'hjActiveViewportIds' } },
    { area: 'session', key: { exact: 'hjViewportId' } },
    { area: 'local', key: { prefix: '_hj', sample: '_hjLocalStorageTest' } },
  ],
}
