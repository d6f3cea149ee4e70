import type { Vendor } from '../vendor.ts'

export const umami: Vendor = {
  id: 'umami',
  kind: 'script',
  name: 'Umami',
  company: 'Umami Software, Inc.',
  country: 'US',
  purpose: 'Mede visitas sem cookies e sem identificar a pessoa.',
  category: 'desempenho',
  signs: [/cloud\.umami\.is\/script\.js/i, /\bdata-website-id=['"][0-9a-f]{8}-/, /\bumami\.track\b/],
  ids: [/data-website-id=['"]([0-9a-f]{8}-[0-9a-f-]{27})['"]/],
  idLabel: 'ID do site (Website ID)',
  sample: {
    code: '<script defer src="https://cloud.umami.is/script.js" data-website-id="01234567-89ab-4cde-8f01-23456789abcd">',
    id: '01234567-89ab-4cde-8f01-23456789abcd',
  },
  hosts: { script: ['cloud.umami.is'], connect: ['cloud.umami.is', 'gateway.umami.is'] },
  optionalHosts: [
    { when: 'self-hosted', hosts: { script: ['{umamiHost}'], connect: ['{umamiHost}'] } },
    { when: 'older cloud script', hosts: { connect: ['api-gateway.umami.dev'] } },
  ],
  pageView: { hosts: ['cloud.umami.is', 'gateway.umami.is'], showsId: false },
  conversion: {
    call: 'umami.track',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: { lead: ['lead'], contact: ['contact'], sign_up: ['sign_up'] },
  },
  isolated: 'works',
  suffixes: ['umami.is', 'umami.dev'],
  cookies: [],
  thirdPartyCookies: [],
  storage: [{ area: 'local', key: { exact: 'umami.disabled' }, readOnly: true }],
}
