import type { Vendor } from '../vendor.ts'

export const segment: Vendor = {
  id: 'segment',
  kind: 'script',
  name: 'Twilio Segment',
  company: 'Twilio Inc.',
  country: 'US',
  purpose: 'Coleta eventos do site e os envia a outras ferramentas.',
  category: 'desempenho',
  signs: [/cdn\.segment\.com\/analytics\.js\/v1\//i, /\banalytics\.(?:SNIPPET_VERSION|_writeKey)\b/],
  ids: [
    /\banalytics\.load ?\( ?['"]([A-Za-z0-9]{20,40})['"]/,
    /cdn\.segment\.com\/analytics\.js\/v1\/([A-Za-z0-9]{20,40})\//,
  ],
  idLabel: 'Write key da fonte',
  sample: {
    code: 'analytics.SNIPPET_VERSION="5.2.0"; … cdn.segment.com/analytics.js/v1/ … analytics.load("AbCdEfGhIjKlMnOpQrStUvWxYz012345"); analytics.page();',
    id: 'AbCdEfGhIjKlMnOpQrStUvWxYz012345',
  },
  hosts: { script: ['cdn.segment.com'], connect: ['cdn.segment.com', 'api.segment.io'] },
  optionalHosts: [{ when: 'European workspace', hosts: { connect: ['events.eu1.segmentapis.com'] } }],
  pageView: { hosts: ['api.segment.io'], showsId: false },
  conversion: {
    call: 'analytics.track',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: { lead: ['lead'], contact: ['contact'], sign_up: ['sign_up'] },
  },
  isolated: 'works',
  suffixes: ['segment.com', 'segment.io', 'segmentapis.com'],
  cookies: [
    {
      name: { exact: 'ajs_anonymous_id' },
      duration: '1 ano',
      purpose: 'Identifica o visitante anônimo no Segment.',
    },
    {
      name: { exact: 'ajs_user_id' },
      duration: '1 ano',
      purpose: 'Identifica a pessoa cadastrada no Segment.',
    },
    {
      name: { exact: 'ajs_group_id' },
      duration: '1 ano',
      purpose: 'Identifica o grupo da pessoa no Segment.',
    },
  ],
  thirdPartyCookies: [],
  storage: [
    { area: 'local', key: { exact: 'ajs_anonymous_id' } },
    { area: 'local', key: { exact: 'ajs_user_id' } },
    { area: 'local', key: { exact: 'ajs_user_traits' } },
    { area: 'local', key: { exact: 'ajs_group_id' } },
    { area: 'local', key: { exact: 'ajs_group_properties' } },
  ],
}
