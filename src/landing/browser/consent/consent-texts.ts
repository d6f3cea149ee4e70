// A change here changes what people agreed to: raise both versions of the text in `consent-choice.ts` with it. Each text
// is an export of its own, so that scripts do not carry what only the server renders.
export const REGION = 'Cookies'
export const QUESTION =
  'Usamos cookies essenciais para o site funcionar. Os outros, para medir visitas e anúncios, só com a sua permissão.'
export const ACCEPT_ALL = 'Aceitar todos'
export const REJECT = 'Rejeitar não essenciais'
export const CHOOSE = 'Preferências'
export const TITLE = 'Preferências de cookies'
export const INTRO = 'Escolha quais cookies podemos usar. Você pode mudar quando quiser, no rodapé do site.'
export const SAVE = 'Salvar preferências'
export const ALWAYS = 'Sempre ativos.'
export const UNUSED = 'Nenhum em uso agora.'
export const POLICY = 'Política de Cookies'
/** Name and text of what is always on, and then of each of `OPTIONAL_CATEGORIES`, in their order. */
export const KINDS = [
  ['Essenciais', 'Fazem o site funcionar e lembram a sua escolha.'],
  ['Desempenho', 'Medem visitas e velocidade para melhorarmos o site.'],
  ['Funcionalidade', 'Lembram preferências e ativam recursos extras, como o chat.'],
  ['Marketing', 'Medem anúncios e mostram campanhas a quem já visitou o site.'],
] as const
