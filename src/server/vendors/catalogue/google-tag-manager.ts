import type { Vendor } from '../vendor.ts'

export const googleTagManager: Vendor = {
  id: 'google-tag-manager',
  kind: 'script',
  name: 'Google Tag Manager',
  company: 'Google LLC',
  country: 'US',
  purpose: 'Carrega e organiza outras tags de medição e de publicidade do site.',
  category: 'marketing',
  signs: [
    /googletagmanager\.com\/gtm\.js\?id=/i,
    /googletagmanager\.com\/ns\.html\?id=GTM-/i,
    /['"]gtm\.start['"]/,
  ],
  ids: [/\b(GTM-[A-Z0-9]{4,12})\b/],
  idLabel: 'ID do contêiner (GTM-…)',
  sample: {
    code: "'gtm.start' … www.googletagmanager.com/gtm.js?id=' … 'dataLayer','GTM-ABC1234'",
    id: 'GTM-ABC1234',
  },
  hosts: {
    script: ['www.googletagmanager.com'],
    // A container hides the hosts of its tags; these are in nearly every one.
    connect: [
      '*.googletagmanager.com',
      '*.google-analytics.com',
      '*.analytics.google.com',
      'analytics.google.com',
      '*.g.doubleclick.net',
      'pagead2.googlesyndication.com',
      'www.google.com',
    ],
    img: ['www.googletagmanager.com', '*.google-analytics.com', '*.g.doubleclick.net', 'www.google.com'],
    frame: ['www.googletagmanager.com', 'td.doubleclick.net'],
  },
  optionalHosts: [
    {
      when: 'preview mode is used',
      hosts: {
        script: ['tagmanager.google.com'],
        img: ['ssl.gstatic.com', 'www.gstatic.com'],
        style: ['www.googletagmanager.com', 'tagmanager.google.com', 'fonts.googleapis.com'],
        font: ['fonts.gstatic.com'],
      },
    },
  ],
  pageView: { hosts: ['www.googletagmanager.com'], showsId: true, byScript: true },
  conversion: {
    call: 'dataLayer.push',
    events: { lead: 'site_lead', contact: 'site_contact', sign_up: 'site_sign_up' },
    args: {
      lead: [{ event: 'site_lead', event_id: '$id' }],
      contact: [{ event: 'site_contact', event_id: '$id' }],
      sign_up: [{ event: 'site_sign_up', event_id: '$id' }],
    },
  },
  isolated: { needs: 'carrega outras tags, que costumam precisar da página' },
  suffixes: ['googletagmanager.com', 'tagmanager.google.com'],
  cookies: [],
  thirdPartyCookies: [],
  storage: [],
}
