import type { Vendor } from '../vendor.ts'

export const amplitude: Vendor = {
  id: 'amplitude',
  kind: 'script',
  name: 'Amplitude',
  company: 'Amplitude, Inc.',
  country: 'US',
  purpose: 'Mede o uso do site e do produto para análise de comportamento.',
  category: 'desempenho',
  signs: [/cdn\.(?:eu\.)?amplitude\.com\/(?:libs|script)\//i, /\bamplitude(?:\.getInstance\(\))?\.init ?\(/],
  ids: [
    /\bamplitude(?:\.getInstance\(\))?\.init ?\( ?['"]([0-9a-f]{32})['"]/,
    /cdn\.(?:eu\.)?amplitude\.com\/script\/([0-9a-f]{32})/,
  ],
  idLabel: 'Chave de API do projeto',
  sample: {
    code: '<script src="https://cdn.amplitude.com/script/0123456789abcdef0123456789abcdef.js"> … window.amplitude.init(\'0123456789abcdef0123456789abcdef\', {});',
    id: '0123456789abcdef0123456789abcdef',
  },
  hosts: {
    script: ['cdn.amplitude.com'],
    connect: [
      'api2.amplitude.com',
      'api.amplitude.com',
      'sr-client-cfg.amplitude.com',
      'api-sr.amplitude.com',
    ],
  },
  optionalHosts: [
    {
      when: 'European project',
      hosts: {
        script: ['cdn.eu.amplitude.com'],
        connect: ['api.eu.amplitude.com', 'sr-client-cfg.eu.amplitude.com', 'api-sr.eu.amplitude.com'],
      },
    },
    {
      when: 'experiments or guides',
      hosts: { connect: ['lab.amplitude.com', 'flag.lab.amplitude.com', 'gs.amplitude.com'] },
    },
  ],
  pageView: { hosts: ['api2.amplitude.com', 'api.amplitude.com'], showsId: false },
  conversion: {
    call: 'amplitude.track',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: { lead: ['lead'], contact: ['contact'], sign_up: ['sign_up'] },
  },
  isolated: 'works',
  suffixes: ['amplitude.com'],
  cookies: [
    {
      name: { pattern: /^AMP_[0-9a-f]{10}$/, sample: 'AMP_0123456789' },
      duration: '1 ano',
      purpose: 'Identifica o visitante e a sessão no Amplitude.',
    },
    {
      name: { pattern: /^AMP_MKTG_[0-9a-f]{10}$/, sample: 'AMP_MKTG_0123456789' },
      duration: '1 ano',
      purpose: 'Guarda a campanha de origem no Amplitude.',
    },
    {
      name: { pattern: /^AMP_(?:TEST|TLDTEST)$/, sample: 'AMP_TLDTEST' },
      duration: 'sessão',
      purpose: 'Verifica se o navegador aceita cookies.',
    },
    {
      name: { pattern: /^amp_[0-9a-f]{6}$/, sample: 'amp_012345' },
      duration: '1 ano',
      purpose: 'Versão antiga: identifica o visitante no Amplitude.',
    },
    {
      name: { prefix: 'amplitude_id_', sample: 'amplitude_id_0123' },
      duration: '10 anos',
      purpose: 'Versão antiga: identifica o visitante no Amplitude.',
    },
  ],
  thirdPartyCookies: [],
  storage: [
    { area: 'local', key: { prefix: 'AMP_', sample: 'AMP_unsent_0123456789' } },
    { area: 'local', key: { prefix: 'amplitude_', sample: 'amplitude_unsent_0123' } },
  ],
}
