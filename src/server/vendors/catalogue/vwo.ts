import type { Vendor } from '../vendor.ts'

export const vwo: Vendor = {
  id: 'vwo',
  kind: 'script',
  name: 'VWO',
  company: 'Wingify Software Pvt. Ltd.',
  country: 'IN',
  purpose: 'Testa versões diferentes das páginas e mede qual funciona melhor.',
  category: 'desempenho',
  signs: [/dev\.visualwebsiteoptimizer\.com\//i, /\b_vwo_code\b/, /id=['"]vwoCode['"]/],
  ids: [/\baccount_id ?= ?(\d{3,10})/, /visualwebsiteoptimizer\.com\/(?:lib\/|j\.php\?a=)(\d{3,10})/],
  idLabel: 'ID da conta VWO',
  sample: {
    code: "<script id='vwoCode'> window._vwo_code … account_id=123456 … dev.visualwebsiteoptimizer.com/j.php?a=",
    id: '123456',
  },
  hosts: {
    script: ['*.visualwebsiteoptimizer.com', 'app.vwo.com'],
    connect: ['*.visualwebsiteoptimizer.com', 'app.vwo.com'],
    img: ['*.visualwebsiteoptimizer.com', 'app.vwo.com', 'useruploads.vwo.io'],
    frame: ['*.visualwebsiteoptimizer.com', 'app.vwo.com'],
    style: ['*.visualwebsiteoptimizer.com', 'app.vwo.com'],
  },
  optionalHosts: [
    {
      when: 'VWO Engage (push)',
      hosts: { script: ['cdn.pushcrew.com'], img: ['cdn.pushcrew.com'], style: ['cdn.pushcrew.com'] },
    },
  ],
  isolated: { needs: 'muda o que a página mostra' },
  suffixes: ['visualwebsiteoptimizer.com', 'vwo.com', 'vwo.io', 'wingify.com', 'pushcrew.com'],
  cookies: [
    {
      name: { exact: '_vwo_uuid_v2' },
      duration: '1 ano',
      purpose: 'Identifica o visitante nos testes do VWO.',
    },
    { name: { exact: '_vwo_uuid' }, duration: '1 ano', purpose: 'Identifica o visitante nos testes do VWO.' },
    {
      name: { exact: '_vwo_ds' },
      duration: '2 meses',
      purpose: 'Guarda dados da visita para os testes do VWO.',
    },
    {
      name: { exact: '_vwo_sn' },
      duration: '30 minutos',
      purpose: 'Guarda dados da sessão para os testes do VWO.',
    },
    {
      name: { exact: '_vwo_referrer' },
      duration: 'sessão',
      purpose: 'Guarda a página de origem durante um teste.',
    },
    {
      name: { exact: '_vis_opt_s' },
      duration: '100 dias',
      purpose: 'Conta as visitas do navegador nos testes.',
    },
    {
      name: { exact: '_vis_opt_test_cookie' },
      duration: 'sessão',
      purpose: 'Verifica se o navegador aceita cookies.',
    },
    {
      name: { prefix: '_vis_opt_exp_', sample: '_vis_opt_exp_1_combi' },
      duration: '100 dias',
      purpose: 'Guarda a versão do teste mostrada à pessoa.',
    },
  ],
  thirdPartyCookies: [{ name: '_vwo_ssm', domain: 'dev.visualwebsiteoptimizer.com', duration: '10 anos' }],
  storage: [{ area: 'local', key: { prefix: '_vwo_', sample: '_vwo_store' } }],
}
