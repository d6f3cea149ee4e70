import type { Vendor } from '../vendor.ts'

export const taboolaPixel: Vendor = {
  id: 'taboola-pixel',
  kind: 'script',
  name: 'Taboola Pixel',
  company: 'Taboola.com Ltd.',
  country: 'IL',
  purpose: 'Mede conversões e cria públicos para anúncios nativos da Taboola.',
  category: 'marketing',
  signs: [/cdn\.taboola\.com\/libtrc\//i, /trc\.taboola\.com\//i, /\b_tfa\b/],
  ids: [/taboola\.com\/libtrc\/unip\/(\d{4,12})\/tfa\.js/, /_tfa\.push\(\{[^{}]*\bid ?: ?['"]?(\d{4,12})/],
  idLabel: 'ID da conta Taboola',
  sample: {
    code: "window._tfa.push({notify: 'event', name: 'page_view', id: 1234567}); … cdn.taboola.com/libtrc/unip/1234567/tfa.js",
    id: '1234567',
  },
  hosts: {
    script: ['cdn.taboola.com', 'trc.taboola.com'],
    connect: [
      'trc.taboola.com',
      'trc-events.taboola.com',
      'pips.taboola.com',
      'psb.taboola.com',
      'cds.taboola.com',
    ],
    img: ['trc.taboola.com'],
  },
  pageView: { hosts: ['trc.taboola.com', 'trc-events.taboola.com'], showsId: true },
  conversion: {
    call: '_tfa.push',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: {
      lead: [{ notify: 'event', name: 'lead', id: '$account' }],
      contact: [{ notify: 'event', name: 'contact', id: '$account' }],
      sign_up: [{ notify: 'event', name: 'sign_up', id: '$account' }],
    },
  },
  isolated: 'works',
  suffixes: ['taboola.com', 'taboolasyndication.com', 'api-taboola.com'],
  cookies: [
    {
      name: { exact: 't_gid' },
      duration: '13 meses',
      purpose: 'Identifica o navegador para anúncios da Taboola.',
    },
    {
      name: { exact: 't_pt_gid' },
      duration: '1 ano',
      purpose: 'Identifica o navegador para anúncios da Taboola.',
    },
    {
      name: { exact: 'taboola_session_id' },
      duration: 'sessão',
      purpose: 'Identifica a sessão para anúncios da Taboola.',
    },
    {
      name: { exact: 'trc_cookie_storage' },
      duration: '1 ano',
      purpose: 'Guarda o identificador da Taboola neste site.',
    },
    {
      name: { exact: '_tb_sess_r' },
      duration: '30 minutos',
      purpose: 'Guarda a origem da sessão para a Taboola.',
    },
    {
      name: { exact: '_tb_t_ppg' },
      duration: '30 minutos',
      purpose: 'Guarda a página anterior para a Taboola.',
    },
  ],
  thirdPartyCookies: [{ name: 't_gid', domain: 'taboola.com', duration: '13 meses' }],
  storage: [
    { area: 'local', key: { prefix: 'taboola global:', sample: 'taboola global:user-id' } },
    { area: 'local', key: { exact: 'tbl_rtus_id' } },
  ],
}
