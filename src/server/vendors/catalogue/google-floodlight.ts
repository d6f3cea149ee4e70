import type { Vendor } from '../vendor.ts'

export const googleFloodlight: Vendor = {
  id: 'google-floodlight',
  kind: 'script',
  name: 'Floodlight',
  company: 'Google LLC',
  country: 'US',
  purpose: 'Registra conversões de campanhas do Campaign Manager 360 e do DV360.',
  category: 'marketing',
  signs: [
    /\.fls\.doubleclick\.net\/activityi/i,
    /ad\.doubleclick\.net\/(?:ddm\/)?activity/i,
    /googletagmanager\.com\/gtag\/js\?id=DC-/i,
    /\bgtag ?\( ?['"]config['"] ?, ?['"]DC-/,
    /send_to['"]? ?: ?['"]DC-/,
  ],
  ids: [/\b(DC-\d{4,12})\b/, /\/\/(\d{4,12})\.fls\.doubleclick\.net/],
  base: /googletagmanager\.com\/gtag\/js\?id=|\bgtag ?\( ?['"]config['"]|fls\.doubleclick\.net|\/activity/i,
  idLabel: 'ID do anunciante Floodlight (DC-…)',
  sample: {
    code: "gtag('config', 'DC-1234567'); gtag('event', 'conversion', {'send_to': 'DC-1234567/grupo/cat+standard'});",
    id: 'DC-1234567',
  },
  hosts: {
    script: ['www.googletagmanager.com'],
    connect: [
      'ad.doubleclick.net',
      'pagead2.googlesyndication.com',
      'www.google.com',
      'www.googleadservices.com',
    ],
    img: [
      'ad.doubleclick.net',
      'ade.googlesyndication.com',
      'adservice.google.com',
      'www.googletagmanager.com',
    ],
    frame: ['{id}.fls.doubleclick.net', 'td.doubleclick.net', 'www.googletagmanager.com'],
  },
  conversion: {
    call: 'gtag',
    events: { lead: '$label', contact: '$label', sign_up: '$label' },
    args: {
      lead: [
        'event',
        'conversion',
        { allow_custom_scripts: false, send_to: '$account/$label+standard', transport_type: 'beacon' },
      ],
      contact: [
        'event',
        'conversion',
        { allow_custom_scripts: false, send_to: '$account/$label+standard', transport_type: 'beacon' },
      ],
      sign_up: [
        'event',
        'conversion',
        { allow_custom_scripts: false, send_to: '$account/$label+standard', transport_type: 'beacon' },
      ],
    },
    label: { name: 'Grupo e atividade do Floodlight', example: 'grupo/atividade' },
  },
  suffixes: ['fls.doubleclick.net', 'ad.doubleclick.net', 'ade.googlesyndication.com'],
  cookies: [
    {
      name: { exact: '_gcl_dc' },
      duration: '90 dias',
      purpose: 'Guarda o clique em anúncio do Campaign Manager para conversões.',
    },
    {
      name: { exact: '_gcl_au' },
      duration: '90 dias',
      purpose: 'Liga a visita ao clique em anúncio do Google (conversões).',
    },
  ],
  thirdPartyCookies: [{ name: 'IDE', domain: 'doubleclick.net', duration: '13 a 24 meses' }],
  storage: [],
}
