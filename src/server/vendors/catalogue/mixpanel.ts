import type { Vendor } from '../vendor.ts'

export const mixpanel: Vendor = {
  id: 'mixpanel',
  kind: 'script',
  name: 'Mixpanel',
  company: 'Mixpanel, Inc.',
  country: 'US',
  purpose: 'Mede o uso do site e do produto para análise de comportamento.',
  category: 'desempenho',
  signs: [/cdn\.mxpnl\.com\/libs\/mixpanel/i, /\bmixpanel\.init ?\(/],
  ids: [/\bmixpanel\.init ?\( ?['"]([0-9a-f]{32})['"]/],
  idLabel: 'Token do projeto',
  sample: {
    code: "//cdn.mxpnl.com/libs/mixpanel-2-latest.min.js … mixpanel.init('0123456789abcdef0123456789abcdef', {track_pageview: true});",
    id: '0123456789abcdef0123456789abcdef',
  },
  hosts: { script: ['cdn.mxpnl.com'], connect: ['api-js.mixpanel.com'] },
  optionalHosts: [
    { when: 'European or Indian data', hosts: { connect: ['api-eu.mixpanel.com', 'api-in.mixpanel.com'] } },
  ],
  pageView: { hosts: ['api-js.mixpanel.com'], showsId: false },
  conversion: {
    call: 'mixpanel.track',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: { lead: ['lead'], contact: ['contact'], sign_up: ['sign_up'] },
  },
  isolated: 'works',
  suffixes: ['mixpanel.com', 'mxpnl.com', 'mxpnl.net'],
  cookies: [
    {
      name: { pattern: /^mp_[0-9a-f]{32}_mixpanel$/, sample: 'mp_0123456789abcdef0123456789abcdef_mixpanel' },
      duration: '1 ano',
      purpose: 'Identifica o visitante no Mixpanel.',
    },
  ],
  thirdPartyCookies: [],
  storage: [
    { area: 'local', key: { prefix: '__mpq_', sample: '__mpq_0123456789abcdef0123456789abcdef_ev' } },
    { area: 'local', key: { prefix: 'mp_', sample: 'mp_0123456789abcdef0123456789abcdef_mixpanel' } },
  ],
}
