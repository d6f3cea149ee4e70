import type { Vendor } from '../vendor.ts'

export const insider: Vendor = {
  id: 'insider',
  kind: 'script',
  name: 'Insider',
  company: 'Insider SG Pte. Ltd.',
  country: 'SG',
  purpose: 'Personaliza o site e envia mensagens com base na navegação.',
  category: 'marketing',
  signs: [/\.api\.useinsider\.com\/ins\.js/i, /\binsider_object\b/, /\bInsiderQueue\b/],
  ids: [/useinsider\.com\/ins\.js\?id=(\d{5,12})/],
  idLabel: 'ID do parceiro Insider',
  extra: [{ label: 'Nome do parceiro', pattern: /\/\/([a-z0-9-]+)\.api\.useinsider\.com/ }],
  sample: {
    code: '<script async src="https://minhaloja.api.useinsider.com/ins.js?id=10001234">',
    id: '10001234',
  },
  hosts: {
    script: ['*.useinsider.com', '*.api.useinsider.com'],
    connect: ['*.useinsider.com', '*.api.useinsider.com', 'wss://*.useinsider.com'],
    img: ['*.useinsider.com', '*.api.useinsider.com'],
    frame: ['*.useinsider.com', '*.api.useinsider.com'],
    style: ['*.useinsider.com', '*.api.useinsider.com'],
    font: ['*.useinsider.com', '*.api.useinsider.com'],
  },
  isolated: { needs: 'muda o que a página mostra' },
  suffixes: ['useinsider.com', 'insiderone.com'],
  cookies: [
    {
      name: { exact: 'ins-test-cookie' },
      duration: 'sessão',
      purpose: 'Verifica se o navegador aceita cookies.',
    },
  ],
  thirdPartyCookies: [],
  storage: [
    { area: 'local', key: { prefix: 'ins-', sample: 'ins-cart-product-list' } },
    { area: 'local', key: { exact: 'insCustomAttributes' } },
    { area: 'local', key: { exact: 'insUserPermissionGranted' } },
    { area: 'local', key: { exact: 'first-permission-impression' } },
    { area: 'local', key: { exact: 'paid-products' } },
  ],
}
