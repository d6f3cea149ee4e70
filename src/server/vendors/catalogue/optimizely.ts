import type { Vendor } from '../vendor.ts'

export const optimizely: Vendor = {
  id: 'optimizely',
  kind: 'script',
  name: 'Optimizely Web',
  company: 'Optimizely North America Inc.',
  country: 'US',
  purpose: 'Testa versões diferentes das páginas e mede qual funciona melhor.',
  category: 'desempenho',
  signs: [
    /cdn(?:-pci)?\.optimizely\.com\/(?:js|public)\//i,
    /window\.optimizely\b|window\[['"]optimizely['"]\]/,
  ],
  ids: [/optimizely\.com\/(?:js\/|public\/)(\d{6,20})/],
  idLabel: 'ID do projeto (ou conta) Optimizely',
  sample: { code: '<script src="https://cdn.optimizely.com/js/1234567890.js">', id: '1234567890' },
  hosts: {
    script: ['*.optimizely.com', 'optimizely.s3.amazonaws.com', 'cdn-assets-prod.s3.amazonaws.com'],
    connect: ['logx.optimizely.com', '*.optimizely.com'],
    img: ['cdn.optimizely.com'],
    frame: ['a{accountId}.cdn.optimizely.com'],
  },
  optionalHosts: [{ when: 'PCI accounts', hosts: { frame: ['a{accountId}.cdn-pci.optimizely.com'] } }],
  conversion: {
    call: 'optimizely.push',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: {
      lead: [{ type: 'event', eventName: 'lead' }],
      contact: [{ type: 'event', eventName: 'contact' }],
      sign_up: [{ type: 'event', eventName: 'sign_up' }],
    },
  },
  isolated: { needs: 'muda o que a página mostra' },
  suffixes: ['optimizely.com', 'optimizely.s3.amazonaws.com', 'cdn-assets-prod.s3.amazonaws.com'],
  cookies: [
    {
      name: { exact: 'optimizelyEndUserId' },
      duration: '6 meses',
      purpose: 'Identifica o visitante nos testes da Optimizely.',
    },
    {
      name: { exact: 'optimizelyRedirectData' },
      duration: '5 segundos',
      purpose: 'Guarda dados durante um teste com redirecionamento.',
    },
    {
      name: { exact: 'optimizelyDomainTestCookie' },
      duration: 'sessão',
      purpose: 'Descobre o domínio principal do site.',
    },
    {
      name: { exact: 'optimizelySession' },
      duration: 'sessão',
      purpose: 'Guarda dados da sessão para os testes.',
    },
  ],
  thirdPartyCookies: [],
  storage: [
    {
      area: 'local',
      key: { pattern: /^optimizely(?!OptOut$)/, sample: 'optimizely_data$$oeu1$$123$$visitor_profile' },
    },
  ],
}
