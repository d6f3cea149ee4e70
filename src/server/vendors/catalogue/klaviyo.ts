import type { Vendor } from '../vendor.ts'

export const klaviyo: Vendor = {
  id: 'klaviyo',
  kind: 'script',
  name: 'Klaviyo',
  company: 'Klaviyo, Inc.',
  country: 'US',
  purpose: 'Acompanha visitas e formulários para e-mail e SMS de lojas.',
  category: 'marketing',
  signs: [/static\.klaviyo\.com\/onsite\/js\//i, /\b_learnq\b/],
  ids: [/klaviyo\.js\?company_id=([A-Za-z0-9]{6})\b/, /onsite\/js\/([A-Za-z0-9]{6})\/klaviyo\.js/],
  idLabel: 'Chave pública (Company ID)',
  sample: {
    code: '<script async src="https://static.klaviyo.com/onsite/js/klaviyo.js?company_id=AbC123">',
    id: 'AbC123',
  },
  hosts: {
    script: ['static.klaviyo.com', 'static-tracking.klaviyo.com', 'static-forms.klaviyo.com'],
    connect: [
      'a.klaviyo.com',
      'fast.a.klaviyo.com',
      'static-tracking.klaviyo.com',
      'static-forms.klaviyo.com',
      'static-app.klaviyo.com',
    ],
    img: ['d3k81ch9hvuctc.cloudfront.net', 'a.klaviyo.com'],
    frame: ['static-forms.klaviyo.com'],
    style: ['static.klaviyo.com'],
  },
  pageView: { hosts: ['a.klaviyo.com', 'fast.a.klaviyo.com'], showsId: false },
  conversion: {
    call: 'klaviyo.track',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: { lead: ['lead'], contact: ['contact'], sign_up: ['sign_up'] },
  },
  isolated: { needs: 'lê os formulários da página e abre pop-ups' },
  suffixes: ['klaviyo.com', 'd3k81ch9hvuctc.cloudfront.net'],
  cookies: [
    { name: { exact: '__kla_id' }, duration: '2 anos', purpose: 'Identifica o visitante no Klaviyo.' },
  ],
  thirdPartyCookies: [],
  storage: [
    { area: 'local', key: { exact: 'klaviyoOnsite' } },
    { area: 'local', key: { exact: '__kla_viewed' } },
    { area: 'local', key: { exact: '__kla_viewed_reviewed_items' } },
    { area: 'local', key: { exact: 'postIdentificationSync' } },
    { area: 'session', key: { exact: 'klaviyoPagesVisitCount' } },
    { area: 'session', key: { exact: 'klSessionId' } },
  ],
}
