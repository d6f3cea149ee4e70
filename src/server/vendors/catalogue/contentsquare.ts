import type { Vendor } from '../vendor.ts'

export const contentsquare: Vendor = {
  id: 'contentsquare',
  kind: 'script',
  name: 'Contentsquare',
  company: 'Content Square SAS',
  country: 'FR',
  purpose: 'Analisa cliques, rolagem e sessões para melhorar a experiência do site.',
  category: 'desempenho',
  signs: [/t\.contentsquare\.net\/uxa\//i, /\b_uxa\b/],
  ids: [/contentsquare\.net\/uxa\/([0-9a-f]{8,20})\.js/],
  idLabel: 'ID da tag Contentsquare',
  sample: {
    code: 'window._uxa = window._uxa || []; … t.contentsquare.net/uxa/0123456789abc.js',
    id: '0123456789abc',
  },
  hosts: {
    script: ['*.contentsquare.net', 'app.contentsquare.com'],
    connect: ['*.contentsquare.net', '*.contentsquare.com'],
    img: ['*.contentsquare.net'],
  },
  optionalHosts: [{ when: 'cross-domain tracking', hosts: { frame: ['csxd.{crossdomain}'] } }],
  conversion: {
    call: '_uxa.push',
    events: { lead: 'lead', contact: 'contact', sign_up: 'sign_up' },
    args: {
      lead: [['trackPageEvent', 'lead']],
      contact: [['trackPageEvent', 'contact']],
      sign_up: [['trackPageEvent', 'sign_up']],
    },
  },
  isolated: { needs: 'grava o que acontece na página' },
  suffixes: ['contentsquare.net', 'contentsquare.com', 'content-square.net'],
  cookies: [
    {
      name: { exact: '_cs_c' },
      duration: '13 meses',
      purpose: 'Guarda o estado de consentimento no Contentsquare.',
    },
    { name: { exact: '_cs_id' }, duration: '13 meses', purpose: 'Identifica o visitante no Contentsquare.' },
    {
      name: { exact: '_cs_s' },
      duration: '30 minutos',
      purpose: 'Conta páginas e estado da gravação na sessão.',
    },
    {
      name: { exact: '_cs_cvars' },
      duration: 'sessão',
      purpose: 'Guarda variáveis da página no Contentsquare.',
    },
    { name: { exact: '_cs_ex' }, duration: '30 dias', purpose: 'Indica que a visita ficou fora da amostra.' },
    { name: { exact: '_cs_rl' }, duration: '1 ano', purpose: 'Guarda links de gravação para integrações.' },
    {
      name: { pattern: /^_cs_mk(_[a-z]+)?$/, sample: '_cs_mk_ga' },
      duration: '30 minutos',
      purpose: 'Liga a sessão a outra ferramenta de análise.',
    },
    {
      name: { exact: '_cs_root-domain' },
      duration: 'sessão',
      purpose: 'Descobre o domínio principal do site.',
    },
  ],
  thirdPartyCookies: [],
  storage: [{ area: 'local', key: { pattern: /^_cs_(?!optout$)/, sample: '_cs_tld' } }],
}
