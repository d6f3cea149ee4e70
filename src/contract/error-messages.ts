import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from './accounts.ts'

/** What a failed call tells, whichever of the two protocols it spoke. `status` 0 means that no answer came. */
export interface Failure {
  status: number
  code?: string | null | undefined
  message?: string | null | undefined
  /** Why a password was refused (auth service: `weak_password.reasons`). */
  reasons?: readonly string[] | undefined
}

/** What people read when they must sign in again to go on. */
export const SESSION_ENDED = 'Sua sessão terminou. Entre de novo para continuar.'
export const NO_ADMIN_ACCESS = 'Sua conta não tem acesso administrativo.'

/** Refusals of a session that is over. */
const SESSION_CODES = [
  'session_not_found',
  'session_expired',
  'refresh_token_not_found',
  'refresh_token_already_used',
  'no_authorization',
  'bad_jwt',
  'jwt_expired',
  'PGRST301',
  'PGRST303',
]

export function isSessionOver({ code }: Failure): boolean {
  return SESSION_CODES.includes(code ?? '')
}

const EMAIL_TAKEN = 'Já existe um usuário com este e-mail.'
const TRY_LATER = 'Muitas tentativas em pouco tempo. Aguarde alguns minutos e tente de novo.'
const NOT_ALLOWED = 'Você não tem permissão para fazer isso.'
const LINK_OVER = 'O link ou o código está errado ou não vale mais. Confira, ou peça outro.'
const NOT_ACCEPTED = 'Um dos valores não é aceito. Confira os campos.'
const OUT_OF_DATE = 'O painel e o servidor estão em versões diferentes. Recarregue a página.'

/** Texts by protocol code; the wire itself stays in English. */
const TEXTS: Readonly<Record<string, string>> = {
  invalid_credentials: 'E-mail ou senha incorretos. Confira e tente de novo.',
  email_not_confirmed: 'Este e-mail ainda não foi confirmado.',
  user_banned: 'Esta conta está bloqueada. Fale com outro administrador.',
  over_request_rate_limit: TRY_LATER,
  over_email_send_rate_limit: 'Já enviamos um e-mail há pouco. Aguarde um minuto antes de pedir outro.',
  signup_disabled: 'O cadastro público está fechado.',
  weak_password: 'Escolha uma senha mais forte.',
  same_password: 'A nova senha precisa ser diferente da atual.',
  email_exists: EMAIL_TAKEN,
  user_already_exists: EMAIL_TAKEN,
  ...Object.fromEntries(SESSION_CODES.map((code) => [code, SESSION_ENDED])),
  user_not_found: 'Esta conta não existe mais.',
  not_admin: NOT_ALLOWED,
  otp_expired: LINK_OVER,
  mfa_verification_failed: 'Código incorreto. Espere o próximo no aplicativo e tente de novo.',
  mfa_challenge_expired: 'O tempo acabou. Digite o código atual do aplicativo.',
  passkey_not_used: 'Nenhuma chave de acesso foi usada. Tente de novo, ou entre com a senha.',
  webauthn_verification_failed: 'Esta chave de acesso não vale mais aqui. Entre com a senha.',
  webauthn_challenge_not_found: 'O pedido não vale mais. Tente de novo.',
  webauthn_challenge_expired: 'O tempo acabou. Tente de novo.',
  webauthn_credential_exists: 'Este aparelho já tem uma chave de acesso desta conta.',
  too_many_passkeys: 'Você já tem dez chaves de acesso. Remova uma para criar outra.',
  recovery_code_invalid: 'Código de recuperação incorreto ou já usado.',
  reauthentication_needed: 'Confirme que é você para trocar a senha.',
  reauthentication_not_valid: 'O código do e-mail não vale mais. Peça outro.',
  current_password_required: 'Digite sua senha atual.',
  current_password_invalid: 'A senha atual não está correta.',
  conflict: 'Sua senha mudou enquanto isso. Tente de novo.',
  insufficient_aal: 'Confirme a segunda etapa do login para fazer isso.',
  validation_failed: NOT_ACCEPTED,
  too_many_enrolled_mfa_factors: 'Sua conta já tem o máximo de verificações. Remova uma para criar outra.',
  mfa_factor_name_conflict: 'Sua conta já tem uma verificação com este nome. Recarregue a página.',
  mfa_factor_not_found: 'A verificação em duas etapas mudou enquanto isso. Recarregue a página.',
  mfa_ip_address_mismatch: 'Sua conexão mudou durante a verificação. Tente novamente.',
  flow_state_not_found: LINK_OVER,
  bad_code_verifier: LINK_OVER,
  bad_json: OUT_OF_DATE,
  caller_gone: 'A resposta demorou demais. Tente novamente.',
  '42501': NOT_ALLOWED,
  '40001': 'Outra alteração foi salva ao mesmo tempo. Tente novamente.',
  '54000': 'O pedido é grande demais. Reduza-o e tente novamente.',
  PGRST116: 'Este registro não existe mais. Recarregue a página.',
  '23502': 'Preencha os campos obrigatórios.',
  '23514': NOT_ACCEPTED,
  '23505': 'Já existe um registro com estes dados.',
}

/** Codes of one kind: values and calls that the data service cannot read, and ways to sign in that are switched off. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^22\w{3}$/, 'Um dos valores não está no formato esperado.'],
  [/^(?:PGRST\d{3}|(?:0A|21|42)\w{3})$/, OUT_OF_DATE],
  [/_disabled$/, 'Esta forma de entrar está desativada.'],
]

const PASSWORD_REASONS: Readonly<Record<string, string>> = {
  length: `A senha precisa ter de ${PASSWORD_MIN_LENGTH} a ${PASSWORD_MAX_LENGTH} caracteres.`,
  characters: 'Misture letras, números e símbolos na senha.',
  pwned: 'Esta senha é comum ou já vazou na internet. Escolha outra.',
  guessable: 'Esta senha é fácil de adivinhar. Junte três ou quatro palavras que só você escolheria.',
}

/** Nothing reached the service, or it broke down: its own words would not help anyone. */
function isOutage({ status }: Failure): boolean {
  return status === 0 || status >= 500
}

/**
 * The text for a failed call: by code in Portuguese, an unknown message as it came, and `fallback` when the service
 * said nothing that a person can use.
 */
export function describeFailure(failure: Failure, fallback: string): string {
  const reasons = (failure.reasons ?? []).map((reason) => PASSWORD_REASONS[reason] ?? reason)
  if (reasons.length > 0) return reasons.join(' ')
  const known = failure.code ? TEXTS[failure.code] : undefined
  if (known !== undefined) return known
  if (isOutage(failure)) return fallback
  const [, kind] = KINDS.find(([pattern]) => pattern.test(failure.code ?? '')) ?? []
  if (kind !== undefined) return kind
  return failure.message?.trim() || fallback
}

/** What to do next, when the text alone does not say it. */
export function adviseOnFailure(failure: Failure): string | null {
  if (failure.status === 0) return 'Sem resposta do servidor. Verifique sua conexão e tente de novo.'
  if (failure.status >= 500) return 'O servidor não respondeu como devia. Tente de novo em instantes.'
  return null
}
