/** Where a footer link leads: a place of the page, a legal document, or one of the outside addresses. */
export type FooterTarget = `#${string}` | 'compliance' | 'register' | 'whatsapp'

export interface FooterColumn {
  title: string
  links: { label: string; to: FooterTarget }[]
}

export const FOOTER = {
  blurb: 'Gateway de pagamentos para alto volume e nichos de alto risco.',
  city: 'São Paulo, Brasil',
  newsletter: {
    title: 'Taxas, PIX e regras novas, direto no seu e-mail.',
    purpose: 'Usamos o seu e-mail só para enviar a newsletter.',
    /** While an active pixel sends the address as a hash. */
    purposeWithMeta:
      'Usamos o seu e-mail para enviar a newsletter e, se você aceitou os cookies de marketing, para medir anúncios: ele vai à Meta em forma de código (hash).',
    cancel: 'Para cancelar, escreva para',
    label: 'Seu e-mail',
    placeholder: 'voce@empresa.com.br',
    submit: 'Inscrever',
    sending: 'Enviando...',
  },
  preferences: 'Preferências de cookies',
}

export const FOOTER_COLUMNS: FooterColumn[] = [
  {
    title: 'Produtos',
    links: [
      { label: 'Gateway', to: '#gateway' },
      { label: 'Pagamentos móveis', to: '#mobile' },
      { label: 'Saques globais', to: '#global' },
      { label: 'APIs rápidas', to: '#apis' },
    ],
  },
  {
    title: 'Nichos',
    links: [
      { label: 'E-commerce', to: '#ecommerce' },
      { label: 'Gaming', to: '#gaming' },
      { label: 'Educação', to: '#educacao' },
      { label: 'Saúde e bem-estar', to: '#saude' },
    ],
  },
  {
    title: 'Recursos',
    links: [
      { label: 'Benefícios', to: '#benefits' },
      { label: 'Tecnologia', to: '#technology' },
      { label: 'Segurança', to: '#security' },
      { label: 'Análises', to: '#analises' },
    ],
  },
  {
    title: 'Empresa',
    links: [
      { label: 'Sobre', to: '#about' },
      { label: 'Compliance', to: 'compliance' },
      { label: 'Fale conosco', to: 'whatsapp' },
      { label: 'Abra sua conta', to: 'register' },
    ],
  },
]

export function copyrightLine(brandName: string): string {
  return `© 2025 ${brandName}. Todos os direitos reservados.`
}
