import type { OptionalCategory } from '#contract/consent.ts'

/** A change here is a change of what people agreed to: raise `CONSENT_TEXT_VERSION` with it. */
export const CONSENT_TEXTS = {
  region: 'Cookies',
  question: 'Os cookies essenciais fazem o site funcionar. Os demais só entram se você aceitar.',
  acceptAll: 'Aceitar todos',
  reject: 'Rejeitar não essenciais',
  choose: 'Preferências',
  title: 'Preferências de cookies',
  intro: 'Você decide o que pode ser usado aqui, e muda de ideia quando quiser, pelo rodapé.',
  save: 'Salvar preferências',
  always: 'Sempre ativos',
  unused: 'Nenhum em uso agora.',
  policy: 'Política de Cookies',
  essential: {
    name: 'Essenciais',
    text: 'Fazem o site funcionar e lembram a sua escolha.',
  },
} as const

export const CATEGORY_TEXTS: Record<OptionalCategory, { name: string; text: string }> = {
  desempenho: {
    name: 'Desempenho',
    text: 'Medem visitas e velocidade, para sabermos o que melhorar.',
  },
  funcionalidade: {
    name: 'Funcionalidade',
    text: 'Lembram preferências e ligam recursos extras, como um chat.',
  },
  marketing: {
    name: 'Marketing',
    text: 'Medem anúncios e mostram campanhas a quem já passou por aqui.',
  },
}
