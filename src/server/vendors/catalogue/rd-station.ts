import type { Vendor } from '../vendor.ts'

export const rdStation: Vendor = {
  id: 'rd-station',
  kind: 'script',
  name: 'RD Station Marketing',
  company: 'RD Gestão e Sistemas S.A. (grupo TOTVS)',
  country: 'BR',
  purpose: 'Captura contatos e acompanha páginas vistas para automação de marketing.',
  category: 'marketing',
  signs: [
    /d335luupugsy2\.cloudfront\.net\/js\//i,
    /\.rdstation\.com(?:\.br)?\//i,
    /\bRDStationForms\b/,
    /\bRdIntegration\b/,
  ],
  ids: [
    /loader-scripts\/([0-9a-f]{8}-[0-9a-f-]{27})-loader\.js/,
    /new RDStationForms ?\( ?['"]([a-z0-9-]{8,120})['"]/,
  ],
  idLabel: 'ID do código de monitoramento (ou do formulário)',
  sample: {
    code: '<script async src="https://d335luupugsy2.cloudfront.net/js/loader-scripts/01234567-89ab-4cde-8f01-23456789abcd-loader.js">',
    id: '01234567-89ab-4cde-8f01-23456789abcd',
  },
  hosts: {
    script: ['d335luupugsy2.cloudfront.net'],
    connect: [
      'pageview-notify.rdstation.com.br',
      'popups.rdstation.com.br',
      'event-api.rdstation.com.br',
      'cta-redirect.rdstation.com',
      'cidades.rdstation.com.br',
      'd335luupugsy2.cloudfront.net',
    ],
    img: ['d335luupugsy2.cloudfront.net'],
    style: ['fonts.googleapis.com'],
    font: ['fonts.gstatic.com'],
    form: ['cta-redirect.rdstation.com', 'event-api.rdstation.com.br'],
  },
  optionalHosts: [
    {
      when: 'older forms and integrations',
      hosts: { script: ['www.rdstation.com.br'], connect: ['www.rdstation.com.br', 'app.rdstation.com.br'] },
    },
  ],
  pageView: { hosts: ['pageview-notify.rdstation.com.br'], showsId: false },
  isolated: { needs: 'lê os formulários da página e abre pop-ups' },
  suffixes: ['d335luupugsy2.cloudfront.net', 'rdstation.com.br', 'rdstation.com', 'rd.services'],
  cookies: [
    {
      name: { exact: 'rdtrk' },
      duration: '1 ano',
      purpose: 'Guarda as páginas vistas pelo visitante (Lead Tracking).',
    },
    {
      name: { exact: '_rdtrk' },
      duration: '1 ano',
      purpose: 'Guarda as páginas vistas pelo visitante (Lead Tracking).',
    },
    { name: { exact: '__trf.src' }, duration: '2 anos', purpose: 'Guarda a origem da visita ao site.' },
    {
      name: { exact: '_rd_experiment_version' },
      duration: '1 ano',
      purpose: 'Mantém a mesma versão de um teste A/B.',
    },
    {
      name: { exact: '_form_fields' },
      duration: '3 meses',
      purpose: 'Preenche campos de formulário já respondidos.',
    },
    {
      name: { exact: '_rdlps_pp' },
      duration: '6 meses',
      purpose: 'Evita repetir perguntas em formulários inteligentes.',
    },
    {
      name: { pattern: /^rdstation-popup-.+-viewed$/, sample: 'rdstation-popup-123-viewed' },
      duration: '1 dia a 3 meses',
      purpose: 'Evita repetir o mesmo pop-up em pouco tempo.',
    },
    {
      name: { pattern: /^_(?:rd|sp)_wa_(?:first_session_|ses_)?id\..+$/, sample: '_rd_wa_ses_id.ab12' },
      duration: '30 minutos',
      purpose: 'Identifica a visita para a análise do site.',
    },
    {
      name: { pattern: /^_(?:rd|sp)_wa_first_session.*$/, sample: '_rd_wa_first_session_id.ab12' },
      duration: '30 minutos',
      purpose: 'Guarda a origem da primeira visita.',
    },
    {
      name: { prefix: '_sp_root_domain_test_', sample: '_sp_root_domain_test_1' },
      duration: 'sessão',
      purpose: 'Descobre o domínio principal do site.',
    },
  ],
  thirdPartyCookies: [],
  storage: [],
}
