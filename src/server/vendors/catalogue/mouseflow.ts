import type { Vendor } from '../vendor.ts'

export const mouseflow: Vendor = {
  id: 'mouseflow',
  kind: 'script',
  name: 'Mouseflow',
  company: 'Mouseflow ApS',
  country: 'DK',
  purpose: 'Grava sessões, mapas de calor e formulários para melhorar o site.',
  category: 'desempenho',
  signs: [/cdn\.mouseflow\.com\/projects\//i, /\b_mfq\b/],
  ids: [/mouseflow\.com\/projects\/([0-9a-f]{8}-[0-9a-f-]{27})\.js/],
  idLabel: 'ID do projeto Mouseflow',
  sample: {
    code: 'window._mfq = window._mfq || []; … //cdn.mouseflow.com/projects/01234567-89ab-4cde-8f01-23456789abcd.js',
    id: '01234567-89ab-4cde-8f01-23456789abcd',
  },
  hosts: {
    script: ['cdn.mouseflow.com', '*.mouseflow.com'],
    connect: ['*.mouseflow.com'],
    img: ['*.mouseflow.com'],
    frame: ['*.mouseflow.com'],
    font: ['*.mouseflow.com'],
  },
  conversion: {
    call: '_mfq.push',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: { lead: [['tag', 'lead']], contact: [['tag', 'contact']], sign_up: [['tag', 'sign_up']] },
  },
  isolated: { needs: 'grava o que acontece na página' },
  suffixes: ['mouseflow.com'],
  cookies: [
    {
      name: { exact: 'mf_user' },
      duration: '90 dias',
      purpose: 'Indica se o visitante é novo ou já esteve no site.',
    },
    {
      name: { pattern: /^mf_[0-9a-f]{8}-[0-9a-f-]{27}$/, sample: 'mf_01234567-89ab-4cde-8f01-23456789abcd' },
      duration: 'sessão',
      purpose: 'Identifica a sessão atual na gravação do Mouseflow.',
    },
  ],
  thirdPartyCookies: [],
  storage: [],
}
