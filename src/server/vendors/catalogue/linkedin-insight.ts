import type { Vendor } from '../vendor.ts'

export const linkedinInsight: Vendor = {
  id: 'linkedin-insight',
  kind: 'script',
  name: 'LinkedIn Insight Tag',
  company: 'LinkedIn Corporation (Microsoft)',
  country: 'US',
  purpose: 'Mede conversões e cria públicos para anúncios no LinkedIn.',
  category: 'marketing',
  signs: [
    /snap\.licdn\.com\/li\.lms-analytics\/insight/i,
    /px\.ads\.linkedin\.com\/collect/i,
    /_linkedin_(?:data_)?partner_ids?/,
  ],
  ids: [/_linkedin_partner_id ?= ?['"](\d{3,12})['"]/, /px\.ads\.linkedin\.com\/collect\/?\?pid=(\d{3,12})/],
  idLabel: 'ID do parceiro (Partner ID)',
  sample: {
    code: '_linkedin_partner_id = "1234567"; … snap.licdn.com/li.lms-analytics/insight.min.js',
    id: '1234567',
  },
  hosts: {
    script: ['snap.licdn.com'],
    connect: ['px.ads.linkedin.com', 'px4.ads.linkedin.com'],
    img: ['px.ads.linkedin.com', 'px4.ads.linkedin.com', 'www.linkedin.com'],
  },
  optionalHosts: [
    {
      when: 'older tags (identity partner, Oribi events)',
      hosts: {
        script: ['cdn.linkedin.oribi.io'],
        connect: ['cdn.linkedin.oribi.io', 'gw.linkedin.oribi.io'],
        img: ['p.adsymptotic.com'],
      },
    },
  ],
  pageView: { hosts: ['px.ads.linkedin.com', 'px4.ads.linkedin.com'], showsId: true },
  conversion: {
    call: 'lintrk',
    events: { lead: '$label', contact: '$label', sign_up: '$label' },
    args: {
      lead: ['track', { conversion_id: '$label', event_id: '$id' }],
      contact: ['track', { conversion_id: '$label', event_id: '$id' }],
      sign_up: ['track', { conversion_id: '$label', event_id: '$id' }],
    },
    label: { name: 'ID da conversão (conversion_id)', example: '12345678' },
  },
  isolated: 'works',
  suffixes: [
    'licdn.com',
    'ads.linkedin.com',
    'linkedin.com',
    'linkedin.oribi.io',
    'oribi.io',
    'adsymptotic.com',
  ],
  cookies: [
    {
      name: { exact: 'li_fat_id' },
      duration: '30 dias',
      purpose: 'Guarda o clique no anúncio do LinkedIn para medir conversões.',
    },
    {
      name: { exact: 'li_giant' },
      duration: '7 dias',
      purpose: 'Identifica grupos de membros do LinkedIn para conversões.',
    },
    {
      name: { exact: 'ln_or' },
      duration: '1 dia',
      purpose: 'Indica se a análise do LinkedIn pode ocorrer neste domínio.',
    },
  ],
  thirdPartyCookies: [
    { name: 'bcookie', domain: 'linkedin.com', duration: '1 ano' },
    { name: 'UserMatchHistory', domain: 'linkedin.com', duration: '30 dias' },
    { name: 'AnalyticsSyncHistory', domain: 'linkedin.com', duration: '30 dias' },
    { name: 'li_sugr', domain: 'linkedin.com', duration: '90 dias' },
    { name: 'lidc', domain: 'linkedin.com', duration: '1 dia' },
  ],
  storage: [{ area: 'local', key: { exact: 'li_adsId' } }],
}
