import type { Vendor } from '../vendor.ts'

export const posthog: Vendor = {
  id: 'posthog',
  kind: 'script',
  name: 'PostHog',
  company: 'PostHog, Inc.',
  country: 'US',
  purpose: 'Mede o uso do site e do produto, com gravação de sessões.',
  category: 'desempenho',
  signs: [/(?:us|eu|app)(?:-assets)?(?:\.i)?\.posthog\.com/i, /\bposthog\.init ?\(/],
  ids: [/\bposthog\.init ?\( ?['"](phc_[A-Za-z0-9]{10,80})['"]/],
  idLabel: 'Chave do projeto (phc_…)',
  sample: {
    code: "posthog.init('phc_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789', {api_host: 'https://us.i.posthog.com'})",
    id: 'phc_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789',
  },
  hosts: { script: ['*.posthog.com'], connect: ['*.posthog.com'] },
  optionalHosts: [
    {
      when: 'toolbar or surveys',
      hosts: { img: ['*.posthog.com'], style: ['*.posthog.com'], font: ['*.posthog.com'] },
    },
  ],
  pageView: { hosts: ['*.posthog.com'], showsId: false },
  conversion: {
    call: 'posthog.capture',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: { lead: ['lead'], contact: ['contact'], sign_up: ['sign_up'] },
  },
  isolated: { needs: 'registra automaticamente os cliques na página' },
  suffixes: ['posthog.com'],
  cookies: [
    {
      name: { pattern: /^ph_phc_[A-Za-z0-9]+_posthog$/, sample: 'ph_phc_AbC123_posthog' },
      duration: '1 ano',
      purpose: 'Identifica o visitante e a sessão no PostHog.',
    },
  ],
  thirdPartyCookies: [],
  storage: [
    { area: 'local', key: { prefix: 'ph_phc_', sample: 'ph_phc_AbC123_posthog' } },
    { area: 'session', key: { prefix: 'ph_phc_', sample: 'ph_phc_AbC123_window_id' } },
  ],
}
