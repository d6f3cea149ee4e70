import { SITE_TIME_ZONE } from '#contract/site.ts'
import type { Email, EmailInput } from '../mail/email.ts'
import type { TokenKind } from './one-time-tokens/tokens.ts'

const LINK_ENDS = 'O link vale por 1 hora e só pode ser usado uma vez.'
const BOTH_END = 'O link e o código valem por 1 hora e só podem ser usados uma vez.'
const BOTH_CONFIRM = 'A alteração só vale depois que os dois endereços confirmarem: o atual e o novo.'

/**
 * Emails with a one-time token. The dashboard has a field for the code of two of them; people without a role use
 * another application, which may ask for any code.
 */
export const TOKEN_EMAILS: Record<TokenKind, (input: EmailInput) => Email> = {
  signup: (input) => ({
    subject: 'Confirme seu e-mail',
    preview: `Falta um passo para usar sua conta ${input.place}.`,
    paragraphs: [`Falta um passo para usar sua conta ${input.place}: confirme que este e-mail é seu.`],
    action: { label: 'Confirmar e-mail', url: input.url },
    ...codeForOtherApplication(input),
    closing: [LINK_ENDS, 'Não criou uma conta? Ignore este e-mail.'],
  }),
  invite: (input) => ({
    subject: `Você recebeu um convite para ${input.brandName}`,
    preview: 'Crie sua senha para começar. O convite vale por 1 hora.',
    paragraphs: [`Você recebeu um convite para ter uma conta ${input.place}. Crie sua senha para começar.`],
    action: { label: 'Criar minha senha', url: input.url },
    ...codeForOtherApplication(input),
    closing: [
      `${LINK_ENDS} Passou do prazo? Peça outro convite a quem convidou você.`,
      'Não esperava este convite? Ignore este e-mail.',
    ],
  }),
  magiclink: (input) => ({
    subject: 'Seu link para entrar',
    preview: 'Entre sem digitar a senha. O link vale por 1 hora.',
    paragraphs: [`Use o botão abaixo para entrar na sua conta ${input.place} sem digitar a senha.`],
    action: { label: input.isAdministrator ? 'Entrar no painel' : 'Entrar', url: input.url },
    ...codeForOtherApplication(input),
    closing: [
      `${LINK_ENDS} Não compartilhe com ninguém.`,
      'Não foi você? Ignore este e-mail. Ninguém entra na sua conta sem ele.',
    ],
  }),
  recovery: ({ place, url, code, isAdministrator }) => ({
    subject: 'Crie uma nova senha',
    preview: 'O link vale por 1 hora. Não foi você? Sua senha continua a mesma.',
    paragraphs: [`Recebemos um pedido para criar uma nova senha para a sua conta ${place}.`],
    action: { label: 'Criar nova senha', url },
    code: {
      lead: isAdministrator
        ? 'Ou digite este código na tela "Confira seu e-mail":'
        : 'Se o aplicativo pedir um código, digite:',
      digits: code,
    },
    closing: [BOTH_END, 'Não foi você? Ignore este e-mail: sua senha continua a mesma.'],
  }),
  email_change_current: (input) => ({
    subject: 'Confirme a alteração do seu e-mail',
    preview: `Novo endereço: ${input.newEmail}. Não foi você? Não confirme.`,
    paragraphs: [
      `Recebemos um pedido para alterar o e-mail da sua conta ${input.place} para ${input.newEmail}.`,
      BOTH_CONFIRM,
    ],
    action: { label: 'Confirmar alteração', url: input.url },
    ...codeForOtherApplication(input),
    closing: [
      LINK_ENDS,
      'Não foi você? Não confirme e altere sua senha agora: outra pessoa pode ter acesso à sua conta.',
    ],
  }),
  email_change_new: (input) => ({
    subject: 'Confirme seu novo e-mail',
    preview: `Falta confirmar este endereço na sua conta ${input.place}.`,
    paragraphs: [
      `Alguém pediu para usar este endereço como o novo e-mail de uma conta ${input.place}.`,
      BOTH_CONFIRM,
    ],
    action: { label: 'Confirmar este e-mail', url: input.url },
    ...codeForOtherApplication(input),
    closing: [LINK_ENDS, 'Não reconhece essa conta? Ignore este e-mail: nada muda.'],
  }),
  reauthentication: ({ place, code }) => ({
    subject: 'Seu código de confirmação',
    preview: 'Digite o código para confirmar que é você. Ele vale por 1 hora.',
    paragraphs: [`Use este código para confirmar que é você na sua conta ${place}.`],
    code: { lead: 'Seu código:', digits: code },
    closing: [
      'O código vale por 1 hora e só pode ser usado uma vez. Não compartilhe com ninguém.',
      'Não foi você? Altere sua senha agora: outra pessoa pode ter acesso à sua conta.',
    ],
  }),
}

function codeForOtherApplication({ isAdministrator, code }: EmailInput): Pick<Email, 'code'> {
  return isAdministrator ? {} : { code: { lead: 'Se o aplicativo pedir um código, digite:', digits: code } }
}

/** What changed about a person's sign-in. */
export type NoticeKind =
  | 'password'
  | 'email'
  | 'factor-added'
  | 'factor-removed'
  | 'factors-removed'
  | 'recovery-codes'
  | 'passkey-added'
  | 'passkey-removed'
  | 'principal'
  | 'second-step-failed'

/** The person, another administrator, the operator, or somebody who knows the password. */
export type WhoActed = 'self' | 'administrator' | 'operator' | 'password-holder'

export interface NoticeInput {
  kind: NoticeKind
  by: WhoActed
  at: Date
  place: string
  brandName: string
  /** Verified factors of the account after the change. */
  factors: number
  /** Null for people without a role, who cannot use the dashboard. */
  adminUrl: string | null
}

interface NoticeText {
  subject: string
  fact: string
}

const NOTICES: Record<NoticeKind, (input: NoticeInput) => NoticeText> = {
  password: ({ place }) => ({
    subject: 'Sua senha foi alterada',
    fact: `A senha da sua conta ${place} foi alterada.`,
  }),
  email: ({ place }) => ({
    subject: 'O e-mail da sua conta mudou',
    fact: `Sua conta ${place} agora usa outro e-mail. Este endereço não serve mais para entrar.`,
  }),
  'factor-added': ({ place, factors }) =>
    factors > 1
      ? {
          subject: 'Novo método na verificação em duas etapas',
          fact: `A verificação em duas etapas da sua conta ${place} tem mais um método.`,
        }
      : {
          subject: 'Verificação em duas etapas ativada',
          fact: `Para entrar na sua conta ${place}, agora é preciso passar pela verificação em duas etapas.`,
        },
  'factor-removed': ({ place, factors }) =>
    factors > 0
      ? {
          subject: 'Um método da verificação em duas etapas foi removido',
          fact: `A verificação em duas etapas da sua conta ${place} continua ativa, com outro método.`,
        }
      : {
          subject: 'Verificação em duas etapas desativada',
          fact: `Sua conta ${place} agora entra sem a verificação em duas etapas.`,
        },
  'factors-removed': ({ place }) => ({
    subject: 'Verificação em duas etapas e chaves de acesso removidas',
    fact: `Os métodos da verificação em duas etapas, os códigos de recuperação e as chaves de acesso da sua conta ${place} foram removidos, e todas as sessões foram encerradas. Entre com a senha e ative a verificação de novo.`,
  }),
  'recovery-codes': ({ place }) => ({
    subject: 'Você tem novos códigos de recuperação',
    fact: `Novos códigos de recuperação da sua conta ${place} foram gerados. Os antigos não funcionam mais.`,
  }),
  'passkey-added': ({ place }) => ({
    subject: 'Nova chave de acesso na sua conta',
    fact: `Uma nova chave de acesso já pode ser usada para entrar na sua conta ${place} sem senha.`,
  }),
  'passkey-removed': ({ place }) => ({
    subject: 'Chave de acesso removida da sua conta',
    fact: `Uma chave de acesso foi removida e não entra mais na sua conta ${place}.`,
  }),
  principal: ({ place }) => ({
    subject: 'Sua conta agora é a do administrador principal',
    fact: `A equipe de TI definiu o seu e-mail como o do administrador principal. Por segurança, a senha da sua conta ${place} foi alterada, a verificação em duas etapas foi desativada e todas as sessões foram encerradas.`,
  }),
  'second-step-failed': ({ place }) => ({
    subject: 'Alguém errou o código da sua conta',
    fact: `O código da verificação em duas etapas da sua conta ${place} foi digitado errado várias vezes. Sem o código certo ninguém entra, mas quem tentou já passou pela senha.`,
  }),
}

const ACTORS: Record<WhoActed, string> = {
  self: 'uma pessoa com acesso à sua conta',
  administrator: 'outra pessoa que administra as contas',
  operator: 'equipe de TI',
  'password-holder': 'alguém que passou pela primeira etapa do login',
}

const TIME = new Intl.DateTimeFormat('pt-BR', {
  dateStyle: 'short',
  timeStyle: 'short',
  timeZone: SITE_TIME_ZONE,
})

/** A security notice. It contains no link that signs in, no code, and no address but the recipient's. */
export function noticeEmail(input: NoticeInput): Email {
  const { subject, fact } = NOTICES[input.kind](input)
  return {
    subject,
    preview: `Se não foi você, ${input.kind === 'email' ? 'avise' : 'crie uma nova senha'} agora.`,
    paragraphs: [fact, `Quando: ${TIME.format(input.at)} (horário de Brasília). Quem: ${ACTORS[input.by]}.`],
    closing: ['Se foi você, não precisa fazer nada.', `Se não foi você, ${whatToDo(input)}`],
  }
}

/** The former address of an account cannot request a new password. */
function whatToDo({ kind, brandName, adminUrl }: NoticeInput): string {
  if (adminUrl === null)
    return kind === 'email'
      ? `avise agora a equipe de ${brandName}.`
      : `peça uma nova senha na tela de login e avise a equipe de ${brandName}.`
  return kind === 'email'
    ? 'fale agora com quem administra o painel.'
    : `crie uma nova senha em ${adminUrl}/admin ("Esqueci minha senha") e avise quem administra o painel.`
}
