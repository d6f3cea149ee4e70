export const NAVIGATION = [
  { id: 'home', label: 'Início' },
  { id: 'about', label: 'Sobre' },
  { id: 'services', label: 'Serviços' },
  { id: 'niches', label: 'Nichos' },
  { id: 'contact', label: 'Contato' },
] as const

export const LOGIN_LABEL = 'Acessar Conta'
export const REGISTER_LABEL = 'Abrir Conta'
export const SPECIALIST_LABEL = 'Falar com Especialista'
