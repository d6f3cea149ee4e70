import type { Vendor } from '../vendor.ts'

export const googleSiteVerification: Vendor = {
  id: 'google-site-verification',
  kind: 'meta',
  name: 'Verificação do Google',
  company: 'Google LLC',
  country: 'US',
  purpose: 'Confirma para o Google que o site é seu. Não coleta dados de visitantes.',
  category: null,
  signs: [/<meta [^<>]*name=['"]google-site-verification['"]/i],
  ids: [
    /name=['"]google-site-verification['"] content=['"]([\w-]{20,80})['"]/i,
    /content=['"]([\w-]{20,80})['"] name=['"]google-site-verification['"]/i,
  ],
  idLabel: 'Código de verificação',
  sample: {
    code: '<meta name="google-site-verification" content="AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdEFG">',
    id: 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdEFG',
  },
  hosts: {},
  suffixes: [],
  cookies: [],
  thirdPartyCookies: [],
  storage: [],
  advice:
    'Este código não é um script: ele confirma para o Google que o site é seu. Entra no HTML da página inicial e não depende de consentimento. Mantenha ativo depois de verificar, porque o Google confere de novo. Se preferir, use o registro DNS.',
}
