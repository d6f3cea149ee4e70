import type { Vendor } from '../vendor.ts'

export const matomo: Vendor = {
  id: 'matomo',
  kind: 'script',
  name: 'Matomo',
  company: 'InnoCraft Ltd.',
  country: 'NZ',
  purpose: 'Mede visitas e uso das páginas em servidor próprio ou na nuvem Matomo.',
  category: 'desempenho',
  signs: [/\/(?:matomo|piwik)\.(?:js|php)\b/i, /cdn\.matomo\.cloud\//i, /\b_paq\b/, /\b_mtm\b/],
  ids: [
    /['"]setSiteId['"] ?, ?['"]?(\d{1,8})/,
    /cdn\.matomo\.cloud\/[\w.-]+\/container_([A-Za-z0-9]{6,12})\.js/,
  ],
  idLabel: 'ID do site (e endereço do Matomo)',
  extra: [{ label: 'Endereço do Matomo', pattern: /var u ?= ?['"][a-z:]{0,6}\/\/([A-Za-z0-9.-]+)/ }],
  sample: {
    code: "_paq.push(['trackPageView']); var u=\"https://minhaconta.matomo.cloud/\"; _paq.push(['setSiteId', '1']); … //cdn.matomo.cloud/minhaconta.matomo.cloud/matomo.js",
    id: '1',
  },
  hosts: {
    script: ['cdn.matomo.cloud', '{account}.matomo.cloud'],
    connect: ['{account}.matomo.cloud'],
    img: ['{account}.matomo.cloud'],
  },
  optionalHosts: [
    {
      when: 'self-hosted',
      hosts: { script: ['{matomoHost}'], connect: ['{matomoHost}'], img: ['{matomoHost}'] },
    },
  ],
  conversion: {
    call: '_paq.push',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: {
      lead: [['trackEvent', 'conversion', 'lead']],
      contact: [['trackEvent', 'conversion', 'contact']],
      sign_up: [['trackEvent', 'conversion', 'sign_up']],
    },
  },
  suffixes: ['matomo.cloud', 'matomo.org'],
  cookies: [
    {
      name: { pattern: /^_pk_id[._].+$/, sample: '_pk_id.1.1fff' },
      duration: '13 meses',
      purpose: 'Distingue visitantes para as estatísticas do Matomo.',
    },
    {
      name: { pattern: /^_pk_ref[._].+$/, sample: '_pk_ref.1.1fff' },
      duration: '6 meses',
      purpose: 'Guarda a origem da visita.',
    },
    {
      name: { pattern: /^_pk_ses[._].+$/, sample: '_pk_ses.1.1fff' },
      duration: '30 minutos',
      purpose: 'Mantém a sessão atual do Matomo.',
    },
    {
      name: { pattern: /^_pk_(?:cvar|hsr)[._].+$/, sample: '_pk_hsr.1.1fff' },
      duration: '30 minutos',
      purpose: 'Guarda dados temporários da visita.',
    },
    {
      name: { pattern: /^_pk_testcookie.*$/, sample: '_pk_testcookie' },
      duration: 'sessão',
      purpose: 'Verifica se o navegador aceita cookies.',
    },
    {
      name: { exact: 'mtm_cookie_consent' },
      duration: '30 anos',
      purpose: 'Guarda o consentimento dado ao Matomo.',
    },
    {
      name: { exact: 'mtm_consent' },
      duration: '30 anos',
      purpose: 'Guarda o consentimento dado ao Matomo.',
    },
  ],
  thirdPartyCookies: [],
  storage: [],
}
