import { SITE_TIME_ZONE } from '#contract/site-time-zone.ts'
import type { Letter } from '../letter.ts'

/** What changed about how a person signs in. */
export type NoticeKind =
  | 'password'
  | 'email'
  | 'factor-added'
  | 'factor-removed'
  | 'recovery-codes'
  | 'passkey-added'
  | 'passkey-removed'
  | 'principal'
  | 'second-step-failed'

/** The person, somebody else with access to the accounts, whoever runs the server, or whoever passed the first step. */
export type WhoActed = 'self' | 'administrator' | 'operator' | 'password-holder'

interface NoticeInput {
  kind: NoticeKind
  by: WhoActed
  at: Date
  place: string
  brandName: string
  /** Null for whoever has no business there. */
  adminUrl: string | null
}

const SUBJECTS: Record<NoticeKind, string> = {
  password: 'Sua senha foi trocada',
  email: 'O e-mail da sua conta foi trocado',
  'factor-added': 'A verificação em duas etapas foi ligada',
  'factor-removed': 'A verificação em duas etapas foi desligada',
  'recovery-codes': 'Seus códigos de recuperação foram trocados',
  'passkey-added': 'Uma chave de acesso foi criada',
  'passkey-removed': 'Uma chave de acesso foi removida',
  principal: 'Sua conta agora é a do administrador principal',
  'second-step-failed': 'Alguém errou o código da sua conta',
}

const FACTS: Record<NoticeKind, string> = {
  password: 'A senha da sua conta foi trocada.',
  email: 'A sua conta passou a usar outro endereço de e-mail. Este deixa de servir para entrar.',
  'factor-added': 'Um aplicativo de códigos passou a fazer parte do seu login.',
  'factor-removed': 'Um aplicativo de códigos deixou de fazer parte do seu login.',
  'recovery-codes': 'Foram gerados novos códigos de recuperação. Os antigos não valem mais.',
  'passkey-added': 'Uma chave de acesso passou a servir para entrar na sua conta, sem a senha.',
  'passkey-removed': 'Uma chave de acesso deixou de servir para entrar na sua conta.',
  principal:
    'A configuração do servidor passou a indicar o seu endereço. A senha foi trocada, a verificação em duas etapas foi desligada e todas as sessões foram encerradas.',
  'second-step-failed':
    'O código da verificação em duas etapas foi digitado errado várias vezes. Sem o código certo ninguém entra, mas quem tentou já passou pela senha.',
}

const ACTORS: Record<WhoActed, string> = {
  self: 'por alguém que entrou na sua conta',
  administrator: 'por outra pessoa que administra as contas',
  operator: 'por quem opera o servidor',
  'password-holder': 'por alguém que passou pela primeira etapa do login',
}

const TIME = new Intl.DateTimeFormat('pt-BR', {
  dateStyle: 'short',
  timeStyle: 'short',
  timeZone: SITE_TIME_ZONE,
})

/** Carries no link that lets anybody in, no code, and of an address only the one that it is sent to. */
export function noticeLetter({ kind, by, at, place, brandName, adminUrl }: NoticeInput): Letter {
  return {
    subject: SUBJECTS[kind],
    paragraphs: [
      `Isto é um aviso sobre a sua conta ${place}.`,
      FACTS[kind],
      `Foi feito em ${TIME.format(at)} (horário de Brasília), ${ACTORS[by]}.`,
    ],
    closing: [
      'Foi você, ou você já sabia? Então não precisa fazer nada.',
      `Não foi você? ${whatToDo(kind, brandName, adminUrl)}`,
    ],
  }
}

/** Whoever lost the address itself can ask for no new password. */
function whatToDo(kind: NoticeKind, brandName: string, adminUrl: string | null): string {
  if (adminUrl === null)
    return kind === 'email'
      ? `Avise agora a equipe de ${brandName}.`
      : `Peça uma nova senha na tela de login e avise a equipe de ${brandName}.`
  return kind === 'email'
    ? 'Avise agora quem administra o painel.'
    : `Abra ${adminUrl}/admin, escolha "Esqueci minha senha" e avise quem administra o painel.`
}
