import type { Vendor } from '../vendor.ts'

export const plausible: Vendor = {
  id: 'plausible',
  kind: 'script',
  name: 'Plausible Analytics',
  company: 'Plausible Insights OÜ',
  country: 'EE',
  purpose: 'Mede visitas sem cookies e sem identificar a pessoa.',
  category: 'desempenho',
  signs: [/plausible\.io\/js\//i, /\bplausible\.init ?\(/, /window\.plausible ?=/],
  ids: [/data-domain=['"]([A-Za-z0-9.,-]+)['"]/, /plausible\.io\/js\/(pa-[A-Za-z0-9_-]{8,40})\.js/],
  idLabel: 'Domínio (ou ID do script pa-…)',
  sample: {
    code: '<script defer data-domain="exemplo.com.br" src="https://plausible.io/js/script.js">',
    id: 'exemplo.com.br',
  },
  hosts: { script: ['plausible.io'], connect: ['plausible.io'] },
  optionalHosts: [
    { when: 'self-hosted', hosts: { script: ['{plausibleHost}'], connect: ['{plausibleHost}'] } },
  ],
  pageView: { hosts: ['plausible.io'], showsId: false },
  conversion: {
    call: 'plausible',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: { lead: ['lead'], contact: ['contact'], sign_up: ['sign_up'] },
  },
  isolated: 'works',
  suffixes: ['plausible.io'],
  cookies: [],
  thirdPartyCookies: [],
  storage: [{ area: 'local', key: { exact: 'plausible_ignore' }, readOnly: true }],
}
