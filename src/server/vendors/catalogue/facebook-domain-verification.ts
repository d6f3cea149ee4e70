import type { Vendor } from '../vendor.ts'

export const facebookDomainVerification: Vendor = {
  id: 'facebook-domain-verification',
  kind: 'meta',
  name: 'Verificação de domínio da Meta',
  company: 'Meta Platforms, Inc.',
  country: 'US',
  purpose: 'Confirma para a Meta que o domínio é seu. Não coleta dados de visitantes.',
  category: null,
  signs: [/<meta [^<>]*name=['"]facebook-domain-verification['"]/i],
  ids: [
    /name=['"]facebook-domain-verification['"] content=['"]([a-z0-9]{20,60})['"]/i,
    /content=['"]([a-z0-9]{20,60})['"] name=['"]facebook-domain-verification['"]/i,
  ],
  idLabel: 'Código de verificação',
  sample: {
    code: '<meta name="facebook-domain-verification" content="abcdefghij0123456789klmnopqrst" />',
    id: 'abcdefghij0123456789klmnopqrst',
  },
  hosts: {},
  suffixes: [],
  cookies: [],
  thirdPartyCookies: [],
  storage: [],
  advice:
    'Este código não é um script: ele confirma para a Meta que o domínio é seu. Entra no HTML da página inicial e não depende de consentimento. Salve com o pixel ativo e clique em Verificar no Gerenciador de Negócios da Meta.',
}
