// A change here is a change of what people agreed to: raise `CONSENT_TEXT_VERSION` with it. Each text is an export of its
// own, so that what only the banner says, which the server renders, is in no script.
export const REGION = 'Cookies'
export const QUESTION = 'Os cookies essenciais fazem o site funcionar. Os demais só entram se você aceitar.'
export const ACCEPT_ALL = 'Aceitar todos'
export const REJECT = 'Rejeitar não essenciais'
export const CHOOSE = 'Preferências'
export const TITLE = 'Preferências de cookies'
export const INTRO = 'Você decide o que pode ser usado aqui, e muda de ideia quando quiser, pelo rodapé.'
export const SAVE = 'Salvar preferências'
export const ALWAYS = 'Sempre ativos.'
export const UNUSED = 'Nenhum em uso agora.'
export const POLICY = 'Política de Cookies'
/** Name and text of what is always on, and then of each of `OPTIONAL_CATEGORIES`, in their order. */
export const KINDS = [
  ['Essenciais', 'Fazem o site funcionar e lembram a sua escolha.'],
  ['Desempenho', 'Medem visitas e velocidade, para sabermos o que melhorar.'],
  ['Funcionalidade', 'Lembram preferências e ligam recursos extras, como um chat.'],
  ['Marketing', 'Medem anúncios e mostram campanhas a quem já passou por aqui.'],
] as const
